import { keep, sessionHref } from './address.js';
import { chosenRuns } from './chosen-runs.js';
import { button, colorKey, el } from './elements.js';
import { mixBlock, policyParams } from './mix-block.js';
import { momentTables } from './moment-tables.js';
import { colorOf, groupName, groupTitle, runTitle } from './names.js';
import { drawnRuns } from './requests.js';
import { saveSvg } from './save.js';
import { sawtooth } from './sawtooth.js';
import { shown } from './shown.js';
import { stepsTable } from './steps-table.js';
import { swatch } from './swatch.js';

/** @import { PageData, PageRun } from '../page-data.ts' */
/** @import { DrawnRun } from './unpack.js' */

const NO_TIMELINE =
  'No timeline: the events of this session are not in this page (run --events FILE, then report FILE).';
const HELP =
  'Arrow keys move by steps, + and − zoom, 0 shows all, Enter opens the step; or drag to zoom and click. Dots mark the step after which something happened.';

const STACK_KEYS = /** @type {const} */ ([
  ['cached', 'read from the cache'],
  ['written', 'written to it'],
  ['fresh', 'neither'],
]);

/** @typedef {{ readonly session: number, readonly runs: readonly PageRun[] }} Replayed A session with its runs. */
/** @typedef {{ readonly session: number, readonly runs: readonly DrawnRun[] }} Drawn A session with some of its runs, whose steps are known. */

/**
 * The steps of a session under policies that can be ticked.
 * @param {PageData} report
 * @param {Replayed} replayed
 * @param {URLSearchParams} params
 */
export function timeline(report, { session, runs }, params) {
  const drawn = drawnRuns(runs);
  if (drawn.length === 0)
    return [el('p', { class: 'note' }, shown(report.noTimeline ?? NO_TIMELINE))];
  const holder = el('div');
  const draw = (/** @type {readonly DrawnRun[]} */ some) =>
    holder.replaceChildren(...drawRuns(report, { session, runs: some }));
  const chosen = chosenRuns(report, drawn, params);
  const legend = el('legend', {}, shown(groupTitle(report)));
  const ticked = runToggles(report, { all: drawn, chosen }, draw);
  draw(chosen);
  return [el('h2', {}, 'Context per step'), el('fieldset', {}, legend, ...ticked), holder];
}

/**
 * Boxes by which runs are chosen; one always is, and the address keeps them.
 * @param {PageData} report
 * @param {{ readonly all: readonly DrawnRun[], readonly chosen: readonly DrawnRun[] }} offered
 * @param {(runs: readonly DrawnRun[]) => void} draw
 */
function runToggles(report, { all, chosen: first }, draw) {
  let chosen = first;
  return all.map((run) => {
    const change = () => {
      const others = chosen.filter((other) => other !== run);
      if (!box.checked && others.length === 0) {
        box.checked = true;
        return;
      }
      chosen = box.checked ? [...others, run] : others;
      keep('policy', policyParams(report, chosen).get('policy') ?? '');
      draw(chosen);
    };
    const box = el('input', { type: 'checkbox', checked: chosen.includes(run), on: { change } });
    return el('label', {}, box, swatch(colorOf(run.g)), shown(runTitle(report, run, all)));
  });
}

/**
 * @param {PageData} report
 * @param {Drawn} drawn
 */
function drawRuns(report, { session, runs }) {
  return [
    ...drawTimeline(report, { session, runs }),
    ...mixBlock(report, session, runs),
    ...momentTables(report, session, runs),
    stepsTable(report, session, runs),
  ];
}

/**
 * @param {PageData} report
 * @param {Drawn} drawn
 */
function drawTimeline(report, { session, runs }) {
  const params = policyParams(report, runs);
  const { plot, canvas, closer, wider, whole } = sawtooth(report, runs, (step) => {
    location.hash = sessionHref(report, { session, step, params });
  });
  const keys = STACK_KEYS.map(([name, words]) =>
    colorKey({ style: `background:var(--${name})` }, words),
  );
  const save = () => saveSvg(canvas, report.sessions[session] ?? '');
  const buttons = [
    button('Zoom in', closer),
    button('Zoom out', wider),
    button('Show all', whole),
    button('SVG', save, { 'aria-label': 'Save the timeline as SVG' }),
  ];
  const stacked = shown(groupName(report, runs[0]?.g ?? 0));
  const caption = `Context of each request in true tokens; the stack is for ${stacked}. ${HELP}`;
  return [
    el('div', { class: 'bar' }, ...keys, el('span', { class: 'push' }, ...buttons)),
    el('figure', {}, plot, el('figcaption', {}, caption)),
  ];
}
