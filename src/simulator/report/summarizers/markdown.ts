import { codeSpan, markdownTable } from '../code-span.ts';
import { spreadCell } from './spread-cell.ts';
import { FACT_KINDS } from '../../session/facts.ts';
import { UNKNOWN } from '../numbers.ts';
import { joinMarkdown, markdownList } from '../sections.ts';
import { type Column, titlesOf } from '../text-table.ts';
import { describeUnread } from '../unread.ts';
import {
  ARM_COLUMNS,
  armRows,
  baseOf,
  DIFFERENCE_COLUMNS,
  differenceRows,
  failureLines,
  provenanceLines,
} from './lines.ts';
import { DECAY_NOTE, decayRows, decayColumns } from './decay-report.ts';
import {
  LOSS_COLUMNS,
  lossRows,
  panelLines,
  PROBE_KIND_COLUMNS,
  PROBE_COLUMNS,
  probeKindRows,
  probeRows,
} from './probes-report.ts';
import type { SummarizersReport } from './summarizers-report.ts';

/** The comparison for a pull request: names from outside stand in code spans, where nothing is obeyed. */
export function renderSummarizersMarkdown(report: SummarizersReport): string {
  const base = baseOf(report);
  const sections = [
    ['## Summarizers compared'],
    tableOf(ARM_COLUMNS, armRows(report)),
    base === undefined
      ? []
      : [`Base: ${codeSpan(base)}`, '', ...tableOf(DIFFERENCE_COLUMNS, differenceRows(report))],
    decayLines(report),
    ...probesSections(report),
    kindsTable(report),
    markdownList('Not scored', failureLines(report).map(toItem)),
    markdownList('Unread', report.unread.map(describeUnread).map(toItem)),
    provenanceLines(report).map((line) => `- ${codeSpan(line)}`),
  ];
  return joinMarkdown(sections);
}

function decayLines(report: SummarizersReport): readonly string[] {
  const rows = decayRows(report);
  return rows.length === 0 ? [] : [...tableOf(decayColumns(report), rows), '', DECAY_NOTE];
}

function probesSections({ probes }: SummarizersReport): readonly (readonly string[])[] {
  if (probes === undefined) return [];
  const { arms } = probes;
  return [
    ['### Questions after the first pivot'],
    tableOf(PROBE_COLUMNS, probeRows(arms)),
    tableOf(LOSS_COLUMNS, lossRows(arms)),
    tableOf(PROBE_KIND_COLUMNS, probeKindRows(arms)),
    panelLines(probes).map((line) => `- ${codeSpan(line)}`),
  ];
}

function kindsTable({ arms }: SummarizersReport): readonly string[] {
  const kinds = FACT_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  if (kinds.length === 0) return [];
  const rows = kinds.map((kind) => [
    kind,
    ...arms.map((arm) => {
      const kept = arm.kinds[kind];
      return kept === undefined ? UNKNOWN : spreadCell(kept);
    }),
  ]);
  const columns = ['Kept, by kind', ...arms.map(({ name }) => codeSpan(name))];
  return tableOf(
    columns.map((title) => ({ title })),
    rows,
  );
}

/** The first column is of names from outside, or of kinds. */
function tableOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const isNumber = columns.map((_, index) => index > 0);
  const lines = rows.map(([name = '', ...cells]) => [codeSpan(name), ...cells]);
  return markdownTable(titlesOf(columns), lines, isNumber);
}

/** A code span has no line breaks. */
function toItem(text: string): string {
  return codeSpan(text.replaceAll(/\s*\n\s*/g, ' / '));
}
