/** The first view of a page: totals, differences, grid, sessions, provenance, and what other scripts draw. */
export const overviewScript = String.raw`
const SHOWN_OF_SESSION = ['steps', 'peakContextTokens', 'overflows', 'compactions', 'prunes', 'tokensSaved', 'costUsd', 'costSavedUsd', 'misses', 'missesAboveBound', 'costAboveBoundUsd', 'regretUsd'];

function overview(params) {
  const parts = [el('h1', {}, shown(data.title)), el('p', { class: 'soft' }, data.facts.map(({ label, value }) => label + ': ' + shown(value)).slice(1, 4).join(' · ')),
    ...data.notes.map((note) => el('p', { class: 'note' }, shown(note))), ...pointPlane(params), ...snippets(), ...compared(params), totals(), differences(), distances(), groupPlane(params), grid(params), sessionsTable(params), unreadTable(), provenance()];
  return parts.flat();
}

function totals() {
  if (data.groups.length === 0) return [];
  const names = data.groups.map((group, index) => groupName(index));
  const caption = 'Sums over completed runs; for contexts, the largest; ' + UNKNOWN + ' is unknown' + (data.peers.every(Boolean) ? '' : '; those that completed other runs cannot be compared');
  if (data.groups.length > 5) {
    const metrics = mainMetrics();
    const columns = [...data.groupTitles.map((title) => ({ title, className: 'name' })), { title: 'Completed', isNumber: true },
      ...metrics.map(([metric]) => ({ title: metric.label, isNumber: true, describes: metric.describes }))];
    const rows = data.groups.map((group, at) => [...group.names.map((text, nth) => nth === 0 ? { text, href: policyHref(at) } : { text }), { text: group.completedRuns + ' of ' + group.runs, value: group.completedRuns }, ...metrics.map(([metric, index]) => valueCell(group.values[index], metric.unit))]);
    return [el('h2', {}, 'Cells'), tableBlock({ caption, columns, rows, file: 'cells', onSort: () => undefined, isTall: true }).block];
  }
  const lists = data.groups.map((group) => group.values);
  const completed = [{ text: 'Completed runs' }, ...data.groups.map((group) => ({ text: group.completedRuns + ' of ' + group.runs, value: group.completedRuns }))];
  const block = (metrics, title, file) => tableBlock({ caption: title, columns: metricColumns(names, 'Metric'), rows: [completed, ...metricRows(metrics, lists, data.peers)], file }).block;
  const all = el('details', {}, el('summary', {}, 'All metrics'));
  all.addEventListener('toggle', () => { if (all.open && all.children.length === 1) all.append(block(allMetrics(), 'All metrics; ' + caption, 'metrics')); });
  return [el('h2', {}, data.groupTitles.join(', ') + ' × metrics'), block(mainMetrics(), caption, 'totals'), all];
}

const groupTitle = () => data.groupTitles.join(' · ');
const inInterval = (one, unit) => one.low === null ? UNKNOWN : signed(one.low, unit) + ' to ' + signed(one.high, unit);
// What cost is judged by; of all else there is none.
const ratioCell = ({ ratio }) => ({ text: ratio === undefined ? UNKNOWN : ratio.value.toFixed(3) + (ratio.low === null ? '' : ' (' + ratio.low.toFixed(3) + ' to ' + ratio.high.toFixed(3) + ')') });
// A family of sessions counts once.
const sessionsCell = ({ sessions, families }) => families === undefined ? { text: count(sessions), value: sessions } : { text: count(sessions) + ' in ' + count(families) + (families === 1 ? ' family' : ' families'), value: families };
const ofFamilies = (all) => all.some(({ families }) => families !== undefined) ? '; sessions of a family share their beginning and count once, by their mean' : '';
function differences(only) {
  const all = data.differences.filter((one) => only === undefined || one.group === only);
  if (all.length === 0) return [];
  const columns = [{ title: groupTitle(), className: 'name' }, { title: 'Metric' }, { title: 'Difference', isNumber: true }, { title: '95 % interval', isNumber: true }, { title: 'Ratio (95 %)', isNumber: true }, { title: 'Sessions', isNumber: true }, { title: 'p', isNumber: true }, { title: 'Verdict' }];
  const rows = all.map((one) => {
    const metric = data.metrics[one.metric];
    return [{ text: groupName(one.group), href: policyHref(one.group) }, { text: metric.label }, { text: signed(one.value, metric.unit), value: one.value }, { text: inInterval(one, metric.unit) }, ratioCell(one), sessionsCell(one), { text: chance(one.pValue), value: one.pValue ?? null }, { text: one.verdict }];
  });
  const caption = 'Mean difference against ' + shown(groupName(0)) + ' per session, paired by session; intervals by bootstrap, of fewer than ten sessions by Student\'s t; cost is judged by its ratio, the geometric mean over sessions; p-values are Holm-adjusted, what has none is descriptive' + ofFamilies(all);
  return [el('h2', {}, 'Against ' + shown(groupName(0))), tableBlock({ caption, columns, rows, file: 'differences', isTall: rows.length > 20, onSort: () => undefined }).block];
}

// How far each policy is from what hindsight would do; what is not known of any is left out.
function distances(only) {
  const all = (data.bounds || []).filter((one) => only === undefined || one.group === only);
  if (all.length === 0) return [];
  const shownMetrics = [...new Set(all.map((one) => one.metric))].map((metric) => [metric, data.metrics[metric]]);
  const titleOf = ({ label, unit }) => unit === 'ratio' || unit === 'factor' ? label + ' (mean of ratios)' : label;
  const columns = [{ title: groupTitle(), className: 'name' }, ...shownMetrics.flatMap(([, metric]) => [{ title: titleOf(metric), isNumber: true, describes: metric.describes }, { title: '95 % interval', isNumber: true }, { title: 'Sessions', isNumber: true, describes: 'Sessions for which ' + metric.label + ' is known.' }])];
  const rows = [...new Set(all.map((one) => one.group))].map((group) => {
    const own = all.filter((one) => one.group === group);
    const cells = shownMetrics.flatMap(([metric, { unit }]) => {
      const one = own.find((other) => other.metric === metric);
      return one === undefined ? [{ text: UNKNOWN, value: null }, { text: UNKNOWN }, { text: count(0), value: 0 }] : [{ text: inUnit(one.value, unit), value: one.value }, { text: one.low === null ? UNKNOWN : inUnit(one.low, unit) + ' to ' + inUnit(one.high, unit) }, sessionsCell(one)];
    });
    return [{ text: groupName(group), href: policyHref(group) }, ...cells];
  });
  return [el('h2', {}, 'Distance to the bounds'), tableBlock({ caption: 'Mean per session of what is above the best in hindsight, over the sessions for which it is known; intervals by bootstrap, of fewer than ten sessions by Student\'s t' + ofFamilies(all), columns, rows, file: 'bounds', isTall: rows.length > 20, onSort: () => undefined }).block];
}

// With what was varied, where names alone do not tell it.
const groupLabel = (index) => data.groupTitles.length < 2 ? groupName(index) : data.groups[index].names.map((name, nth) => data.groupTitles[nth] + ' ' + name).join(' · ');

// One policy or cell by itself.
function policyPage(group, params) {
  const { runs, completedRuns, values, rules } = data.groups[group];
  const ruleList = Object.entries(rules || {}).flatMap(([kind, words]) => [el('dt', {}, kind === 'lost' ? 'view' : KINDS[kind]), el('dd', {}, shown(words))]);
  return [el('h1', {}, shown(groupLabel(group))), el('p', {}, el('a', { href: '#/' }, '← To the overview')), el('p', { class: 'soft' }, count(completedRuns) + ' of ' + counted(runs, 'run') + ' completed'),
    ...(ruleList.length === 0 ? [] : [el('h2', {}, 'Rules'), el('dl', {}, ...ruleList)]), ...differences(group), ...distances(group),
    el('h2', {}, 'All metrics'), tableBlock({ caption: 'Sums over completed runs; for contexts, the largest', columns: metricColumns([groupName(group)], 'Metric'), rows: metricRows(allMetrics(), [values], [true]), file: 'policy', isTall: true }).block,
    ...sessionsTable(params, group)];
}


function grid(params) {
  if (!data.grid) return [];
  const options = mainMetrics().filter(([, index]) => data.groups.some((group) => group.values[index] !== null)).map(([metric]) => [metric.name, metric.label]);
  if (options.length === 0) return [];
  const holder = el('div');
  let csv, picture;
  let chosen = options.some(([name]) => name === params.get('map')) ? params.get('map') : options.some(([name]) => name === 'costUsd') ? 'costUsd' : options[0][0];
  function draw() {
    const index = metricIndex(chosen), metric = data.metrics[index];
    const valueOf = (cell) => cell === null ? null : data.groups[cell].values[index];
    const cells = data.grid.cells.flat();
    const values = cells.filter((cell) => data.peers[cell]).map(valueOf).filter((value) => value !== null);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const levelOf = (cell) => valueOf(cell) === null || !data.peers[cell] || high === low ? 0 : (valueOf(cell) - low) / (high - low);
    const shade = (level) => level === 0 ? '' : 'background: color-mix(in srgb, var(--fresh) ' + Math.round(55 * level) + '%, transparent)';
    const head = el('tr', {}, el('th', { scope: 'col' }, shown(data.grid.rowKey + ' ↓  ' + data.grid.columnKey + ' →')), ...data.grid.columns.map((column) => el('th', { scope: 'col', class: 'number' }, shown(column))));
    const rows = data.grid.cells.map((cells, at) => el('tr', {}, el('th', { scope: 'row' }, shown(data.grid.rows[at])), ...cells.map((cell) => el('td', { class: 'number', style: shade(levelOf(cell)) }, inUnit(valueOf(cell), metric.unit)))));
    const caption = metric.label + ' by ' + shown(data.grid.rowKey) + ' and ' + shown(data.grid.columnKey) + (data.grid.rest ? '; ' + shown(data.grid.rest) : '') + (cells.some((cell) => cell !== null && !data.peers[cell]) ? '; unshaded: completed other runs, cannot be compared' : '');
    csv = () => save('heat-map.csv', 'text/csv', toCsv([{ title: data.grid.rowKey }, ...data.grid.columns.map((title) => ({ title }))], data.grid.cells.map((cells, at) => [{ text: data.grid.rows[at] }, ...cells.map((cell) => ({ value: valueOf(cell) }))])));
    picture = () => saveHidden(heatDrawing({ caption, levelOf, valueOf, unit: metric.unit }), 'heat-map');
    holder.replaceChildren(el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, el('table', {}, el('caption', {}, caption), el('thead', {}, head), el('tbody', {}, ...rows))));
  }
  draw();
  return [el('h2', {}, 'Heat map'), el('div', { class: 'bar' }, choice('Metric', options, chosen, (value) => { chosen = value; keep('map', value); draw(); }),
    el('span', { class: 'push' }, button('CSV', () => csv(), { 'aria-label': 'Save the heat map as CSV' }), button('SVG', () => picture(), { 'aria-label': 'Save the heat map as SVG' }))), holder];
}

function heatDrawing({ caption, levelOf, valueOf, unit }) {
  const { rows, columns, cells, rowKey, columnKey } = data.grid;
  const [wide, tall, left, top] = [96, 30, 150, 52];
  const box = (cell, row, column) => [svg('rect', { x: left + column * wide, y: top + row * tall, width: wide - 2, height: tall - 2, style: 'fill:var(--fresh)', opacity: 0.05 + 0.55 * levelOf(cell) }),
    svg('text', { class: 'label', x: left + column * wide + wide / 2 - 1, y: top + row * tall + 19, 'text-anchor': 'middle' }, inUnit(valueOf(cell), unit))];
  return svg('svg', { viewBox: '0 0 ' + (left + columns.length * wide) + ' ' + (top + rows.length * tall) },
    svg('text', { class: 'label', x: 4, y: 16 }, caption), svg('text', { x: left - 8, y: top - 8, 'text-anchor': 'end' }, shown(rowKey) + ' ↓ ' + shown(columnKey) + ' →'),
    ...columns.map((column, at) => svg('text', { x: left + at * wide + wide / 2, y: top - 8, 'text-anchor': 'middle' }, shown(column))),
    ...rows.map((row, at) => svg('text', { x: left - 8, y: top + at * tall + 19, 'text-anchor': 'end' }, shown(row))),
    ...cells.flatMap((list, row) => list.flatMap((cell, column) => box(cell, row, column))));
}

// Looks come from the page, so the drawing is in it for a moment.
function saveHidden(drawing, name) {
  const holder = el('div', { class: 'aside', 'aria-hidden': 'true' }, drawing);
  document.body.append(holder);
  saveSvg(drawing, name);
  holder.remove();
}


function sessionsTable(params, only) {
  if (data.runs.length === 0) return [];
  const metrics = SHOWN_OF_SESSION.map((name) => [data.metrics[metricIndex(name)], metricIndex(name)]);
  const columns = [{ title: 'Session', className: 'name' }, { title: groupTitle() }, { title: 'State' }, ...metrics.map(([metric]) => ({ title: metric.label, isNumber: true, describes: metric.describes }))];
  const rowOf = (run) => [{ text: data.sessions[run.s], href: hrefOf(run.s) }, { text: groupName(run.g), href: policyHref(run.g) }, { text: run.state, title: run.reason && shown(run.reason), className: run.state === 'completed' ? '' : 'bad' }, ...metrics.map(([metric, index]) => valueCell(run.v[index], metric.unit))];
  const rows = data.runs.filter((run) => only === undefined || run.g === only).map(rowOf);
  const state = { text: params.get('filter') || '', policy: params.get('policy') || '' };
  const status = el('span', { role: 'status', class: 'soft' });
  function filter() {
    const wanted = state.text.toLowerCase();
    const some = rows.filter((row) => (state.policy === '' || row[1].text === state.policy) && row.slice(0, 3).some((cell) => shown(cell.text).toLowerCase().includes(wanted)));
    table.show(some);
    status.textContent = (some.length === rows.length ? '' : count(some.length) + ' of ') + counted(rows.length, 'run');
  }
  const box = el('input', { type: 'search', id: 'filter', value: state.text, placeholder: 'name, policy or state', on: { input: () => { state.text = box.value; keep('filter', box.value); filter(); } } });
  const policies = [['', 'all'], ...data.groups.map((group, index) => [groupName(index), groupName(index)])];
  const table = tableBlock({ caption: 'Every run; a session leads to its steps', columns, rows, file: 'runs', isTall: true, sort: params.get('sort') || '', onSort: (order) => keep('sort', order) },
    el('label', {}, 'Filter', box), ...(only === undefined ? [choice(groupTitle(), policies, state.policy, (value) => { state.policy = value; keep('policy', value); filter(); })] : []), status);
  filter();
  return [el('h2', {}, 'Sessions'), table.block];
}

function unreadTable() {
  if (data.unread.length === 0) return [];
  const rows = data.unread.map(({ file, reason }) => [{ text: file }, { text: reason }]);
  return [el('h2', {}, 'Unread'), tableBlock({ caption: 'Inputs that could not be read', columns: [{ title: 'File', className: 'name' }, { title: 'Reason', className: 'words' }], rows, file: 'unread' }).block];
}

const provenance = () => [el('h2', {}, 'Sources of the numbers'), el('dl', {}, ...data.facts.flatMap(({ label, value }) => [el('dt', {}, shown(label)), el('dd', {}, shown(value))])), el('p', { class: 'soft' }, shown(data.evidence))];
`;
