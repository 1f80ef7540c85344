import pico from 'picocolors';
import { alignRows } from '../align-rows.ts';
import { type NumberColumn, numberColumns } from '../columns.ts';
import { wrapProse } from '../wrap-prose.ts';
import { byRank, describeLeftOut, fitColumns } from '../fit-columns.ts';
import { lostColumns } from '../lost.ts';
import { joinSections } from '../sections.ts';
import { shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import {
  describeDeadKnobs,
  describeProvenance,
  describeRuns,
  hasReferences,
  nameCell,
  nameTitles,
} from './sentences.ts';
import type { SweepCell, SweepFormat, SweepReport } from './sweep-report.ts';

type Rows = readonly (readonly string[])[];

/** The cells for a terminal. */
export const table: SweepFormat = {
  extension: '.txt',
  describes: 'The key numbers of each cell, for a terminal.',
  *render(report, _rows, { colors, terminalColumns }) {
    const paint = pico.createColors(colors);
    const prose = (text: string) =>
      terminalColumns === undefined ? shownText(text) : wrapProse(shownText(text), terminalColumns);
    const names = nameTitles(report).length;
    const fit = (rows: Rows, columns: readonly NumberColumn[]) =>
      fitColumns({ rows, terminalColumns, dispensable: byRank(columns, names) });
    const cells = fit([titles(report), ...report.cells.map(toRow)], numberColumns);
    const lost = fit(lostRows(report), lostColumns);
    const sections = [
      alignRows(cells.rows),
      lost.rows.length === 0 ? '' : `What was lost:\n${alignRows(lost.rows)}`,
      describeLeftOut([...cells.leftOut, ...lost.leftOut], terminalColumns),
      ...describeDeadKnobs(report).map((sentence) => paint.yellow(prose(sentence))),
      ...report.unread.map((unread) => paint.red(shownText(`Unread: ${describeUnread(unread)}`))),
      paint.dim(prose(describeRuns(report))),
      paint.dim(prose(describeProvenance(report.provenance))),
    ];
    yield joinSections(sections);
  },
};

function titles(report: SweepReport): readonly string[] {
  return [...nameTitles(report), ...numberColumns.map(({ title }) => title), 'Runs'];
}

/** Nothing where no run needed anything again. */
function lostRows(report: SweepReport): Rows {
  if (!hasReferences(report)) return [];
  const head = [...nameTitles(report), ...lostColumns.map(({ title }) => title)];
  const rows = report.cells.map((cell) => [
    ...nameCell(cell).map((name) => shownText(name)),
    ...lostColumns.map((column) => column.of(cell.metrics)),
  ]);
  return [head, ...rows];
}

function toRow(cell: SweepCell): readonly string[] {
  const numbers = numberColumns.map((column) => column.of(cell.metrics));
  const names = nameCell(cell).map((name) => shownText(name));
  return [...names, ...numbers, `${cell.completedRuns} of ${cell.runs}`];
}
