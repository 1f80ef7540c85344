import { codeSpan, markdownTable } from '../code-span.ts';
import { type NumberColumn, numberColumns } from '../columns.ts';
import { lostColumns } from '../lost.ts';
import { joinMarkdown, markdownList } from '../sections.ts';
import { describeUnread } from '../unread.ts';
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
import type { SweepFormat, SweepReport } from './sweep-report.ts';

/** A report to be read, commented on and kept. */
export const markdown: SweepFormat = {
  extension: '.md',
  describes:
    'A report to read: the key numbers of each cell, what was lost, dead knobs, provenance.',
  *render(report) {
    const about = [describeCommon(report), describeProvenance(report.provenance)];
    yield joinMarkdown([
      ['# Sweep'],
      [describeRuns(report)],
      renderCells(report, numberColumns),
      ...renderLost(report),
      markdownList('Dead knobs', describeDeadKnobs(report), '##'),
      markdownList('Failed', describeFailed(report).map(codeSpan), '##'),
      markdownList('Unread', report.unread.map(describeUnread).map(codeSpan), '##'),
      markdownList('Provenance', about.map(codeSpan), '##'),
    ]);
  },
};

function renderCells(report: SweepReport, columns: readonly NumberColumn[]): readonly string[] {
  const names = nameTitles(report);
  const titles = [...names.map(codeSpan), 'Runs', ...columns.map(({ title }) => title)];
  const rows = report.cells.map((cell) => [
    ...nameCell(cell).map(codeSpan),
    `${cell.completedRuns} of ${cell.runs}`,
    ...columns.map((column) => column.of(cell.metrics)),
  ]);
  const isNumber = titles.map((_, index) => index >= names.length);
  return markdownTable(titles, rows, isNumber);
}

/** Nothing where no run needed anything again. */
function renderLost(report: SweepReport): readonly (readonly string[])[] {
  return hasReferences(report) ? [['## What was lost'], renderCells(report, lostColumns)] : [];
}
