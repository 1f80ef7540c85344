import type { Evidence } from '../events.ts';
import { sum } from '../lib/collections.ts';
import type { Repeats } from '../session/find-copies.ts';
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

/** A column, and its cell for a row. */
type Described<Row> = Column & { readonly of: (row: Row) => string };

type Figure = readonly [
  label: string,
  basis: 'content' | Extract<Evidence, 'measured'>,
  of: (statistics: WorkloadStatistics) => Distribution | null,
  cell?: typeof sizeCell,
];

interface ShownFigure {
  readonly spread: Distribution;
  readonly cell: typeof sizeCell;
  readonly basis: string;
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

const TOOL_COLUMNS: readonly Described<ToolStatistics>[] = [
  { title: 'Calls', of: ({ calls }) => formatCount(calls) },
  { title: 'Of all calls', rank: 7, of: ({ callShare }) => shareCell(callShare) },
  { title: 'Tokens p50', of: ({ outputTokens }) => sizeCell(outputTokens?.p50) },
  ...furtherOf<ToolStatistics>('Tokens', [2, 6, 3], ({ outputTokens }) => outputTokens),
  { title: 'Of all output', rank: 1, of: ({ outputShare }) => shareCell(outputShare) },
  { title: 'Failed', rank: 5, of: ({ errorRate }) => shareCell(errorRate) },
  { title: 'Repeated', rank: 4, of: ({ duplicateRate }) => shareCell(duplicateRate) },
  { title: 'Input tokens p50', rank: 8, of: ({ argumentTokens }) => sizeCell(argumentTokens?.p50) },
  ...furtherOf<ToolStatistics>('Input tokens', [9], ({ argumentTokens }) => argumentTokens),
];

const FORMAT_COLUMNS: readonly Described<WorkloadStatistics>[] = [
  { title: 'Sessions', of: ({ sessions }) => formatCount(sessions) },
  {
    title: 'Outputs',
    rank: 6,
    of: ({ toolOutputTokens }) => formatCount(toolOutputTokens?.n ?? 0),
  },
  { title: 'Tokens p50', of: ({ toolOutputTokens }) => sizeCell(toolOutputTokens?.p50) },
  ...furtherOf<WorkloadStatistics>('Tokens', [3, 9], ({ toolOutputTokens }) => toolOutputTokens),
  { title: 'Tool output', rank: 1, of: ({ content }) => shareCell(content.toolOutputShare?.p50) },
  { title: 'Turn tokens p50', rank: 4, of: ({ perTurn }) => sizeCell(perTurn.contentTokens?.p50) },
  ...furtherOf<WorkloadStatistics>('Turn tokens', [7], ({ perTurn }) => perTurn.contentTokens),
  { title: 'Steps p50', rank: 5, of: ({ perTurn }) => sizeCell(perTurn.steps?.p50) },
  ...furtherOf<WorkloadStatistics>('Steps', [8], ({ perTurn }) => perTurn.steps),
  {
    title: 'First step',
    rank: 2,
    of: ({ perSession }) => sizeCell(perSession.recordedFirstStepTokens?.p50),
  },
];

const SESSION_COLUMNS: readonly Described<SessionFigures>[] = [
  { title: 'Turns', rank: 4, of: ({ turns }) => formatCount(turns) },
  { title: 'Steps', rank: 2, of: ({ steps }) => formatCount(steps) },
  { title: 'Outputs', rank: 6, of: ({ toolOutputs }) => formatCount(toolOutputs) },
  { title: 'Tokens', of: ({ contentTokens }) => sizeCell(contentTokens) },
  { title: 'Tool output', rank: 5, of: ({ toolOutputShare }) => shareCell(toolOutputShare) },
  {
    title: 'Largest context',
    rank: 3,
    of: ({ recordedMaxContextTokens }) => sizeCell(recordedMaxContextTokens),
  },
  { title: 'Compactions', rank: 1, of: ({ compactions }) => formatCount(compactions) },
];

const FIGURE_COLUMNS: readonly Described<ShownFigure>[] = [
  { title: 'n', rank: 4, of: ({ spread }) => formatCount(spread.n) },
  { title: 'Mean', rank: 2, of: ({ spread, cell }) => cell(spread.mean) },
  { title: 'p10', rank: 5, of: ({ spread, cell }) => cell(spread.p10) },
  { title: 'p50', of: ({ spread, cell }) => cell(spread.p50) },
  { title: 'p90', rank: 1, of: ({ spread, cell }) => cell(spread.p90) },
  { title: 'p99', rank: 6, of: ({ spread, cell }) => cell(spread.p99) },
  { title: 'Max', rank: 3, of: ({ spread, cell }) => cell(spread.max) },
  { title: 'Basis', rank: 7, holds: 'words', of: ({ basis }) => basis },
];

/** Figures of sessions in the order in which they are told, each with its basis: content is weighed by the estimator. */
const FIGURES: readonly Figure[] = [
  ['tokens per tool output', 'content', ({ toolOutputTokens }) => toolOutputTokens],
  ['tokens per turn', 'content', ({ perTurn }) => perTurn.contentTokens],
  ['tool output tokens per turn', 'content', ({ perTurn }) => perTurn.toolOutputTokens],
  ['tokens per session', 'content', ({ perSession }) => perSession.contentTokens],
  ['tool output share per session', 'content', ({ content }) => content.toolOutputShare, shareCell],
  ['tokens per user text', 'content', ({ textTokens }) => textTokens.user],
  ['tokens per assistant text', 'content', ({ textTokens }) => textTokens.assistant],
  ['tokens per reasoning part', 'content', ({ textTokens }) => textTokens.reasoning],
  ['tokens per injected text', 'content', ({ textTokens }) => textTokens.injected],
  ['tokens per summary', 'content', ({ compactions }) => compactions.summaryTokens],
  ['tokens until a file is re-read', 'content', ({ reuse }) => reuse.rereadTokens],
  ['tokens until a file is changed', 'content', ({ reuse }) => reuse.changeTokens],
  ['repeated outputs per session', 'content', ({ reuse }) => reuse.duplicateShare, shareCell],
  ['steps per turn', 'measured', ({ perTurn }) => perTurn.steps],
  ['tool calls per turn', 'measured', ({ perTurn }) => perTurn.toolCalls],
  ['calls per step with calls', 'measured', ({ perStep }) => perStep.parallelCalls],
  ['turns per session', 'measured', ({ perSession }) => perSession.turns],
  ['steps per session', 'measured', ({ perSession }) => perSession.steps],
  ['tool outputs per session', 'measured', ({ perSession }) => perSession.toolOutputs],
  ['repeated reads per session', 'measured', ({ reuse }) => reuse.rereadShare, shareCell],
  ['context of the first step', 'measured', ({ perSession }) => perSession.recordedFirstStepTokens],
  ['largest context', 'measured', ({ perSession }) => perSession.recordedMaxContextTokens],
  ['context growth per step', 'measured', ({ perStep }) => perStep.recordedGrowthTokens],
  ['output per step', 'measured', ({ perStep }) => perStep.recordedOutputTokens],
  [
    'cache reads in the input',
    'measured',
    ({ perSession }) => perSession.recordedCacheReadShare,
    shareCell,
  ],
  [
    'context before a compaction',
    'measured',
    ({ compactions }) => compactions.recordedTokensBefore,
  ],
  ['context after a compaction', 'measured', ({ compactions }) => compactions.recordedTokensAfter],
  ['tokens per clearing', 'measured', ({ compactions }) => compactions.recordedTokensCleared],
  ['steps before a compaction', 'measured', ({ compactions }) => compactions.stepsBefore],
  ['seconds before a prompt', 'measured', ({ gapsSeconds }) => gapsSeconds.beforeUser],
  ['seconds from prompt to step', 'measured', ({ gapsSeconds }) => gapsSeconds.model],
  ['seconds from calls to next step', 'measured', ({ gapsSeconds }) => gapsSeconds.toolsAndModel],
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
  if (by === 'tool') {
    const rows = Object.entries(overall.tools);
    return tabulate(
      'Tool',
      TOOL_COLUMNS,
      rows.map(([tool, own]) => [nameCell(tool, LONGEST_TOOL), own]),
    );
  }
  if (by === 'format') {
    const rows = Object.entries(byFormat);
    return tabulate(
      'Format',
      FORMAT_COLUMNS,
      rows.map(([format, own]) => [nameCell(format), own]),
    );
  }
  const names = namePaths(
    sessions.map(({ session }) => session),
    LONGEST_NAME,
  );
  return tabulate(
    'Session',
    SESSION_COLUMNS,
    sessions.map((figures) => [names.get(figures.session) ?? '', figures]),
  );
}

/** The table of all figures that something was observed for. */
export function tabulateFigures({ overall, estimator }: StatisticsReport): TextTable {
  const rows = FIGURES.flatMap(([label, on, of, cell = sizeCell]) => {
    const spread = of(overall);
    const basis = on === 'content' ? `${estimator.name}, ${estimator.evidence}` : on;
    return spread === null ? [] : [[label, { spread, cell, basis }] as const];
  });
  return tabulate('Figure', FIGURE_COLUMNS, rows);
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

/** The totals of all sessions in sentences. */
export function totalLines({ overall, sessions, copies, estimator }: StatisticsReport) {
  const { content, compactions, perStep } = overall;
  const totalOf = (key: 'turns' | 'steps' | 'toolOutputs') =>
    sum(sessions.map((figures) => figures[key]));
  const left = copies.length === 0 ? '' : `; left out as copies: ${formatCount(copies.length)}`;
  const kinds = CONTENT_KINDS.filter((kind) => content.tokensByKind[kind] > 0);
  const shares = kinds.map(
    (kind) => `${KIND_LABELS[kind]} ${shareCell(content.tokensByKind[kind] / content.tokens)}`,
  );
  const { sessionsWithOne, full, micro, automatic } = compactions;
  const shrank = shareCell(perStep.shrankShare);
  const counts = `${formatCount(full)} full and ${countOf(micro, 'output clearing')}, ${formatCount(automatic)} of them automatic`;
  return [
    `${countOf(sessions.length, 'session')}: ${countOf(totalOf('turns'), 'turn')}, ${countOf(totalOf('steps'), 'step')}, ${countOf(totalOf('toolOutputs'), 'tool output')}${left}.`,
    `Content: ${sizeCell(content.tokens)} tokens (${estimator.evidence}): ${shares.join(', ')}.`,
    ...(sessionsWithOne === 0
      ? []
      : [
          `Compactions: ${counts}, in ${sessionsWithOne} of ${formatCount(overall.sessions)} sessions. Steps whose context shrank without a full compaction: ${shrank}.`,
        ]),
  ];
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

function tabulate<Row>(
  title: string,
  columns: readonly Described<Row>[],
  rows: readonly (readonly [name: string, row: Row])[],
): TextTable {
  return {
    columns: [{ title }, ...columns],
    rows: rows.map(([name, row]) => [name, ...columns.map(({ of }) => of(row))]),
  };
}

/** Columns beside a median, as many as there are ranks. */
function furtherOf<Row>(
  name: string,
  ranks: readonly number[],
  of: (row: Row) => Distribution | null,
): readonly Described<Row>[] {
  const ends = [
    { title: 'p90', key: 'p90' },
    { title: 'p99', key: 'p99' },
    { title: 'Max', key: 'max' },
  ] as const;
  return ranks.flatMap((rank, index) => {
    const end = ends[index];
    if (end === undefined) return [];
    const { title, key } = end;
    const whole = `${name} ${title.toLowerCase()}`;
    return [{ title, name: whole, rank, of: (row: Row) => sizeCell(of(row)?.[key]) }];
  });
}

function characterRow(label: string, found: CharactersPerToken): readonly string[] {
  const { evidence, n, ratio, fixedTokens } = found;
  return [label, formatCount(n), ratio.toFixed(2), sizeCell(fixedTokens), evidence];
}
