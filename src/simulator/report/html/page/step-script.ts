/** One step of a session: its numbers, what happened, and what its request showed. */
export const stepScript = String.raw`
function stepPage(session, step, params) {
  const runs = chosenRuns(runsOf(session), params).filter((run) => step < run.d.context.length);
  const back = el('a', { href: hrefOf(session, undefined, params) }, '← ' + shown(data.sessions[session]));
  if (runs.length === 0) return [el('h1', {}, 'Step ' + (step + 1)), el('p', {}, back), el('p', { class: 'note' }, 'This page has no such step.')];
  const most = Math.max(...runs.map((run) => run.d.context.length));
  const link = (to, words) => to >= 0 && to < most ? el('a', { href: hrefOf(session, to, params) }, words) : el('span', { class: 'soft' }, words);
  return [el('h1', {}, 'Step ' + (step + 1) + ' of ' + most), el('p', {}, back), el('nav', { class: 'bar', 'aria-label': 'Steps' }, link(step - 1, '‹ previous step'), link(step + 1, 'next step ›'), ...nearMoments(session, step, runs, params)),
    el('div', { class: 'columns' }, ...runs.map((run) => stepOf(run, step))), ...viewOfStep(session, step, runs)];
}

function nearMoments(session, step, runs, params) {
  const at = [...new Set(runs.flatMap((run) => momentsOf(run.d).filter((moment) => moment[1] !== 'end').map((moment) => moment[0])))].sort((a, b) => a - b);
  const [before, after] = [at.filter((one) => one < step).pop(), at.find((one) => one > step)];
  const link = (to, words) => to === undefined ? [] : [el('a', { href: hrefOf(session, to, params) }, words + ' (' + (to + 1) + ')')];
  return [...link(before, '« previous event'), ...link(after, 'next event »')];
}

function stepOf(run, step) {
  const { d } = run;
  const [context, cached, written] = [d.context[step], d.cached[step], d.written[step]];
  const flags = [[1, 'begins a turn'], [2, 'after an idle gap'], [4, 're-reads what was lost'], [8, 'breaks the cached prefix']].filter(([bit]) => d.flags[step] & bit).map(([, words]) => words);
  const change = (to) => to < 0 || to >= d.context.length ? UNKNOWN : count(d.context[to]) + ' (' + signed(d.context[to] - context) + ')';
  const facts = [['Context', count(context) + (d.usable === null ? '' : ' of ' + count(d.usable) + ' usable')], ['Cached', count(cached)], ['Written to the cache', count(written)], ['New', count(context - cached - written)], ['Output', count(d.output[step])], ['Turn', count(d.turn[step])],
    ...(step > 0 && pauseAt(d, step) !== undefined ? [['Since the previous request', duration(pauseAt(d, step))]] : []), ['Context before', change(step - 1)], ['Context after', change(step + 1)], ...(flags.length === 0 ? [] : [['This step', flags.join(', ')]])];
  const moments = momentsOf(d).filter((moment) => moment[0] === step);
  const lines = moments.map(([, kind, words, ids]) => el('li', {}, el('span', { class: 'chip' }, KINDS[kind]), ' ', shown(words + ruleWords(run, kind)),
    ids && ids.length > 0 ? el('details', {}, el('summary', {}, counted(ids.length, 'id')), el('ul', { class: 'ids' }, ...ids.map((id) => el('li', {}, shown(id))))) : null));
  return el('section', {}, el('h2', {}, el('span', { class: 'swatch', style: 'color:' + colorOf(run.g) }), ' ' + shown(groupName(run.g))),
    el('dl', {}, ...facts.flatMap(([label, value]) => [el('dt', {}, label), el('dd', {}, value)])),
    lines.length === 0 ? el('p', { class: 'soft' }, 'Nothing happened besides the step itself.') : el('ul', { class: 'moments' }, ...lines));
}

// What the model saw at this step under one of the policies.
function viewOfStep(session, step, runs) {
  const some = runs.filter((run) => run.d.view && step < run.d.view.came.length);
  if (some.length === 0) return [el('h2', {}, 'What the model sees'), el('p', { class: 'soft' }, NO_VIEW)];
  const holder = el('div');
  const draw = (run) => holder.replaceChildren(...viewOfRun(session, step, run));
  draw(some[0]);
  const policies = some.map((run, index) => [String(index), titleOf(run, some)]);
  return [...(some.length > 1 ? [el('div', { class: 'bar spaced' }, choice('What the model sees under', policies, '0', (index) => draw(some[index])))] : []), holder];
}

function viewOfRun(session, step, run) {
  const { view } = run.d, parts = partsAt(view, step);
  const hasTexts = view.texts !== undefined;
  const about = hasTexts ? 'With texts, as kept by its run.' : 'Sizes and states only: this page holds no text of the session (run --with-text SESSION keeps them).';
  return [el('h2', {}, 'What changed since the previous request'), ...diffBlock(session, step, view),
    el('h2', {}, 'The view, part by part'), stripBlock(step, run, parts), ...summaryBlock(view, parts), partsTable(session, view, parts), el('p', { class: 'soft' }, about)];
}

const chipOf = (state) => ({ text: STATES[state][1], chip: STATES[state][0] });
const SIGNS = '+~−';
const SIGN_WORDS = { '+': 'came', '−': 'went', '~': 'changed' };

function diffBlock(session, step, view) {
  const changes = changesAt(view, step).sort((a, b) => SIGNS.indexOf(a.sign) - SIGNS.indexOf(b.sign));
  if (changes.length === 0) return [el('p', {}, 'Nothing: this request holds the same as the previous one.')];
  const sum = (sign, of) => changes.filter((one) => one.sign === sign).reduce((total, one) => total + of(one), 0);
  const words = [['+', ({ part }) => part.tokens], ['−', ({ old }) => old.tokens], ['~', ({ part, old }) => part.tokens - old.tokens]]
    .map(([sign, of]) => [sign, changes.filter((one) => one.sign === sign).length, sum(sign, of)]).filter(([, many]) => many > 0)
    .map(([sign, many, tokens]) => counted(many, 'part') + ' ' + SIGN_WORDS[sign] + ' (' + (sign === '~' ? signed(tokens) : (sign === '+' ? '+' : '-') + count(tokens)) + ' tokens)');
  const columns = [{ title: 'Change' }, { title: 'Part' }, { title: 'What' }, { title: 'Now' }, { title: 'Before', isNumber: true }, { title: 'After', isNumber: true },
    ...(view.texts ? [{ title: 'Text before', className: 'words' }, { title: 'Text after', className: 'words' }] : [])];
  const rows = changes.map(({ sign, part, old }) => [{ text: sign + ' ' + SIGN_WORDS[sign], chip: 'sign-' + SIGN_WORDS[sign] }, partCell(part), { text: kindWords(part.kind) }, chipOf(part.state),
    { text: old ? count(old.tokens) : UNKNOWN, value: old ? old.tokens : null }, isShownState(part.state) ? { text: count(part.tokens), value: part.tokens } : { text: UNKNOWN, value: null },
    ...(view.texts ? [textCell(old && textOf(view, old)), textCell(isShownState(part.state) ? textOf(view, part) : undefined)] : [])]);
  return [tableBlock({ caption: words.join('; '), columns, rows, file: 'step-' + (step + 1) + '-changes', isTall: rows.length > 12, onSort: () => undefined }).block];
}

const partCell = (part) => ({ text: '#' + (part.index + 1), value: part.index + 1 });
const preview = (text) => { const line = text.slice(0, 200).replace(/\s+/g, ' '); return line.length > 60 ? line.slice(0, 60) + ' …' : line; };
const textCell = (text) => text === undefined ? { text: UNKNOWN, value: null } : { text: preview(text), value: text, more: text };

// Every part as a piece of a bar: above what is shown, below what is shown no more.
function stripBlock(step, run, parts) {
  const width = 1000, most = Math.max(1, shownTokens(parts), parts.reduce((sum, part) => sum + (isShownState(part.state) ? 0 : run.d.view.tokens[part.index]), 0));
  const ends = { up: 0, down: 0 };
  const pieces = parts.map((part) => {
    const isUp = isShownState(part.state), tokens = isUp ? part.tokens : run.d.view.tokens[part.index];
    const row = isUp ? 'up' : 'down', from = ends[row];
    ends[row] += (tokens / most) * width;
    const words = '#' + (part.index + 1) + ' ' + shown(kindWords(part.kind)) + ', ' + STATES[part.state][1] + ': ' + count(tokens) + ' tokens, since step ' + (part.came + 1);
    return svg('rect', { x: from.toFixed(2), y: isUp ? 0 : 40, width: Math.max(1, ends[row] - from - 0.6).toFixed(2), height: isUp ? 34 : 14, class: 'part-' + STATES[part.state][0] }, svg('title', {}, words));
  });
  const totals = STATES.map(([name, words], state) => [name, words, parts.filter((part) => part.state === state)]).filter(([, , some]) => some.length > 0);
  const tokensOf = (some) => some.reduce((sum, part) => sum + (isShownState(part.state) ? part.tokens : run.d.view.tokens[part.index]), 0);
  const key = totals.map(([name, words, some]) => el('span', { class: 'key' }, el('i', { class: 'key-' + name }), words + ': ' + counted(some.length, 'part') + ', ' + count(tokensOf(some)) + ' tokens'));
  const rest = run.d.context[step] - shownTokens(parts);
  const label = 'Parts in the order in which they came. ' + totals.map(([, words, some]) => words + ': ' + some.length).join(', ');
  const drawing = svg('svg', { viewBox: '0 0 ' + width + ' 56', role: 'img', 'aria-label': label, preserveAspectRatio: 'none', class: 'strip' }, ...pieces);
  return el('figure', {}, el('div', { class: 'bar' }, ...key, el('span', { class: 'push' }, button('SVG', () => saveSvg(drawing, 'step-' + (step + 1)), { 'aria-label': 'Save the parts as SVG' }))), drawing,
    el('figcaption', {}, 'Above: what the request shows, in the order in which it came; below: what it no longer shows. Besides these, the request holds ' + count(Math.max(0, rest)) + ' tokens of system prompt, tool definitions and message frames.'));
}

function summaryBlock(view, parts) {
  const all = parts.filter((part) => part.kind === 'summary' && isShownState(part.state));
  const gone = parts.filter((part) => part.state === 2);
  return all.flatMap((part) => {
    const text = textOf(view, part);
    const words = 'Summary #' + (part.index + 1) + ': ' + count(part.tokens) + ' tokens since step ' + (part.came + 1) + ', in place of ' + counted(gone.length, 'part') + ' with ' + count(gone.reduce((sum, one) => sum + view.tokens[one.index], 0)) + ' tokens.';
    return [el('h3', {}, 'The summary'), el('p', {}, words), ...(text === undefined ? [] : [el('pre', { class: 'text', tabindex: '0', 'aria-label': 'Text of the summary' }, shownLines(text))])];
  });
}

function partsTable(session, view, parts) {
  const columns = [{ title: 'Part', isNumber: true }, { title: 'What' }, { title: 'State' }, { title: 'Tokens', isNumber: true }, { title: 'Tokens at first', isNumber: true }, { title: 'Since step', isNumber: true }, ...(view.texts ? [{ title: 'Text', className: 'words' }] : [])];
  const rowOf = (part) => [partCell(part), { text: kindWords(part.kind) }, chipOf(part.state), isShownState(part.state) ? { text: count(part.tokens), value: part.tokens } : { text: '0', value: 0 }, { text: count(view.tokens[part.index]), value: view.tokens[part.index] },
    { text: String(part.came + 1), value: part.came + 1, href: hrefOf(session, part.came) }, ...(view.texts ? [textCell(textOf(view, part))] : [])];
  const rows = parts.map(rowOf);
  const inView = (row) => row[2].chip !== 'summarised' && row[2].chip !== 'left';
  const states = [['view', 'in the view'], ['', 'all'], ...STATES.filter(([name]) => rows.some((row) => row[2].chip === name))];
  const table = tableBlock({ caption: 'Every part up to this step', columns, rows: rows.filter(inView), file: 'parts', isTall: true, onSort: () => undefined },
    choice('State', states, 'view', (name) => table.show(rows.filter((row) => name === '' || (name === 'view' ? inView(row) : row[2].chip === name)))));
  return table.block;
}
`;
