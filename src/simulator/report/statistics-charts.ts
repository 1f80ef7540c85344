import type { Evidence } from '../events.ts';
import type { Repeats } from '../session/repeats.ts';
import type { SessionFigures } from '../session/statistics/pool.ts';
import {
  CONTENT_KINDS,
  type ContentKind,
  type EstimatorName,
} from '../session/statistics/sample.ts';
import type {
  CharactersPerToken,
  Distribution,
  ToolStatistics,
  WorkloadStatistics,
} from '../session/statistics/workload.ts';
import { shownText } from './markup.ts';
import { countOf, formatCount, formatPercent, UNKNOWN } from './numbers.ts';
import { namePaths, type Origin } from './origin.ts';
import { alignRows, fitProse, GAP, widthsOf } from './prose.ts';
import type { Terminal, UnreadInput } from './report.ts';
import { type Column, drawingWidth, type TextTable } from './text-table.ts';

interface Scale {
  readonly low: number;
  readonly high: number;
  /** In characters. */
  readonly width: number;
}

/** A line of a chart: what is drawn stands between its name and its number. */
interface Line {
  readonly name: string;
  readonly number: string;
  readonly draw: (width: number) => string;
}

/** A figure as it is told, with what it rests on. */
interface FigureRow {
  readonly label: string;
  readonly distribution: Distribution | null;
  /** `content` is weighed by the estimator; the other figures are counted or were recorded. */
  readonly basis: 'content' | Extract<Evidence, 'measured'>;
  readonly unit: 'number' | 'share';
}

/** Statistics of recorded sessions, ready to be rendered. */
export interface StatisticsReport extends Statistics {
  /** No catalog and no setting has a part in it. */
  readonly origin: Origin;
}

/** Statistics of recorded sessions. Copies are not counted, a shared beginning once. */
export interface Statistics extends Repeats {
  /** The tokenizer of content; `measured` only where it is every session's own. */
  readonly estimator: { readonly name: EstimatorName; readonly evidence: Evidence };
  readonly overall: WorkloadStatistics;
  readonly byFormat: Readonly<Record<string, WorkloadStatistics>>;
  readonly sessions: readonly SessionFigures[];
  readonly unread: readonly UnreadInput[];
}

/** How a report is to be shown; JSON always holds everything. */
export interface StatisticsView {
  readonly by: (typeof DIVISIONS)[number];
  readonly charts: boolean;
}

const BOX_WIDTH = 60;
const BAR_WIDTH = 40;
const SHOWN_TOOLS = 20;
/** Of a terminal without room, how much names may take. */
const NAME_SHARE = 1 / 2;

/** Most characters of a tool's name where its numbers stand beside it. */
const LONGEST_TOOL = 40;

/** Words for the kinds of content. */
const KIND_LABELS: Readonly<Record<ContentKind, string>> = {
  toolOutput: 'tool output',
  toolCall: 'tool calls',
  reasoning: 'reasoning',
  assistant: 'assistant',
  user: 'user',
  injected: 'injected',
  summary: 'summaries',
  system: 'system prompt',
};

/** Sizes below this are shown with their tenths. */
const SMALL = 10;
const TENTHS = 1;

/** Most characters of a name in a table of statistics. */
const LONGEST_NAME = 44;

/** Divisions of a statistics table. */
export const DIVISIONS = ['tool', 'format', 'session'] as const;

/** Columns of the table of tools. */
const TOOL_COLUMNS: readonly Column[] = [
  { title: 'Tool' },
  { title: 'Calls' },
  { title: 'Of all calls', rank: 7 },
  { title: 'Tokens p50' },
  { title: 'p90', name: 'Tokens p90', rank: 2 },
  { title: 'p99', name: 'Tokens p99', rank: 6 },
  { title: 'Max', name: 'Tokens max', rank: 3 },
  { title: 'Of all output', rank: 1 },
  { title: 'Failed', rank: 5 },
  { title: 'Repeated', rank: 4 },
  { title: 'Input tokens p50', rank: 8 },
  { title: 'p90', name: 'Input tokens p90', rank: 9 },
];

/** Columns of the table of formats. */
const FORMAT_COLUMNS: readonly Column[] = [
  { title: 'Format' },
  { title: 'Sessions' },
  { title: 'Outputs', rank: 6 },
  { title: 'Tokens p50' },
  { title: 'p90', name: 'Tokens p90', rank: 3 },
  { title: 'p99', name: 'Tokens p99', rank: 9 },
  { title: 'Tool output', rank: 1 },
  { title: 'Turn tokens p50', rank: 4 },
  { title: 'p90', name: 'Turn tokens p90', rank: 7 },
  { title: 'Steps p50', rank: 5 },
  { title: 'p90', name: 'Steps p90', rank: 8 },
  { title: 'First step', rank: 2 },
];

/** Columns of the table of sessions. */
const SESSION_COLUMNS: readonly Column[] = [
  { title: 'Session' },
  { title: 'Turns', rank: 4 },
  { title: 'Steps', rank: 2 },
  { title: 'Outputs', rank: 6 },
  { title: 'Tokens' },
  { title: 'Tool output', rank: 5 },
  { title: 'Largest context', rank: 3 },
  { title: 'Compactions', rank: 1 },
];

/** Columns of the table of figures. */
const FIGURE_COLUMNS: readonly Column[] = [
  { title: 'Figure' },
  { title: 'n', rank: 4 },
  { title: 'Mean', rank: 2 },
  { title: 'p10', rank: 5 },
  { title: 'p50' },
  { title: 'p90', rank: 1 },
  { title: 'p99', rank: 6 },
  { title: 'Max', rank: 3 },
  { title: 'Basis', rank: 7, holds: 'words' },
];

/** Columns of the table of characters per token. */
const CHARACTER_COLUMNS: readonly Column[] = [
  { title: 'Characters per token' },
  { title: 'n', rank: 2 },
  { title: 'Ratio' },
  { title: 'Fixed tokens per step', rank: 3 },
  { title: 'Basis', rank: 1, holds: 'words' },
];

/** Charts of a terminal: what content consists of, and how sizes spread. */
export function renderCharts(
  statistics: WorkloadStatistics,
  terminal: Terminal,
): readonly string[] {
  const { tools, perTurn, perStep, perSession } = statistics;
  const byTool = Object.entries(tools).map(
    ([tool, { outputTokens }]) => [nameCell(tool, longestName(terminal)), outputTokens] as const,
  );
  return [
    renderShares(statistics, terminal),
    renderBoxes('Tokens per tool output', byTool.slice(0, SHOWN_TOOLS), terminal),
    renderBoxes(
      'Tokens',
      [
        ['per turn', perTurn.contentTokens],
        ['per session', perSession.contentTokens],
        ['growth per step', perStep.recordedGrowthTokens],
        ['first step', perSession.recordedFirstStepTokens],
        ['largest context', perSession.recordedMaxContextTokens],
      ],
      terminal,
    ),
  ].filter((chart) => chart !== '');
}

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

/** Describes the shares of the content. */
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

/** A share in percent with its tenths. */
export function shareCell(share: number | null | undefined): string {
  return share === null || share === undefined ? UNKNOWN : formatPercent(share, TENTHS);
}

/** A name from outside, not longer than a table or its place can bear. */
export function nameCell(name: string, longest = LONGEST_NAME): string {
  const characters = Array.from(shownText(name));
  if (characters.length <= longest) return characters.join('');
  return `${characters.slice(0, longest - 1).join('')}…`;
}

function longestName({ terminalColumns = Infinity }: Terminal): number {
  return Math.min(LONGEST_NAME, Math.floor(terminalColumns * NAME_SHARE));
}

function renderShares({ content }: WorkloadStatistics, terminal: Terminal): string {
  if (content.tokens === 0) return '';
  const kinds = CONTENT_KINDS.filter((kind) => content.tokensByKind[kind] > 0);
  const lines = kinds.map((kind) => {
    const share = content.tokensByKind[kind] / content.tokens;
    const draw = (width: number) => '█'.repeat(Math.round(share * width)).padEnd(width);
    return { name: KIND_LABELS[kind], number: shareCell(share), draw };
  });
  return `Share of content\n${drawLines(lines, BAR_WIDTH, terminal)}`;
}

/** Lines as wide as the terminal has room for, each drawing as wide as the others. */
function drawLines(lines: readonly Line[], most: number, terminal: Terminal): string {
  const [names = 0, numbers = 0] = widthsOf(lines.map(({ name, number }) => [name, number]));
  const width = drawingWidth({ most, beside: names + GAP.length + 1 + numbers }, terminal);
  const rows = lines.map(({ name, number, draw }) => [name, `${draw(width)} ${number}`]);
  return alignRows(rows, () => true);
}

/** One line a distribution: whiskers from p10 to p90, a box from p25 to p75, the median in it. */
function renderBoxes(
  title: string,
  rows: readonly (readonly [string, Distribution | null])[],
  terminal: Terminal,
): string {
  const known = rows.flatMap(([label, spread]) => (spread === null ? [] : [{ label, spread }]));
  if (known.length === 0) return '';
  const scale = {
    low: Math.max(1, Math.min(...known.map(({ spread }) => spread.p10))),
    high: Math.max(2, ...known.map(({ spread }) => spread.p90)),
  };
  const legend = `${title}: ├ p10, ▒ p25 to p75, █ p50, p90 ┤; logarithmic, ${sizeCell(scale.low)} to ${sizeCell(scale.high)}`;
  const lines = known.map(({ label, spread }) => ({
    name: label,
    number: sizeCell(spread.p50),
    draw: (width: number) => boxOf(spread, { ...scale, width }),
  }));
  return `${fitProse(legend, terminal)}\n${drawLines(lines, BOX_WIDTH, terminal)}`;
}

/** A size or a time: whole, or with its tenths where it is small. */
function sizeCell(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  const isWhole = Number.isInteger(value) || Math.abs(value) >= SMALL;
  return isWhole ? signed(Math.round(value)) : value.toFixed(TENTHS);
}

function signed(value: number): string {
  return value < 0 ? `-${formatCount(-value)}` : formatCount(value);
}

function boxOf(spread: Distribution, scale: Scale): string {
  const [p10, p25, p50, p75, p90] = [
    placeOf(spread.p10, scale),
    placeOf(spread.p25, scale),
    placeOf(spread.p50, scale),
    placeOf(spread.p75, scale),
    placeOf(spread.p90, scale),
  ];
  const marks = Array.from({ length: scale.width }, (_, place) => {
    if (place === p50) return '█';
    if (place >= p25 && place <= p75) return '▒';
    if (place === p10) return '├';
    if (place === p90) return '┤';
    return place > p10 && place < p90 ? '─' : ' ';
  });
  return marks.join('');
}

function placeOf(value: number, { low, high, width }: Scale): number {
  const span = Math.max(Math.log(high / low), Number.EPSILON);
  const place = (Math.log(Math.max(value, low) / low) / span) * (width - 1);
  return Math.min(width - 1, Math.round(place));
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

/** The figures of sessions in the order in which they are told. */
function figureRows(statistics: WorkloadStatistics): readonly FigureRow[] {
  return [
    ...contentRows(statistics),
    ...countRows(statistics),
    ...recordedRows(statistics),
    ...gapRows(statistics),
  ];
}

function contentRows(statistics: WorkloadStatistics): readonly FigureRow[] {
  const { content, perTurn, perSession, textTokens, reuse, compactions } = statistics;
  const { toolOutputTokens } = statistics;
  return [
    estimated('tokens per tool output', toolOutputTokens),
    estimated('tokens per turn', perTurn.contentTokens),
    estimated('tool output tokens per turn', perTurn.toolOutputTokens),
    estimated('tokens per session', perSession.contentTokens),
    { ...estimated('tool output share per session', content.toolOutputShare), unit: 'share' },
    estimated('tokens per user text', textTokens.user),
    estimated('tokens per assistant text', textTokens.assistant),
    estimated('tokens per reasoning part', textTokens.reasoning),
    estimated('tokens per injected text', textTokens.injected),
    estimated('tokens per summary', compactions.summaryTokens),
    estimated('tokens until a file is re-read', reuse.rereadTokens),
    estimated('tokens until a file is changed', reuse.changeTokens),
    { ...estimated('repeated outputs per session', reuse.duplicateShare), unit: 'share' },
  ];
}

function estimated(label: string, distribution: Distribution | null): FigureRow {
  return { label, distribution, basis: 'content', unit: 'number' };
}

function countRows({ perTurn, perSession, perStep, reuse }: WorkloadStatistics) {
  return [
    measured('steps per turn', perTurn.steps),
    measured('tool calls per turn', perTurn.toolCalls),
    measured('calls per step with calls', perStep.parallelCalls),
    measured('turns per session', perSession.turns),
    measured('steps per session', perSession.steps),
    measured('tool outputs per session', perSession.toolOutputs),
    { ...measured('repeated reads per session', reuse.rereadShare), unit: 'share' as const },
  ];
}

function measured(label: string, distribution: Distribution | null): FigureRow {
  return { label, distribution, basis: 'measured', unit: 'number' };
}

function recordedRows({ perSession, perStep, compactions }: WorkloadStatistics) {
  return [
    measured('context of the first step', perSession.recordedFirstStepTokens),
    measured('largest context', perSession.recordedMaxContextTokens),
    measured('context growth per step', perStep.recordedGrowthTokens),
    measured('output per step', perStep.recordedOutputTokens),
    {
      ...measured('cache reads in the input', perSession.recordedCacheReadShare),
      unit: 'share' as const,
    },
    measured('context before a compaction', compactions.recordedTokensBefore),
    measured('context after a compaction', compactions.recordedTokensAfter),
    measured('tokens per clearing', compactions.recordedTokensCleared),
    measured('steps before a compaction', compactions.stepsBefore),
  ];
}

function gapRows({ gapsSeconds }: WorkloadStatistics): readonly FigureRow[] {
  return [
    measured('seconds before a prompt', gapsSeconds.beforeUser),
    measured('seconds from prompt to step', gapsSeconds.model),
    measured('seconds from calls to next step', gapsSeconds.toolsAndModel),
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
