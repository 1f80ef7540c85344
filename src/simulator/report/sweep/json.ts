import { shownLines } from '../shown-text.ts';
import { countRows } from './row-counts.ts';
import type { SweepFormat, SweepRow } from './sweep-report.ts';

const INDENT = 2;

/**
 * The whole sweep as one JSON document, for programs: cells, then a row for each session in each of them. One that is
 * not finished has the number of its `missingRows`.
 */
export const json: SweepFormat = {
  extension: '.json',
  describes: 'Everything, for programs: provenance, dead knobs, every cell, every row.',
  *render(report, rows) {
    const { schemaVersion, provenance, deadKnobs, knobs, cells, failures, unread } = report;
    const { missing } = countRows(report);
    const lack = missing > 0 ? { missingRows: missing } : {};
    const head = { schemaVersion, provenance, ...lack, deadKnobs, knobs, cells, failures, unread };
    const text = JSON.stringify(head, null, INDENT);
    yield shownLines(`${text.slice(0, text.lastIndexOf('\n'))},\n  "sessions": [`);
    yield* renderRows(rows);
    yield '\n  ]\n}\n';
  },
};

function* renderRows(rows: Iterable<SweepRow>): Generator<string, void, void> {
  let separator = '\n    ';
  for (const row of rows) {
    yield shownLines(`${separator}${JSON.stringify(row)}`);
    separator = ',\n    ';
  }
}
