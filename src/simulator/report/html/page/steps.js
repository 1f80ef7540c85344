import { button, count, el, scrolled } from './elements.js';

/** @typedef {import('../../plots.ts').TimelineRun} TimelineRun */
/** @typedef {import('../../plots.ts').RunView} RunView */
/** @typedef {{ index: number, kind: string, state: number, tokens: number, text: number }} Part */
/** @typedef {{ sign: string, part: Part, before?: Part | undefined }} Change */

/** In the order of the numbers of `PART_STATES`. */
const STATES = ['kept', 'pruned', 'summarised', 'left the view', 're-injected', 'summary'];
const HIDDEN = [2, 3];
/** Rows of a table of parts. */
const MOST_PARTS = 200;
/** More rows are folded. */
const MOST_OPEN = 8;
const NO_TEXT = -1;

/** Words for kinds of moments. */
const KINDS = {
  overflow: 'overflow',
  prune: 'prune',
  pivot: 'compaction',
  summary: 'summary',
  refusal: 'refusal',
  failure: 'failure',
  miss: 'loss',
  lost: 'left the view',
  law: 'law broken',
  model: 'model',
  end: 'end',
};
const ZOOMS = /** @type {Readonly<Record<string, number>>} */ ({ '+': 0.5, '-': 2, 0: Infinity });

/**
 * The steps of some runs, one of which is shown below their chart.
 * @param {readonly TimelineRun[]} runs
 * @param {{ onStep: (step: number) => void, onZoom: (factor: number, step: number) => void }} chart
 */
export function createSteps(runs, { onStep, onZoom }) {
  const last = Math.max(1, ...runs.map(({ context }) => context.length));
  const facts = el('div', { class: 'facts', 'aria-live': 'polite' });
  const range = /** @type {HTMLInputElement} */ (
    el('input', { type: 'range', min: '1', max: String(last), value: '1', 'aria-label': 'Step' })
  );
  const words = el('output', {});
  const fill = (/** @type {number} */ at) => {
    range.value = String(at);
    range.setAttribute(
      'aria-valuetext',
      `Step ${at}: ${runs.map((run) => describe(run, at - 1)).join('; ')}`,
    );
    words.textContent = `Step ${at} of ${last}`;
    facts.replaceChildren(...runs.map((run) => factsOf(run, at - 1)));
  };
  const show = (/** @type {number} */ step) => {
    const at = Math.min(last, Math.max(1, step));
    fill(at);
    onStep(at);
  };
  range.addEventListener('input', () => show(Number(range.value)));
  range.addEventListener('keydown', ({ key }) => {
    const factor = ZOOMS[key];
    if (factor !== undefined) onZoom(factor, Number(range.value));
  });
  const element = el(
    'div',
    { class: 'steps' },
    el(
      'p',
      { class: 'stepper' },
      words,
      range,
      button('Zoom in', () => onZoom(0.5, Number(range.value))),
      button('Zoom out', () => onZoom(Infinity, 1)),
    ),
    facts,
    ...momentsTable(runs, show),
  );
  fill(1);
  return { element, show };
}

/**
 * A run at a step, in a line.
 * @param {TimelineRun} run
 * @param {number} step
 */
export function describe({ name, context, cached, moments }, step) {
  if (context[step] === undefined) return `${name}: ended`;
  const from = cached === undefined ? '' : `, ${count(cached[step])} cached`;
  const happened = moments.filter(([at]) => at === step).map(([, kind]) => KINDS[kind]);
  return [`${name}: ${count(context[step])} tokens${from}`, ...new Set(happened)].join(' · ');
}

/** @param {TimelineRun} run @param {number} step */
function factsOf({ name, usable, context, cached, written, output, flags, moments, view }, step) {
  const size = context[step];
  const title = el('h2', {}, name);
  if (size === undefined) return el('section', {}, title, el('p', {}, 'It has no such step.'));
  const [fromCache, toCache] = [cached?.[step] ?? 0, written?.[step] ?? 0];
  const numbers = [
    `Context ${count(size)}${usable === null ? '' : ` of ${count(usable)} usable`}`,
    ...(cached === undefined
      ? []
      : [
          `cached ${count(fromCache)}`,
          `written to the cache ${count(toCache)}`,
          `new ${count(size - fromCache - toCache)}`,
          `output ${count(output?.[step])}`,
        ]),
    ...(flags?.[step] === undefined ? [] : [flags[step]]),
  ];
  const happened = moments.filter(([at]) => at === step);
  return el(
    'section',
    {},
    title,
    el('p', {}, `${numbers.join(' · ')}.`),
    el('ul', {}, ...happened.map(([, kind, said]) => el('li', { class: kind }, said))),
    ...(view === undefined ? [] : partsOf(view, { step, name })),
  );
}

/** @param {readonly TimelineRun[]} runs @param {(step: number) => void} show */
function momentsTable(runs, show) {
  const all = runs.flatMap(({ name, moments }) => moments.map((moment) => ({ name, moment })));
  if (all.length === 0) return [];
  all.sort((a, b) => a.moment[0] - b.moment[0]);
  const rows = all.map(({ name, moment: [step, kind, said] }) =>
    el(
      'tr',
      {},
      el(
        'th',
        { scope: 'row', class: 'number' },
        button(String(step + 1), () => show(step + 1)),
      ),
      el('td', {}, name),
      el('td', { class: kind }, KINDS[kind]),
      el('td', {}, said),
    ),
  );
  const caption = `${count(all.length)} moments`;
  const titles = ['Step', 'Under', 'What', 'In words'];
  return [scrolled({ label: 'Moments', name: 'scroll moments', caption }, titles, rows)];
}

/**
 * The content of a request by kind, and the parts that it shows otherwise than the one before.
 * @param {RunView} view
 * @param {{ step: number, name: string }} of
 */
function partsOf(view, { step, name }) {
  const parts = partsAt(view, step);
  const before = step === 0 ? [] : partsAt(view, step - 1);
  const changes = parts.flatMap((part) => changeOf(part, before[part.index]));
  const shown = changes.slice(0, MOST_PARTS);
  const [came, went, changed] = ['+', '−', '~'].map(
    (sign) => changes.filter((one) => one.sign === sign).length,
  );
  const since = `parts that came ${came}, that went ${went}, that changed ${changed}`;
  return [
    el('p', {}, `In the request: ${mixOf(parts)}.`),
    el('p', {}, `Since the request before: ${since}.`),
    ...(shown.length === 0 ? [] : [tableOf(view, shown, name)]),
  ];
}

/**
 * Every part that has come by a step, as it is there.
 * @param {RunView} view
 * @param {number} step
 * @returns {Part[]}
 */
function partsAt({ kinds, kind, tokens, came, changes, texts }, step) {
  const known = came.slice(0, step + 1).reduce((sum, many) => sum + many, 0);
  const parts = Array.from({ length: known }, (_, index) => ({
    index,
    kind: (kinds[kind[index] ?? 0] ?? '').replace(/^tool /, ''),
    state: 0,
    tokens: tokens[index] ?? 0,
    text: texts?.parts[index] ?? NO_TEXT,
  }));
  changes.forEach(([at, state, first, many, size], place) => {
    if (at > step) return;
    const text = texts?.changes[place] ?? NO_TEXT;
    for (const part of parts.slice(first, first + many)) {
      Object.assign(part, { state, tokens: size }, text === NO_TEXT ? {} : { text });
    }
  });
  return parts;
}

/** @param {Part} part @param {Part | undefined} before @returns {Change[]} */
function changeOf(part, before) {
  const isShown = !HIDDEN.includes(part.state);
  if (before === undefined || HIDDEN.includes(before.state)) {
    return isShown ? [{ sign: '+', part }] : [];
  }
  if (!isShown) return [{ sign: '−', part, before }];
  const isSame = before.tokens === part.tokens && before.state === part.state;
  return isSame ? [] : [{ sign: '~', part, before }];
}

/** @param {readonly Part[]} parts */
function mixOf(parts) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { kind, state, tokens } of parts) {
    if (!HIDDEN.includes(state)) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
  }
  const sorted = [...sums].toSorted(([, a], [, b]) => b - a);
  return sorted.map(([kind, tokens]) => `${kind} ${count(tokens)}`).join(', ') || 'nothing';
}

/** @param {RunView} view @param {readonly Change[]} changes @param {string} name */
function tableOf({ texts }, changes, name) {
  const rows = changes.map(({ sign, part, before }) => {
    const said = texts?.pool[(sign === '−' ? before?.text : part.text) ?? NO_TEXT];
    const size = before === undefined ? '' : `${count(before.tokens)} → `;
    return el(
      'tr',
      {},
      el('th', { scope: 'row' }, `${sign} #${part.index + 1}`),
      el('td', {}, part.kind),
      el('td', {}, STATES[part.state] ?? ''),
      el('td', { class: 'number' }, `${size}${count(part.tokens)}`),
      el('td', {}, ...(said === undefined ? [] : [textOf(said)])),
    );
  });
  const titles = ['Part', 'Kind', 'State', 'Tokens', 'Text'];
  const table = scrolled({ label: `Parts that changed: ${name}` }, titles, rows);
  if (rows.length <= MOST_OPEN) return table;
  return el('details', {}, el('summary', {}, 'Parts that changed'), table);
}

/** @param {string} said */
function textOf(said) {
  const summary = el('summary', {}, said.replaceAll(/\s+/g, ' ').slice(0, 60) || 'empty');
  return el('details', {}, summary, el('pre', { tabindex: '0' }, said));
}
