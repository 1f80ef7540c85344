import { kindWords, partScale } from './parts.js';

/** @import { RunDetail } from '../page-data.ts' */
/** @import { RunView } from '../../saved/shapes.ts' */

/** Kinds beside the two that are everything else; what is more has no colour. */
const MOST_KINDS = 7;

/** @typedef {{ readonly name: string, readonly values: readonly number[] }} Share Tokens of something at every step. */

/**
 * The tokens of every request by what they belong to, the largest kinds by themselves. What is in no part is the system
 * prompt, the tools, and what messages cost by themselves; kinds are scaled to the measured context.
 * @param {Pick<RunDetail, 'context' | 'base'>} detail
 * @param {RunView} view
 * @returns {readonly Share[]}
 */
export function mixOf(detail, view) {
  const { context } = detail;
  const steps = Math.min(view.came.length, context.length);
  const sums = sumsByKind(view, steps);
  const scales = Array.from({ length: steps }, (_, step) =>
    partScale(detail, step, sumOf(sums.map((values) => values[step] ?? 0))),
  );
  const kinds = sums
    .map((values) => values.map((tokens, step) => tokens * (scales[step] ?? 1)))
    .map((values, kind) => ({ name: kindWords(view.kinds[kind] ?? ''), values }))
    .toSorted((a, b) => sumOf(b.values) - sumOf(a.values));
  const others = kinds.slice(MOST_KINDS);
  const inParts = addUp(kinds, steps);
  const frames = inParts.map((sum, step) => Math.max(0, (context[step] ?? 0) - sum));
  return [
    { name: 'system prompt, tools, frames', values: frames },
    ...kinds.slice(0, MOST_KINDS),
    ...(others.length === 0 ? [] : [{ name: 'everything else', values: addUp(others, steps) }]),
  ];
}

/**
 * Shares taken together, step by step.
 * @param {readonly Share[]} shares
 * @param {number} steps
 */
export function addUp(shares, steps) {
  return Array.from({ length: steps }, (_, step) =>
    sumOf(shares.map(({ values }) => values[step] ?? 0)),
  );
}

/** @param {readonly number[]} values */
function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * For each kind its tokens at every step. Each part and each change is looked at once.
 * @param {RunView} view
 * @param {number} steps
 */
function sumsByKind(view, steps) {
  const running = createRunning(view);
  /** @type {number[][]} */
  const sums = view.kinds.map(() => []);
  for (let step = 0; step < steps; step++) {
    running.moveTo(step);
    sums.forEach((list, kind) => list.push(running.sums[kind] ?? 0));
  }
  return sums;
}

/** @param {RunView} view */
function createRunning({ kinds, kind, tokens, came, changes }) {
  const sums = kinds.map(() => 0);
  /** @type {number[]} */
  const sizes = [];
  let place = 0;
  const resize = (/** @type {number} */ index, /** @type {number} */ size) => {
    const own = kind[index] ?? 0;
    sums[own] = (sums[own] ?? 0) + size - (sizes[index] ?? 0);
    sizes[index] = size;
  };
  function moveTo(/** @type {number} */ step) {
    const end = sizes.length + (came[step] ?? 0);
    while (sizes.length < end) resize(sizes.length, tokens[sizes.length] ?? 0);
    for (let next = changes[place]; next !== undefined && next[0] <= step; next = changes[place]) {
      const [, , first, many, size] = next;
      for (let index = first; index < first + many; index++) resize(index, size);
      place += 1;
    }
  }
  return { sums, moveTo };
}
