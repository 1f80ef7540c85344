import { armsBlock } from './arms.js';
import { compared, snippets } from './compared.js';
import { distances } from './distances.js';
import { el, factList, unfolding } from './elements.js';
import { heatMap } from './heat-map.js';
import { pointPlane } from './plane.js';
import { sessionCosts } from './session-costs.js';
import { sessionsTable } from './sessions-table.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';
import { totals } from './totals.js';

/** @import { PageData } from '../page-data.ts' */

/** Facts right below the verdict; who made the page stands before them. */
const FIRST_FACT = 1;
const LAST_FACT = 4;
/** Parameters of the tables behind the fold that an address keeps. */
const OF_THE_FOLD = ['filter', 'policy', 'sort'];

/**
 * The first view of a page.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function overview(report, params) {
  const facts = report.facts.slice(FIRST_FACT, LAST_FACT);
  const about = facts.map(({ label, value }) => `${label}: ${shown(value)}`).join(' · ');
  return [
    el('h1', {}, shown(report.title)),
    el('div', { class: 'verdict' }, ...report.verdict.map((one) => el('p', {}, unbroken(one)))),
    el('p', { class: 'soft' }, about),
    ...armsBlock(
      report,
      report.notes.map((note) => el('p', { class: 'note' }, shown(note))),
    ),
    ...snippets(report),
    ...pointPlane(report, params),
    ...compared(report, params),
    ...heatMap(report, params),
    ...sessionCosts(report, params),
    ...allMetrics(report, params),
    ...unreadTable(report),
    ...provenance(report),
  ];
}

/**
 * A sentence in which no number is broken from its sign of percent.
 * @param {string} text
 */
function unbroken(text) {
  return shown(text).replaceAll(' %', '\u00a0%');
}

/**
 * Every number, for those who open the fold or come from an address that names one of its tables.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
function allMetrics(report, params) {
  if (report.groups.length === 0) return [];
  const fold = unfolding(['All metrics and every run'], () =>
    el('div', {}, ...totals(report), ...distances(report), ...sessionsTable(report, params)),
  );
  fold.open = OF_THE_FOLD.some((name) => params.has(name));
  return [fold];
}

/** @param {PageData} report */
function unreadTable({ unread }) {
  if (unread.length === 0) return [];
  const table = tableBlock({
    caption: 'Inputs that could not be read',
    columns: [
      { title: 'File', className: 'name' },
      { title: 'Reason', className: 'words' },
    ],
    rows: unread.map(({ file, reason }) => [{ text: file }, { text: reason }]),
    file: 'unread',
  });
  return [el('h2', {}, 'Unread'), table.block];
}

/** @param {PageData} report */
function provenance({ facts, evidence }) {
  const fold = el(
    'details',
    {},
    el('summary', {}, 'Sources of the numbers'),
    factList(facts.map(({ label, value }) => [shown(label), shown(value)])),
    el('p', { class: 'soft' }, shown(evidence)),
  );
  return [fold];
}
