import pico from 'picocolors';
import { numberColumns } from '../columns.ts';
import { tableSections } from '../fit-columns.ts';
import { lostColumns } from '../lost.ts';
import type { Terminal } from '../report.ts';
import { joinSections } from '../sections.ts';
import { shownText } from '../shown-text.ts';
import type { Column, TextTable } from '../text-table.ts';
import { describeUnread } from '../unread.ts';
import { fitProse } from '../wrap-prose.ts';
import {
  describeCommon,
  describeDeadKnobs,
  describeFailed,
  describeProvenance,
  describeRuns,
  hasReferences,
  nameCell,
  nameTitles,
} from './sentences.ts';
import type { SweepCell, SweepFormat, SweepReport } from './sweep-report.ts';

/** Told behind the cost, and before all else. */
const RUNS: Column = { title: 'Runs', rank: 1 };

/** The cells for a terminal. */
export const table: SweepFormat = {
  extension: '.txt',
  describes: 'The key numbers of each cell, for a terminal.',
  *render(report, _rows, terminal) {
    const paint = pico.createColors(terminal.colors);
    const prose = (text: string) => fitProse(shownText(text), terminal);
    yield joinSections([
      ...tableSections(toTable(report), terminal, 'markdown'),
      ...lostSections(report, terminal),
      ...describeDeadKnobs(report).map((sentence) => paint.yellow(prose(sentence))),
      ...describeFailed(report).map((reason) => paint.red(prose(`Failed: ${reason}`))),
      ...report.unread.map((unread) => paint.red(prose(`Unread: ${describeUnread(unread)}`))),
      paint.dim(prose(describeRuns(report))),
      paint.dim(prose(`${describeCommon(report)} ${describeProvenance(report.provenance)}`)),
    ]);
  },
};

function toTable(report: SweepReport): TextTable {
  const columns = [...nameColumns(report), ...numberColumns, RUNS];
  return { columns, rows: report.cells.map(toRow) };
}

/** Nothing where no run needed anything again. */
function lostSections(report: SweepReport, terminal: Terminal): readonly string[] {
  if (!hasReferences(report)) return [];
  const columns = [...nameColumns(report), ...lostColumns];
  const rows = report.cells.map((cell) => [
    ...nameCell(cell).map((name) => shownText(name)),
    ...lostColumns.map((column) => column.of(cell.metrics)),
  ]);
  const [text, note] = tableSections({ columns, rows }, terminal, 'markdown');
  return [`What was lost:\n${text}`, note];
}

function nameColumns(report: SweepReport): readonly Column[] {
  return nameTitles(report).map((title) => ({ title }));
}

function toRow(cell: SweepCell): readonly string[] {
  const numbers = numberColumns.map((column) => column.of(cell.metrics));
  const names = nameCell(cell).map((name) => shownText(name));
  return [...names, ...numbers, `${cell.completedRuns} of ${cell.runs}`];
}
