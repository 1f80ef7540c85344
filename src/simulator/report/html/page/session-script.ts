/** One session under its policies. */
export const sessionScript = String.raw`
const KINDS = { overflow: 'overflow', prune: 'prune', pivot: 'pivot', summary: 'summary', refusal: 'refusal', failure: 'failure', miss: 'miss', lost: 'lost', law: 'law', model: 'model', end: 'end', cold: 'idle gap' };
const KEYS = [['cached', 'read from the cache'], ['written', 'written to it'], ['fresh', 'neither']];

// Columns are kept as what is not to be expected of them until somebody looks at them.
function unpack(run) {
  const { d } = run;
  if (!d || run.isUnpacked) return run;
  const grown = (values) => { let sum = 0; return values.map((value) => sum += value); };
  d.context = grown(d.context);
  d.turn = grown(d.turn);
  d.cached = d.cached.map((beyond, step) => beyond + (step === 0 ? 0 : d.context[step - 1]));
  d.written = d.written.map((fresh, step) => d.context[step] - d.cached[step] - fresh);
  if (d.view) d.view.pauses = d.view.pauses.map((seconds) => seconds * 1000);
  run.isUnpacked = true;
  return run;
}
const runsOf = (session) => data.runs.filter((run) => run.s === session).map(unpack);
const titleOf = (run, all) => groupName(run.g) + (all.some((other) => other !== run && other.g === run.g) ? ' (seed ' + run.seed + ')' : '');

function chosenRuns(runs, params) {
  const wanted = (params.get('policy') || '').split(',').filter((name) => name !== '');
  const drawn = runs.filter((run) => run.d);
  const some = drawn.filter((run) => wanted.includes(groupName(run.g)));
  if (some.length > 0) return some.sort((a, b) => wanted.indexOf(groupName(a.g)) - wanted.indexOf(groupName(b.g)));
  // The control has no teeth: it lies behind the others unless it is alone.
  const busy = drawn.filter((run) => run.d.moments.some((moment) => moment[1] === 'pivot' || moment[1] === 'prune'));
  return busy.length === 0 ? drawn.slice(0, 2) : [busy[0], ...drawn.filter((run) => run !== busy[0])].slice(0, 3);
}

function sessionPage(session, params) {
  const runs = runsOf(session);
  const parts = [el('h1', {}, shown(data.sessions[session])), ...runs.filter((run) => run.reason).map((run) => el('p', { class: 'note' }, groupName(run.g) + ': ' + run.state + ', ' + shown(run.reason))), timeline(session, runs, params), metricsOf(session, runs)];
  return parts.flat();
}

function timeline(session, runs, params) {
  const drawn = runs.filter((run) => run.d);
  if (drawn.length === 0) return [el('p', { class: 'note' }, data.noTimeline || 'No timeline: the events of this session are not in this page (run --events FILE, then report FILE).')];
  let chosen = chosenRuns(runs, params);
  const holder = el('div');
  const toggles = drawn.map((run) => {
    const box = el('input', { type: 'checkbox', checked: chosen.includes(run), on: { change: () => {
      if (!box.checked && chosen.length === 1) { box.checked = true; return; }
      chosen = box.checked ? [...chosen, run] : chosen.filter((other) => other !== run);
      keep('policy', chosen.map((one) => groupName(one.g)).join(','));
      draw();
    } } });
    return el('label', {}, box, el('span', { class: 'swatch', style: 'color:' + colorOf(run.g) }), shown(titleOf(run, drawn)));
  });
  let chart;
  function draw() {
    chart = sawtooth(chosen, (step) => { location.hash = hrefOf(session, step, new URLSearchParams({ policy: chosen.map((run) => groupName(run.g)).join(',') })); });
    const key = KEYS.map(([name, words]) => el('span', { class: 'key' }, el('i', { style: 'background:var(--' + name + ')' }), words));
    const help = 'Arrow keys move by steps, + and − zoom, 0 shows all, Enter opens the step; or drag to zoom and click. Dots mark the step after which something happened.';
    holder.replaceChildren(
      el('div', { class: 'bar' }, ...key, el('span', { class: 'push' }, button('Zoom in', chart.closer), button('Zoom out', chart.wider), button('Show all', chart.whole), button('SVG', () => saveSvg(chart.canvas, data.sessions[session]), { 'aria-label': 'Save the timeline as SVG' }))),
      el('figure', {}, chart.plot, el('figcaption', {}, 'Context of each request in true tokens; the stack is for ' + shown(groupName(chosen[0].g)) + '. ' + help)),
      ...mixBlock(session, chosen), ...momentTables(session, chosen), stepsOf(session, chosen));
    window.requestAnimationFrame(chart.draw);
  }
  draw();
  return [el('h2', {}, 'Context per step'), el('fieldset', {}, el('legend', {}, shown(groupTitle())), ...toggles), holder];
}

function momentTables(session, runs) {
  const all = runs.flatMap((run) => momentsOf(run.d).map((moment) => ({ run, moment }))).sort((a, b) => a.moment[0] - b.moment[0]);
  const rowOf = ({ run, moment: [step, kind, words, ids] }) => [{ text: String(step + 1), value: step + 1, href: hrefOf(session, step) }, { text: groupName(run.g) }, { text: KINDS[kind] }, { text: words + ruleWords(run, kind) + (ids && ids.length > 0 ? ' [' + ids.slice(0, 3).join(', ') + (ids.length > 3 ? ', … ' + (ids.length - 3) + ' more' : '') + ']' : '') }];
  const columns = [{ title: 'Step', isNumber: true }, { title: groupTitle() }, { title: 'What' }, { title: 'In words', className: 'words' }];
  const block = (title, caption, some, file) => {
    const rows = some.map(rowOf);
    const kinds = [['', 'all'], ...[...new Set(some.map(({ moment }) => KINDS[moment[1]]))].map((kind) => [kind, kind])];
    const table = tableBlock({ caption, columns, rows, file, isTall: true, onSort: () => undefined }, choice('What', kinds, '', (kind) => table.show(rows.filter((row) => kind === '' || row[2].text === kind))));
    return [el('h2', {}, title), table.block];
  };
  const lost = all.filter(({ moment }) => moment[1] === 'miss' || moment[1] === 'lost');
  const rest = all.filter(({ moment }) => moment[1] !== 'miss' && moment[1] !== 'lost');
  return [...block('What happened', counted(rest.length, 'moment') + ', in the order of steps', rest, 'moments'),
    ...(lost.length === 0 ? [el('h2', {}, 'What was lost'), el('p', {}, 'Nothing left the view.')] : block('What was lost, and when it was needed', 'A miss is a later step that needed what had been removed', lost, 'lost'))];
}

function stepsOf(session, runs) {
  const details = el('details', {}, el('summary', {}, 'Every step as a table'));
  const columns = [{ title: 'Step', isNumber: true }, { title: groupTitle() }, ...['Turn', 'Context', 'Cached', 'Written', 'New', 'Output'].map((title) => ({ title, isNumber: true }))];
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return;
    const rows = runs.flatMap(({ g, d }) => d.context.map((context, step) => [{ text: String(step + 1), value: step + 1, href: hrefOf(session, step) }, { text: groupName(g) },
      ...[d.turn[step], context, d.cached[step], d.written[step], context - d.cached[step] - d.written[step], d.output[step]].map((value) => ({ text: count(value), value }))]));
    details.append(tableBlock({ caption: 'Tokens of every request', columns, rows, file: 'steps', isTall: true }).block);
  });
  return details;
}

function metricsOf(session, runs) {
  const names = runs.map((run) => titleOf(run, runs));
  const peers = runs.map(({ state }) => state === 'completed');
  const caption = 'The same numbers as in the overview, for this session alone' + (peers.every(Boolean) ? '' : '; what did not complete cannot be compared');
  return [el('h2', {}, 'Metrics of this session'), tableBlock({ caption, columns: metricColumns(names, 'Metric'), rows: metricRows(mainMetrics(), runs.map((run) => run.v), peers), file: 'session' }).block];
}
`;
