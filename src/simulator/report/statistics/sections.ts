/** Sections of the statistics of sessions, for a terminal. */

import { CONTENT_KINDS, type ContentKind } from '../../session/statistics/sample.ts';
import type { SessionFigures } from '../../session/statistics/figures.ts';
import type {
  CharactersPerToken,
  ToolStatistics,
  WorkloadStatistics,
} from '../../session/statistics/workload.ts';
import { alignRows } from '../align-rows.ts';
import { formatCount } from '../numbers.ts';
import { namePaths } from '../path-names.ts';
import { LONGEST_NAME, nameCell, shareCell, sizeCell } from './cells.ts';
import { type FigureRow, figureRows } from './figure-rows.ts';
import type { StatisticsReport, StatisticsView } from './statistics-report.ts';

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

const TOOL_TITLES = 'Tool|Calls|Share|p50|p90|p99|Max|Of output|Errors|Repeats|Input p50|p90'.split(
  '|',
);
const FORMAT_TITLES =
  'Format|Sessions|Outputs|p50|p90|p99|Tool output|Turn p50|p90|Steps p50|p90|First step'.split(
    '|',
  );
const SESSION_TITLES =
  'Session|Turns|Steps|Outputs|Tokens|Tool output|Largest context|Compactions'.split('|');
const FIGURE_TITLES = ['Figure', 'n', 'Mean', 'p10', 'p50', 'p90', 'p99', 'Max', 'Basis'];

/** The table of what a report is divided by. */
export function renderDivision(report: StatisticsReport, by: StatisticsView['by']): string {
  switch (by) {
    case 'tool':
      return alignRows([TOOL_TITLES, ...Object.entries(report.overall.tools).map(toolRow)]);
    case 'format':
      return alignRows([FORMAT_TITLES, ...Object.entries(report.byFormat).map(formatRow)]);
    case 'session':
      return alignRows([SESSION_TITLES, ...sessionRows(report.sessions)]);
  }
}

/** All figures that something was observed for. */
export function renderFigures(report: StatisticsReport): string {
  const rows = figureRows(report.overall).filter(({ distribution }) => distribution !== null);
  const contentBasis = `${report.estimator.name}, ${report.estimator.evidence}`;
  return alignRows([FIGURE_TITLES, ...rows.map((row) => figureRow(row, contentBasis))]);
}

/** What the content consists of. */
export function renderContent({ content }: WorkloadStatistics): string {
  const kinds = CONTENT_KINDS.filter((kind) => content.tokensByKind[kind] > 0);
  const shares = kinds.map(
    (kind) => `${KIND_LABELS[kind]} ${shareCell(content.tokensByKind[kind] / content.tokens)}`,
  );
  return `Content: ${sizeCell(content.tokens)} tokens: ${shares.join(', ')}.`;
}

/** Characters per token by tool and script; empty where nothing tells. */
export function renderCharacters({ charactersPerToken }: WorkloadStatistics): string {
  const { all, byTool, byScript } = charactersPerToken;
  const titles = ['Characters per token', 'n', 'Ratio', 'Fixed tokens per step', 'Basis'];
  const rows = [
    ...(all === null ? [] : [characterRow('all', all)]),
    ...Object.entries(byScript).map(([script, found]) => characterRow(`script ${script}`, found)),
    ...Object.entries(byTool).map(([tool, found]) => characterRow(nameCell(tool), found)),
  ];
  return rows.length === 0 ? '' : alignRows([titles, ...rows]);
}

/** How many sessions were compacted how often; empty where none was. */
export function renderCompactions({ sessions, compactions, perStep }: WorkloadStatistics): string {
  const { sessionsWithOne, full, micro, automatic } = compactions;
  if (sessionsWithOne === 0) return '';
  const shrank = shareCell(perStep.shrankShare);
  return [
    `Compactions: ${full} full, ${micro} output clearings, ${automatic} automatic,`,
    `in ${sessionsWithOne} of ${formatCount(sessions)} sessions.`,
    `Steps whose context shrank without a full compaction: ${shrank}.`,
  ].join(' ');
}

function toolRow([tool, figures]: readonly [string, ToolStatistics]): readonly string[] {
  const { calls, callShare, outputShare, errorRate, duplicateRate } = figures;
  const { outputTokens, argumentTokens } = figures;
  return [
    nameCell(tool),
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
