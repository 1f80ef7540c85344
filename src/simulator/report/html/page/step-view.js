import { sessionHref } from './address.js';
import { chosenRuns } from './chosen-runs.js';
import { el } from './elements.js';
import { NO_VIEW, runChoice, viewedRuns } from './mix-block.js';
import { momentsOf } from './moments.js';
import { fitParts, partsAt } from './parts.js';
import { partsTable, summaryBlock } from './parts-table.js';
import { sessionName } from './names.js';
import { drawnRuns, mostSteps } from './requests.js';
import { brokenAtSlashes } from './path-name.js';
import { diffBlock } from './step-changes.js';
import { stepFacts } from './step-facts.js';
import { stripBlock } from './parts-strip.js';
import { runsOf } from './unpack.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { ViewedRun } from './mix-block.js' */
/** @import { DrawnRun } from './unpack.js' */

const WITH_TEXTS = 'With texts, as kept by its run.';
const WITHOUT_TEXTS =
  'Sizes and states only: this page holds no text of the session (run --with-text SESSION keeps them).';

/** @typedef {{ readonly session: number, readonly step: number }} StepPlace */

/**
 * One step of a session: its numbers, what happened, and what its request showed.
 * @param {PageData} report
 * @param {StepPlace} place
 * @param {URLSearchParams} params
 */
export function stepView(report, { session, step }, params) {
  const drawn = chosenRuns(report, drawnRuns(runsOf(report, session)), params);
  const runs = drawn.filter(({ d }) => step < d.context.length);
  const hrefOf = (/** @type {number | undefined} */ to) =>
    sessionHref(report, { session, ...(to !== undefined && { step: to }), params });
  const back = el(
    'a',
    { href: hrefOf(undefined) },
    '← ',
    ...brokenAtSlashes(sessionName(report, session)),
  );
  const missing = el('p', { class: 'note' }, 'This page has no such step.');
  if (runs.length === 0) return [el('h1', {}, `Step ${step + 1}`), el('p', {}, back), missing];
  const steps = mostSteps(runs);
  const links = [...neighbours(step, steps, hrefOf), ...nearMoments(step, runs, hrefOf)];
  return [
    el('h1', {}, `Step ${step + 1} of ${steps}`),
    el('p', {}, back),
    el('nav', { class: 'bar', 'aria-label': 'Steps' }, ...links),
    el('div', { class: 'columns' }, ...runs.map((run) => stepFacts(report, run, step))),
    ...viewOfStep(report, { session, step }, runs),
  ];
}

/** @typedef {(step: number) => string} HrefOf */

/**
 * @param {number} step
 * @param {number} steps
 * @param {HrefOf} hrefOf
 */
function neighbours(step, steps, hrefOf) {
  const link = (/** @type {number} */ to, /** @type {string} */ words) =>
    to >= 0 && to < steps
      ? el('a', { href: hrefOf(to) }, words)
      : el('span', { class: 'soft' }, words);
  return [link(step - 1, '‹ previous step'), link(step + 1, 'next step ›')];
}

/**
 * @param {number} step
 * @param {readonly DrawnRun[]} runs
 * @param {HrefOf} hrefOf
 */
function nearMoments(step, runs, hrefOf) {
  const moments = runs.flatMap(({ d }) => momentsOf(d).filter(({ kind }) => kind !== 'end'));
  const steps = [...new Set(moments.map((moment) => moment.step))].toSorted((a, b) => a - b);
  const link = (/** @type {number | undefined} */ to, /** @type {string} */ words) =>
    to === undefined ? [] : [el('a', { href: hrefOf(to) }, `${words} (${to + 1})`)];
  return [
    ...link(
      steps.findLast((one) => one < step),
      '« previous event',
    ),
    ...link(
      steps.find((one) => one > step),
      'next event »',
    ),
  ];
}

/**
 * The view of the model at a step under one of the policies.
 * @param {PageData} report
 * @param {StepPlace} place
 * @param {readonly DrawnRun[]} runs
 */
function viewOfStep(report, { session, step }, runs) {
  const some = viewedRuns(runs).filter(({ view }) => step < view.came.length);
  const [first] = some;
  if (first === undefined) {
    return [el('h2', {}, 'What the model sees'), el('p', { class: 'soft' }, NO_VIEW)];
  }
  const holder = el('div');
  const draw = (/** @type {ViewedRun} */ run) =>
    holder.replaceChildren(...viewOfRun(report, { session, step }, run));
  draw(first);
  const choices = runChoice(report, some, { label: 'What the model sees under', draw });
  return [...choices.map((one) => el('div', { class: 'bar spaced' }, one)), holder];
}

/**
 * @param {PageData} report
 * @param {StepPlace} place
 * @param {ViewedRun} viewed
 */
function viewOfRun(report, { session, step }, { run, view }) {
  const parts = partsAt(view, step);
  return [
    el('h2', {}, 'What changed since the previous request'),
    diffBlock(view, step),
    el('h2', {}, 'The view, part by part'),
    stripBlock(run, step, fitParts(run.d, step, parts)),
    ...summaryBlock(view, parts),
    partsTable(report, session, { view, parts }),
    el('p', { class: 'soft' }, view.texts === undefined ? WITHOUT_TEXTS : WITH_TEXTS),
  ];
}
