import { codeSpan, markdownRow, markdownRule } from '../code-span.ts';
import { spreadCell } from './lines.ts';
import { FACT_KINDS } from '../../session/facts.ts';
import { UNKNOWN } from '../numbers.ts';
import { describeUnread } from '../unread.ts';
import {
  ARM_TITLES,
  armRows,
  baseOf,
  DIFFERENCE_TITLES,
  differenceRows,
  failureLines,
  provenanceLines,
} from './lines.ts';
import { describeJudge, PROBE_TITLES, probeRows } from './probes-report.ts';
import type { SummarizersReport } from './summarizers-report.ts';

/** The comparison for a pull request: names from outside stand in code spans, where nothing is obeyed. */
export function renderSummarizersMarkdown(report: SummarizersReport): string {
  const base = baseOf(report);
  const sections = [
    ['## Summarizers compared'],
    tableOf(ARM_TITLES, armRows(report)),
    base === undefined
      ? []
      : [`Base: ${codeSpan(base)}`, '', ...tableOf(DIFFERENCE_TITLES, differenceRows(report))],
    probesLines(report),
    kindsTable(report),
    list('Not scored', failureLines(report)),
    list('Unread', report.unread.map(describeUnread)),
    provenanceLines(report).map((line) => `- ${codeSpan(line)}`),
  ];
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}

function probesLines({ probes }: SummarizersReport): readonly string[] {
  if (probes === undefined) return [];
  const { reader, judge, arms } = probes;
  const told = judge === undefined ? [] : ['', codeSpan(describeJudge(judge))];
  return [`Reader: ${codeSpan(reader)}`, '', ...tableOf(PROBE_TITLES, probeRows(arms)), ...told];
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
  return tableOf(['Kept, by kind', ...arms.map(({ name }) => codeSpan(name))], rows);
}

/** The first column is of names from outside, or of kinds. */
function tableOf(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const isNumber = titles.map((_, index) => index > 0);
  const lines = rows.map(([name = '', ...cells]) => markdownRow([codeSpan(name), ...cells]));
  return [markdownRow(titles), markdownRule(isNumber), ...lines];
}

function list(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  return [`### ${title}`, '', ...items.map((item) => `- ${codeSpan(item)}`)];
}
