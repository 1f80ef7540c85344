import { unfolding } from './elements.js';
import { countCell } from './metric-table.js';
import { stepCell } from './moment-tables.js';
import { groupName, groupTitle } from './names.js';
import { requestAt } from './requests.js';
import { tableBlock } from './table.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { DrawnRun } from './unpack.js' */

const NUMBERS = /** @type {const} */ ([
  ['Turn', 'turn'],
  ['Context', 'context'],
  ['Cached', 'cached'],
  ['Written', 'written'],
  ['New', 'fresh'],
  ['Output', 'output'],
]);

/**
 * The tokens of every request, once somebody opens it.
 * @param {PageData} report
 * @param {number} session
 * @param {readonly DrawnRun[]} runs
 */
export function stepsTable(report, session, runs) {
  return unfolding(['Every step as a table'], () => {
    const columns = [
      { title: 'Step', isNumber: true },
      { title: groupTitle(report) },
      ...NUMBERS.map(([title]) => ({ title, isNumber: true })),
    ];
    const rows = runs.flatMap(({ g, d }) =>
      d.context.map((_, step) => {
        const request = requestAt(d, step);
        const numbers = NUMBERS.map(([, name]) => countCell(request[name]));
        return [stepCell(report, session, step), { text: groupName(report, g) }, ...numbers];
      }),
    );
    const caption = 'Tokens of every request';
    return tableBlock({ caption, columns, rows, file: 'steps', isTall: true }).block;
  });
}
