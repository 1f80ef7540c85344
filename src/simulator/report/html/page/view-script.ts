/** What requests showed: every part at a step, what changed since the step before, and the mix by tool. */
export const viewScript = String.raw`
const STATES = [['kept', 'kept'], ['pruned', 'pruned'], ['summarised', 'summarised'], ['left', 'left the view'], ['injected', 're-injected'], ['summary', 'summary']];
const KIND_WORDS = { request: 'requests', answer: 'answers', reasoning: 'reasoning', file: 'files', note: 'program notes', summary: 'summaries', 'summary question': 'summary questions', resumption: 'added by the policy' };
const kindWords = (kind) => kind.startsWith('tool ') ? kind.slice(5) : Object.hasOwn(KIND_WORDS, kind) ? KIND_WORDS[kind] : kind;
const isShownState = (state) => state !== 2 && state !== 3;
const NO_VIEW = 'What its requests showed was not saved; run again with this release.';

// What each part that has come by a step is at it; text: its number in the pool, -1 for none.
function partsAt(view, step) {
  const parts = [];
  for (let at = 0; at <= step && at < view.came.length; at++) {
    for (let nth = 0; nth < view.came[at]; nth++) {
      const index = parts.length;
      parts.push({ index, came: at, kind: view.kinds[view.kind[index]], state: 0, tokens: view.tokens[index], text: view.texts ? view.texts.parts[index] : -1 });
    }
  }
  view.changes.forEach(([at, state, first, many, tokens], place) => {
    if (at > step) return;
    for (const part of parts.slice(first, first + many)) Object.assign(part, { state, tokens }, view.texts && view.texts.changes[place] >= 0 ? { text: view.texts.changes[place] } : {});
  });
  return parts;
}
const textOf = (view, part) => view.texts && part.text >= 0 ? view.texts.pool[part.text] : undefined;
const shownTokens = (parts) => parts.reduce((sum, part) => sum + (isShownState(part.state) ? part.tokens : 0), 0);

// Parts that the request of a step shows otherwise than the one before.
function changesAt(view, step) {
  const before = step === 0 ? [] : partsAt(view, step - 1);
  return partsAt(view, step).flatMap((part) => {
    const old = before[part.index];
    const was = old !== undefined && isShownState(old.state), is = isShownState(part.state);
    if (was === is && (!is || (old.tokens === part.tokens && old.state === part.state))) return [];
    return [{ sign: was && is ? '~' : is ? '+' : '−', part, old: was ? old : undefined }];
  });
}

// Tokens by kind at every step; what is in no part is the system prompt, the tools and what messages cost by themselves.
function mixOf({ context, view }) {
  const running = view.kinds.map(() => 0), now = [], series = view.kinds.map(() => []), rest = [];
  let next = 0, place = 0;
  for (let step = 0; step < view.came.length && step < context.length; step++) {
    for (const end = next + view.came[step]; next < end; next++) { now[next] = view.tokens[next]; running[view.kind[next]] += now[next]; }
    for (; place < view.changes.length && view.changes[place][0] <= step; place++) {
      const [, state, first, many, tokens] = view.changes[place];
      for (let index = first; index < first + many; index++) {
        const to = isShownState(state) ? tokens : 0;
        running[view.kind[index]] += to - now[index];
        now[index] = to;
      }
    }
    running.forEach((value, kind) => series[kind].push(value));
    rest.push(Math.max(0, context[step] - running.reduce((sum, value) => sum + value, 0)));
  }
  const sum = (list) => list.reduce((total, value) => total + value, 0);
  const kinds = series.map((values, kind) => ({ name: kindWords(view.kinds[kind]), values })).sort((a, b) => sum(b.values) - sum(a.values));
  const [large, small] = [kinds.slice(0, MIX_COLORS - 2), kinds.slice(MIX_COLORS - 2)];
  const others = small.length === 0 ? [] : [{ name: 'everything else', values: rest.map((_, step) => sum(small.map(({ values }) => values[step]))) }];
  return [{ name: 'system prompt, tools, frames', values: rest }, ...large, ...others];
}
const MIX_COLORS = 9;

function mixChart(run, open) {
  const mix = mixOf(run.d), steps = mix[0].values.length;
  const width = roomFor(1180), height = 240, left = 46, right = 12, top = 10, bottom = 22;
  const totals = mix[0].values.map((_, step) => mix.reduce((sum, { values }) => sum + values[step], 0));
  const most = totals.reduce((high, value) => Math.max(high, value), 1) * 1.05;
  const x = (step) => left + (step / steps) * (width - left - right);
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  const low = mix[0].values.map(() => 0);
  const bands = mix.map(({ values }, index) => {
    const up = values.map((value, step) => low[step] + value);
    const line = (list, order) => order.map((step) => (order === forth ? [x(step), x(step + 1)] : [x(step + 1), x(step)]).map((at) => at.toFixed(1) + ' ' + y(list[step]).toFixed(1)).join('L')).join('L');
    const forth = values.map((_, step) => step), back = [...forth].reverse();
    const path = svg('path', { d: 'M' + line(up, forth) + 'L' + line([...low], back) + 'Z', style: 'fill:var(--m' + index + ')' });
    up.forEach((value, step) => { low[step] = value; });
    return path;
  });
  const lines = [...ticks(most, 4).flatMap((value) => [svg('line', { class: 'axis', x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, short(value))]),
    ...ticks(steps, Math.min(8, width / 80)).filter((value) => Number.isInteger(value) && value < steps).map((value) => svg('text', { x: x(value + 0.5), y: height - 6, 'text-anchor': 'middle' }, String(value + 1)))];
  const cursorLine = svg('line', { class: 'cursor', y1: top, y2: height - bottom, style: 'display:none' });
  const canvas = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, 'aria-hidden': 'true', focusable: 'false' }, ...bands, ...lines, cursorLine);
  const tip = el('div', { class: 'tip', hidden: true });
  const plot = el('div', { class: 'plot', role: 'slider', tabindex: '0', 'aria-label': 'Composition by step', 'aria-valuemin': '1', 'aria-valuemax': String(steps) }, canvas, tip);
  let cursor = 0;
  function move(step) {
    cursor = Math.max(0, Math.min(steps - 1, step));
    const at = x(cursor + 0.5);
    cursorLine.setAttribute('x1', at);
    cursorLine.setAttribute('x2', at);
    const words = ['Step ' + (cursor + 1) + ': ' + count(run.d.context[cursor]) + ' tokens', ...mix.map(({ name, values }) => [name, values[cursor]]).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]).map(([name, value]) => shown(name) + ' ' + count(value))].join('\n');
    tip.textContent = words;
    plot.setAttribute('aria-valuenow', String(cursor + 1));
    plot.setAttribute('aria-valuetext', words);
    const seen = plot.clientWidth / width * at;
    tip.style.left = Math.max(0, seen > plot.clientWidth / 2 ? seen - tip.offsetWidth - 12 : Math.min(seen + 12, plot.clientWidth - tip.offsetWidth)) + 'px';
    tip.style.top = '6px';
  }
  const show = (isOn) => { tip.hidden = !isOn; cursorLine.style.display = isOn ? '' : 'none'; if (isOn) move(cursor); };
  const stepAt = (event) => { const box = canvas.getBoundingClientRect(); return Math.floor((((event.clientX - box.left) / box.width) * width - left) / (width - left - right) * steps); };
  const keys = { ArrowLeft: () => move(cursor - 1), ArrowRight: () => move(cursor + 1), PageUp: () => move(cursor - 10), PageDown: () => move(cursor + 10), Home: () => move(0), End: () => move(steps - 1), Enter: () => open(cursor), Escape: () => show(false) };
  plot.addEventListener('keydown', (event) => { if (!Object.hasOwn(keys, event.key)) return; event.preventDefault(); keys[event.key](); });
  plot.addEventListener('focus', () => show(true));
  plot.addEventListener('blur', () => show(false));
  plot.addEventListener('pointermove', (event) => { show(true); move(stepAt(event)); });
  plot.addEventListener('pointerleave', () => show(document.activeElement === plot));
  plot.addEventListener('click', (event) => open(Math.max(0, Math.min(steps - 1, stepAt(event)))));
  plot.setAttribute('aria-valuenow', '1');
  plot.setAttribute('aria-valuetext', 'Step 1');
  return { plot, canvas, mix };
}

// Composition over time of one of the runs that are drawn.
function mixBlock(session, runs) {
  const some = runs.filter((run) => run.d.view);
  const head = el('h2', {}, 'Composition by tool');
  if (some.length === 0) return [head, el('p', { class: 'soft' }, NO_VIEW)];
  const holder = el('div');
  let chart;
  function draw(run) {
    chart = mixChart(run, (step) => { location.hash = hrefOf(session, step, new URLSearchParams({ policy: groupName(run.g) })); });
    const key = chart.mix.map(({ name }, index) => el('span', { class: 'key' }, el('i', { style: 'background:var(--m' + index + ')' }), shown(name)));
    const details = el('details', {}, el('summary', {}, 'The same as a table'));
    details.addEventListener('toggle', () => {
      if (!details.open || details.children.length > 1) return;
      const columns = [{ title: 'Step', isNumber: true }, ...chart.mix.map(({ name }) => ({ title: name, isNumber: true }))];
      const rows = chart.mix[0].values.map((_, step) => [{ text: String(step + 1), value: step + 1, href: hrefOf(session, step) }, ...chart.mix.map(({ values }) => ({ text: count(values[step]), value: values[step] }))]);
      details.append(tableBlock({ caption: 'True tokens of each request by what they belong to', columns, rows, file: 'composition', isTall: true, onSort: () => undefined }).block);
    });
    holder.replaceChildren(el('figure', {}, chart.plot, el('figcaption', {}, ...key)), details);
  }
  draw(some[0]);
  const policies = some.map((run, index) => [String(index), titleOf(run, some)]);
  return [head, el('div', { class: 'bar' }, ...(some.length > 1 ? [choice(shown(groupTitle()), policies, '0', (index) => draw(some[index]))] : []),
    el('span', { class: 'push' }, button('SVG', () => saveSvg(chart.canvas, 'composition'), { 'aria-label': 'Save the composition as SVG' }))), holder];
}
`;
