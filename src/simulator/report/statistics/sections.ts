/** Sections of the statistics of sessions, for a terminal. */

import type { SessionFigures } from '../../session/statistics/pool.ts';
import { CONTENT_KINDS, type ContentKind } from '../../session/statistics/sample.ts';
import type {
  CharactersPerToken,
  ToolStatistics,
  WorkloadStatistics,
} from '../../session/statistics/workload.ts';
import { countOf, formatCount } from '../numbers.ts';
import { namePaths } from '../path-names.ts';
import type { TextTable } from '../text-table.ts';
import { LONGEST_NAME, nameCell, shareCell, sizeCell } from './cells.ts';
import {
  CHARACTER_COLUMNS,
  FIGURE_COLUMNS,
  FORMAT_COLUMNS,
  SESSION_COLUMNS,
  TOOL_COLUMNS,
} from './columns.ts';
import { type FigureRow, figureRows } from './figure-rows.ts';
import type { StatisticsReport, StatisticsView } from './statistics-report.ts';

/** Most characters of a tool's name where its numbers stand beside it. */
const LONGEST_TOOL = 40;

/** Words for the kinds of content. */
export const KIND_LABELS: Readonly<Record<ContentKind, string>> = {
  toolOutput: 'tool output',
  toolCall: 'tool calls',
  reasoning: 'reasoning',
  assistant: 'assistant',
  user: 'user',
  injected: 'injected',
  summary: 'summaries',
  system: 'system prompt',
};

/** The table of what a report is divided by. */
export function tabulateDivision(report: StatisticsReport, by: StatisticsView['by']): TextTable {
  const { overall, byFormat, sessions } = report;
  switch (by) {
    case 'tool':
      return { columns: TOOL_COLUMNS, rows: Object.entries(overall.tools).map(toolRow) };
    case 'format':
      return { columns: FORMAT_COLUMNS, rows: Object.entries(byFormat).map(formatRow) };
    case 'session':
      return { columns: SESSION_COLUMNS, rows: sessionRows(sessions) };
  }
}

/** The table of all figures that something was observed for. */
export function tabulateFigures(report: StatisticsReport): TextTable {
  const rows = figureRows(report.overall).filter(({ distribution }) => distribution !== null);
  const contentBasis = `${report.estimator.name}, ${report.estimator.evidence}`;
  return { columns: FIGURE_COLUMNS, rows: rows.map((row) => figureRow(row, contentBasis)) };
}

/** The table of characters per token by tool and script; without rows where nothing tells. */
export function tabulateCharacters({ charactersPerToken }: WorkloadStatistics): TextTable {
  const { all, byTool, byScript } = charactersPerToken;
  const rows = [
    ...(all === null ? [] : [characterRow('all', all)]),
    ...Object.entries(byScript).map(([script, found]) => characterRow(`script ${script}`, found)),
    ...Object.entries(byTool).map(([tool, found]) => characterRow(nameCell(tool), found)),
  ];
  return { columns: CHARACTER_COLUMNS, rows };
}

/** What the content consists of. */
export function renderContent({ content }: WorkloadStatistics): string {
  const kinds = CONTENT_KINDS.filter((kind) => content.tokensByKind[kind] > 0);
  const shares = kinds.map(
    (kind) => `${KIND_LABELS[kind]} ${shareCell(content.tokensByKind[kind] / content.tokens)}`,
  );
  return `Content: ${sizeCell(content.tokens)} tokens: ${shares.join(', ')}.`;
}

/** How many sessions were compacted how often; empty where none was. */
export function renderCompactions({ sessions, compactions, perStep }: WorkloadStatistics): string {
  const { sessionsWithOne, full, micro, automatic } = compactions;
  if (sessionsWithOne === 0) return '';
  const shrank = shareCell(perStep.shrankShare);
  return [
    `Compactions: ${formatCount(full)} full and ${countOf(micro, 'output clearing')}, ${formatCount(automatic)} of them automatic,`,
    `in ${sessionsWithOne} of ${formatCount(sessions)} sessions.`,
    `Steps whose context shrank without a full compaction: ${shrank}.`,
  ].join(' ');
}

function toolRow([tool, figures]: readonly [string, ToolStatistics]): readonly string[] {
  const { calls, callShare, outputShare, errorRate, duplicateRate } = figures;
  const { outputTokens, argumentTokens } = figures;
  return [
    nameCell(tool, LONGEST_TOOL),
    formatCount(calls),
    shareCell(callShare),
    sizeCell(outputTokens?.p50),
    sizeCell(outputTokens?.p90),
    sizeCell(outputTokens?.p99),
    sizeCell(outputTokens?.max),
    shareCell(outputShare),
    shareCell(errorRate),
    shareCell(duplicateRate),
    sizeCell(argumentTokens?.p50),
    sizeCell(argumentTokens?.p90),
  ];
}

function formatRow([format, figures]: readonly [string, WorkloadStatistics]): readonly string[] {
  const { sessions, toolOutputTokens, content, perTurn, perSession } = figures;
  return [
    nameCell(format),
    formatCount(sessions),
    formatCount(toolOutputTokens?.n ?? 0),
    sizeCell(toolOutputTokens?.p50),
    sizeCell(toolOutputTokens?.p90),
    sizeCell(toolOutputTokens?.p99),
    shareCell(content.toolOutputShare?.p50),
    sizeCell(perTurn.contentTokens?.p50),
    sizeCell(perTurn.contentTokens?.p90),
    sizeCell(perTurn.steps?.p50),
    sizeCell(perTurn.steps?.p90),
    sizeCell(perSession.recordedFirstStepTokens?.p50),
  ];
}

function sessionRows(sessions: readonly SessionFigures[]): readonly (readonly string[])[] {
  const names = namePaths(
    sessions.map(({ session }) => session),
    LONGEST_NAME,
  );
  return sessions.map((figures) => sessionRow(names.get(figures.session) ?? '', figures));
}

function sessionRow(name: string, figures: SessionFigures): readonly string[] {
  const { turns, steps, toolOutputs, contentTokens, toolOutputShare } = figures;
  return [
    name,
    formatCount(turns),
    formatCount(steps),
    formatCount(toolOutputs),
    sizeCell(contentTokens),
    shareCell(toolOutputShare),
    sizeCell(figures.recordedMaxContextTokens),
    formatCount(figures.compactions),
  ];
}

function figureRow(
  { label, distribution, basis, unit }: FigureRow,
  contentBasis: string,
): readonly string[] {
  const cell = unit === 'share' ? shareCell : sizeCell;
  const { n = 0, mean, p10, p50, p90, p99, max } = distribution ?? {};
  const cells = [mean, p10, p50, p90, p99, max].map(cell);
  return [label, formatCount(n), ...cells, basis === 'content' ? contentBasis : basis];
}

function characterRow(label: string, found: CharactersPerToken): readonly string[] {
  const { evidence, n, ratio, fixedTokens } = found;
  return [label, formatCount(n), ratio.toFixed(2), sizeCell(fixedTokens), evidence];
}
