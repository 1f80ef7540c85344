import { sessionHref } from './address.js';
import { choice, colorKey, el, saveButton, unfolding } from './elements.js';
import { countCell } from './metric-table.js';
import { mixOf } from './mix.js';
import { mixChart } from './mix-chart.js';
import { groupName, groupTitle, runTitle } from './names.js';
import { saveSvg } from './save.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { RunView } from '../../saved/shapes.ts' */
/** @import { Share } from './mix.js' */
/** @import { DrawnRun } from './unpack.js' */

/** The sentence for a run whose requests are not known. */
export const NO_VIEW = 'What its requests showed was not saved; run again with this release.';

/** @typedef {{ readonly run: DrawnRun, readonly view: RunView }} ViewedRun A run whose requests are known. */

/**
 * Runs whose requests are known.
 * @param {readonly DrawnRun[]} runs
 * @returns {readonly ViewedRun[]}
 */
export function viewedRuns(runs) {
  return runs.flatMap((run) => (run.d.view === undefined ? [] : [{ run, view: run.d.view }]));
}

/**
 * A choice among runs, where there are several; the first is drawn already.
 * @param {PageData} report
 * @param {readonly ViewedRun[]} runs
 * @param {{ readonly label: string, readonly draw: (run: ViewedRun) => void }} use
 */
export function runChoice(report, runs, { label, draw }) {
  if (runs.length < 2) return [];
  const all = runs.map(({ run }) => run);
  const options = all.map(
    (run, index) => /** @type {const} */ ([String(index), runTitle(report, run, all)]),
  );
  const change = (/** @type {string} */ index) =>
    runs.slice(Number(index)).slice(0, 1).forEach(draw);
  return [choice(label, { options, value: '0' }, change)];
}

/**
 * Composition over time of one of the runs that are drawn.
 * @param {PageData} report
 * @param {number} session
 * @param {readonly DrawnRun[]} runs
 */
export function mixBlock(report, session, runs) {
  const some = viewedRuns(runs);
  const head = el('h2', {}, 'Composition by tool');
  const [first] = some;
  if (first === undefined) return [head, el('p', { class: 'soft' }, NO_VIEW)];
  const holder = el('div');
  let drawn = drawMix(report, session, first);
  const draw = (/** @type {ViewedRun} */ run) => {
    drawn = drawMix(report, session, run);
    holder.replaceChildren(...drawn.content);
  };
  holder.replaceChildren(...drawn.content);
  const save = saveButton('SVG', 'Save the composition as SVG', () =>
    saveSvg(drawn.canvas, 'composition'),
  );
  const label = shown(groupTitle(report));
  return [
    head,
    el('div', { class: 'bar' }, ...runChoice(report, some, { label, draw }), save),
    holder,
  ];
}

/**
 * @param {PageData} report
 * @param {number} session
 * @param {ViewedRun} viewed
 */
function drawMix(report, session, { run, view }) {
  const mix = mixOf(run.d, view);
  const hrefOf = (/** @type {number} */ step) =>
    sessionHref(report, { session, step, params: policyParams(report, [run]) });
  const { plot, canvas } = mixChart(mix, run.d.context, (step) => {
    location.hash = hrefOf(step);
  });
  const keys = mix.map(({ name }, index) =>
    colorKey({ style: `background:var(--m${index})` }, shown(name)),
  );
  const figure = el('figure', {}, plot, el('figcaption', {}, ...keys));
  return {
    canvas,
    content: [figure, unfolding(['The same as a table'], () => mixTable(mix, hrefOf))],
  };
}

/**
 * Which policies an address is about.
 * @param {PageData} report
 * @param {readonly DrawnRun[]} runs
 */
export function policyParams(report, runs) {
  return new URLSearchParams({ policy: runs.map(({ g }) => groupName(report, g)).join(',') });
}

/**
 * @param {readonly Share[]} mix
 * @param {(step: number) => string} hrefOf
 */
function mixTable(mix, hrefOf) {
  const columns = ['Step', ...mix.map(({ name }) => name)].map((title) => ({
    title,
    isNumber: true,
  }));
  const rows = (mix[0]?.values ?? []).map((_, step) => [
    { ...stepCell(step), href: hrefOf(step) },
    ...mix.map(({ values }) => countCell(values[step])),
  ]);
  const caption = 'True tokens of each request by what they belong to';
  const options = { caption, columns, rows, file: 'composition', isTall: true, onSort: () => {} };
  return tableBlock(options).block;
}

/** @param {number} step */
function stepCell(step) {
  return { text: String(step + 1), value: step + 1 };
}
