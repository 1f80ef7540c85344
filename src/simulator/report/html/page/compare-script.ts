/** What was checked or compared in the place of runs: tables, differences in context, bars with intervals. */
export const compareScript = String.raw`
const compared = (params) => [...barCharts(), ...diffsInContext(), ...(data.tables || []).flatMap((table) => namedTable(table, params)), ...lists()];

const lists = () => (data.lists || []).flatMap(({ title, lines }) => [el('h2', {}, shown(title)), el('ul', {}, ...lines.map((line) => el('li', {}, shown(line))))]);

// Texts that are to be written somewhere as they stand.
const snippets = () => (data.snippets || []).flatMap(({ where, text }) => [el('p', {}, shown(where)), el('pre', { class: 'text', tabindex: '0', 'aria-label': shown(where) }, shownLines(text))]);

function namedTable({ id, title, caption, columns, rows }, params) {
  const toCell = (cell) => typeof cell === 'number' ? { text: count(cell), value: cell } : typeof cell === 'string' ? { text: cell } : { text: cell.text, ...(cell.value === undefined ? {} : { value: cell.value }), className: cell.isBad ? 'bad' : '', ...(cell.drawing ? { more: cell.drawing, isDrawing: true } : {}) };
  const cells = rows.map((row) => row.map(toCell));
  const status = el('span', { role: 'status', class: 'soft' });
  const filterKey = 'filter-' + id, sortKey = 'sort-' + id;
  const table = tableBlock({ caption, columns: columns.map((column, at) => ({ ...column, className: column.isWords ? 'words' : at === 0 ? 'name' : undefined })), rows: cells, file: id, isTall: rows.length > 12, sort: params.get(sortKey) || '', onSort: (order) => keep(sortKey, order) },
    el('label', {}, 'Filter', filterBox(params.get(filterKey) || '', (text) => { keep(filterKey, text); filter(text); })), status);
  function filter(text) {
    const some = cells.filter((row) => row.some((cell) => shown(cell.text).toLowerCase().includes(text.toLowerCase())));
    table.show(some);
    status.textContent = (some.length === cells.length ? '' : count(some.length) + ' of ') + counted(cells.length, 'row');
  }
  filter(params.get(filterKey) || '');
  return [el('h2', {}, shown(title)), table.block];
}

function filterBox(value, change) {
  const box = el('input', { type: 'search', value, on: { input: () => change(box.value) } });
  return box;
}

function diffsInContext() {
  const all = data.diffs || [];
  if (all.length === 0) return [];
  const lines = (list) => list.map(([sign, text]) => el('span', { class: sign === '+' ? 'line came' : sign === '-' ? 'line went' : 'line' }, (sign === '-' ? '− baseline  ' : sign === '+' ? '+ now       ' : '            ') + shown(text) + '\n'));
  return [el('h2', {}, 'What differs, and where'), ...all.map(({ title, facts, lines: list }) => el('section', { class: 'diff' }, el('h3', {}, shown(title)), el('p', { class: 'soft' }, shown(facts)), el('pre', { class: 'text', tabindex: '0', 'aria-label': shown(title) }, ...lines(list))))];
}

function barCharts() {
  const all = data.bars || [];
  if (all.length === 0) return [];
  return [el('h2', {}, 'Means with 95 % intervals'), el('div', { class: 'columns' }, ...all.map((chart) => {
    const drawing = barChart(chart);
    return el('section', {}, el('div', { class: 'bar' }, el('h3', {}, shown(chart.title) + (chart.better ? ' (' + chart.better + ' is better)' : '')),
      el('span', { class: 'push' }, button('SVG', () => saveSvg(drawing, chart.title), { 'aria-label': 'Save as SVG: ' + shown(chart.title) }))), drawing);
  }))];
}

function barChart({ title, unit, bars }) {
  const width = 460, row = 40, left = 14, right = 96, height = bars.length * row + 22;
  const known = bars.flatMap(({ value, low, high }) => [value, low, high]).filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known) || 1];
  const x = (value) => left + ((value - least) / (most - least)) * (width - left - right);
  const told = ({ value, low, high, sessions }) => inUnit(value, unit) + (low === null ? '' : ' (' + inUnit(low, unit) + ' to ' + inUnit(high, unit) + ')') + ', ' + counted(sessions, 'session');
  const rows = bars.flatMap((bar, index) => {
    const top = index * row, middle = top + 27, color = 'fill:var(--p' + (index % 6) + ')';
    const name = svg('text', { class: 'label', x: left, y: top + 15 }, brief(bar.name), svg('title', {}, shown(bar.name)));
    if (bar.value === null) return [name, svg('text', { x: left, y: middle + 5 }, UNKNOWN)];
    const [from, to] = [Math.min(x(0), x(bar.value)), Math.max(x(0), x(bar.value))];
    const whisker = bar.low === null ? [] : [svg('line', { class: 'whisker', x1: x(bar.low), x2: x(bar.high), y1: middle, y2: middle }), ...[bar.low, bar.high].map((end) => svg('line', { class: 'whisker', x1: x(end), x2: x(end), y1: middle - 5, y2: middle + 5 }))];
    return [name, svg('rect', { x: from, y: top + 20, width: Math.max(1, to - from), height: 14, style: color, opacity: '.75' }, svg('title', {}, shown(bar.name) + ': ' + told(bar))), ...whisker,
      svg('text', { class: 'label', x: width - right + 8, y: middle + 5 }, inUnit(bar.value, unit))];
  });
  const label = shown(title) + '. ' + bars.map((bar) => shown(bar.name) + ': ' + told(bar)).join('; ');
  return svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': label, style: 'max-width:' + width + 'px;width:100%;display:block' },
    svg('line', { class: 'axis', x1: x(0), x2: x(0), y1: 0, y2: height - 18 }), ...rows, ...ticks(most, 4).map((value) => svg('text', { x: x(value), y: height - 4, 'text-anchor': 'middle' }, unit === 'ratio' ? trim(100 * value) + ' %' : unit === 'usd' ? '$' + trim(value) : short(value))));
}
`;
