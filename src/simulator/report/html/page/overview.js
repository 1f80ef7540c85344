import { compared, snippets } from './compared.js';
import { differences } from './differences.js';
import { distances } from './distances.js';
import { el, factList } from './elements.js';
import { heatMap } from './heat-map.js';
import { groupPlane, pointPlane } from './plane.js';
import { sessionsTable } from './sessions-table.js';
import { shown } from './shown.js';
import { tableBlock } from './table.js';
import { totals } from './totals.js';

/** @import { PageData } from '../page-data.ts' */

/** Facts right below the title; who made the page stands before them. */
const FIRST_FACT = 1;
const LAST_FACT = 4;

/**
 * The first view of a page.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function overview(report, params) {
  const facts = report.facts.slice(FIRST_FACT, LAST_FACT);
  return [
    el('h1', {}, shown(report.title)),
    el(
      'p',
      { class: 'soft' },
      facts.map(({ label, value }) => `${label}: ${shown(value)}`).join(' · '),
    ),
    ...report.notes.map((note) => el('p', { class: 'note' }, shown(note))),
    ...snippets(report),
    ...pointPlane(report, params),
    ...compared(report, params),
    ...totals(report),
    ...differences(report),
    ...distances(report),
    ...groupPlane(report, params),
    ...heatMap(report, params),
    ...sessionsTable(report, params),
    ...unreadTable(report),
    ...provenance(report),
  ];
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
  return [
    el('h2', {}, 'Sources of the numbers'),
    factList(facts.map(({ label, value }) => [shown(label), shown(value)])),
    el('p', { class: 'soft' }, shown(evidence)),
  ];
}
