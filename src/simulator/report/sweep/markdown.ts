import { codeSpan, markdownTable } from '../code-span.ts';
import { type NumberColumn, numberColumns } from '../columns.ts';
import { lostColumns } from '../lost.ts';
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
    const lines = [
      '# Sweep',
      '',
      describeRuns(report),
      '',
      ...renderCells(report, numberColumns),
      ...renderLost(report),
      ...section('## Dead knobs', describeDeadKnobs(report)),
      ...section('## Failed', describeFailed(report).map(codeSpan)),
      ...section('## Unread', report.unread.map(describeUnread).map(codeSpan)),
      ...section('## Provenance', [
        codeSpan(describeCommon(report)),
        codeSpan(describeProvenance(report.provenance)),
      ]),
    ];
    yield `${lines.join('\n')}\n`;
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
function renderLost(report: SweepReport): readonly string[] {
  return hasReferences(report)
    ? ['', '## What was lost', '', ...renderCells(report, lostColumns)]
    : [];
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : ['', title, '', ...items.map((item) => `- ${item}`)];
}
