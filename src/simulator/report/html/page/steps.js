import { button, count, el, scrolled } from './elements.js';
import { partsOf } from './parts.js';

/** @typedef {import('../../plots.ts').TimelineRun} TimelineRun */

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

/**
 * @param {TimelineRun} run
 * @param {number} step
 */
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

/**
 * @param {readonly TimelineRun[]} runs
 * @param {(step: number) => void} show
 */
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
