import { groupName } from './names.js';
import { count, duration } from './numbers.js';
import { pauseAt, requestAt } from './requests.js';

/** @import { MomentKind, PageData, RunDetail, STEP_FLAGS } from '../page-data.ts' */
/** @import { DrawnRun } from './unpack.js' */

/** @typedef {MomentKind | 'cold'} Kind */

/**
 * @typedef {object} Happening Something worth a mark.
 * @property {number} step
 * @property {Kind} kind
 * @property {string} words
 * @property {readonly string[]} ids Of what it happened to.
 */

/**
 * The kinds of a step, to be added up.
 * @type {typeof STEP_FLAGS}
 */
export const FLAGS = { opensTurn: 1, isCold: 2, isReread: 4, breaksPrefix: 8 };

/**
 * The kind of a moment, in words.
 * @type {Readonly<Record<Kind, string>>}
 */
export const KIND_WORDS = {
  overflow: 'overflow',
  prune: 'prune',
  pivot: 'compaction',
  summary: 'summary',
  refusal: 'refusal',
  failure: 'failure',
  miss: 'loss',
  lost: 'removal',
  law: 'law',
  model: 'model',
  end: 'end',
  cold: 'idle gap',
};

/**
 * The moments of a run, and where nothing was left in the cache.
 * @param {RunDetail} detail
 * @returns {readonly Happening[]}
 */
export function momentsOf(detail) {
  const told = detail.moments.map(([step, kind, words, ids = []]) => ({ step, kind, words, ids }));
  return [...told, ...coldMoments(detail)];
}

/**
 * @param {RunDetail} detail
 * @returns {readonly Happening[]}
 */
function coldMoments(detail) {
  return detail.flags.flatMap((flags, step) =>
    (flags & FLAGS.isCold) === 0
      ? []
      : [{ step, kind: 'cold', words: coldWords(pauseAt(detail, step)), ids: [] }],
  );
}

/** @param {number} [pauseMs] */
function coldWords(pauseMs) {
  const gap = pauseMs === undefined ? 'Idle gap' : `Idle gap of ${duration(pauseMs)}`;
  return `${gap}: nothing of the session was left in the cache.`;
}

/**
 * The moment, with the rule of the policy that led to it.
 * @param {PageData} report
 * @param {DrawnRun} run
 * @param {Happening} moment
 */
export function momentWords(report, run, { kind, words }) {
  const rule = kind === 'cold' ? undefined : report.groups[run.g]?.rules?.[kind];
  return rule === undefined ? words : `${words} [${rule}]`;
}

/**
 * How long the session paused before a step, which is the same under every policy.
 * @param {readonly DrawnRun[]} runs
 * @param {number} step
 */
export function pauseLines(runs, step) {
  const cold = runs.flatMap(({ d }) => coldMoments(d)).find((moment) => moment.step === step);
  if (cold !== undefined) return [cold.words];
  const pause = runs.map(({ d }) => pauseAt(d, step)).find((one) => one !== undefined);
  if (pause === undefined || step === 0) return [];
  return [`Sent ${duration(pause)} after the previous request`];
}

/**
 * A step of a run in lines.
 * @param {PageData} report
 * @param {DrawnRun} run
 * @param {number} step
 */
export function stepLines(report, run, step) {
  const { context, cached, written, fresh } = requestAt(run.d, step);
  const stack = `cached ${count(cached)}, written ${count(written)}, new ${count(fresh)}`;
  const moments = momentsOf(run.d).filter(({ step: at, kind }) => at === step && kind !== 'cold');
  return [
    `${groupName(report, run.g)}: context ${count(context)} (${stack})`,
    ...moments.map((moment) => momentWords(report, run, moment)),
  ];
}
