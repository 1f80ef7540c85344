import type { Evidence } from '../events.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { describeCopy, type Repeats } from '../session/find-copies.ts';
import type { Distribution } from '../session/statistics/distribution.ts';
import { countedSamples, type Gathering } from '../session/statistics/gathering.ts';
import {
  type CharactersPerToken,
  figuresOf,
  poolSamples,
  type SessionFigures,
  type ToolStatistics,
  type WorkloadStatistics,
} from '../session/statistics/pool.ts';
import {
  CONTENT_KINDS,
  type ContentKind,
  type Estimator,
  type EstimatorName,
} from '../session/statistics/sample.ts';
import type { SessionSample } from '../session/statistics/sample-session.ts';
import { tokenizerOf } from '../tokens/encodings.ts';
import { type Block, renderTerminal, untrusted } from './document.ts';
import { unreadList } from './run-notes.ts';
import { jsonText, shownText } from './markup.ts';
import { countOf, formatCount, formatPercent, UNKNOWN } from './numbers.ts';
import { basisBlocks, describeOrigin, namePaths, type Origin } from './origin.ts';
import type { Terminal, UnreadInput } from './report.ts';
import type { Column, TextTable } from './text-table.ts';

/** Statistics of recorded sessions. Copies are not counted, a shared beginning once. */
export interface Statistics extends Repeats {
  /** The tokenizer of content; `measured` only where it is every session's own. */
  readonly estimator: { readonly name: EstimatorName; readonly evidence: Evidence };
  readonly overall: WorkloadStatistics;
  readonly byFormat: Readonly<Record<string, WorkloadStatistics>>;
  readonly sessions: readonly SessionFigures[];
  readonly unread: readonly UnreadInput[];
}

/** A division of a table of statistics. */
export type Division = (typeof DIVISIONS)[number];

/** Statistics with their origin, in which no catalog and no setting has a part. */
interface StatisticsReport extends Statistics {
  readonly origin: Origin;
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

/** Divisions of a statistics table. */
export const DIVISIONS = ['tool', 'format', 'session'] as const;

const ESTIMATORS = {
  chars4: 'characters divided by four',
  o200k_base: 'the tokenizer o200k_base',
  cl100k_base: 'the tokenizer cl100k_base',
} as const satisfies Record<EstimatorName, string>;
/** Version of the document; it grows when a field changes its meaning. */
const STATISTICS_VERSION = 1;
const PRECISION = 10_000;
/** Most characters of a tool's name where its numbers stand beside it. */
const LONGEST_TOOL = 40;
/** Most characters of a name in a table of statistics. */
const LONGEST_NAME = 44;
/** Sizes below this are shown with their tenths. */
const SMALL = 10;
const TENTHS = 1;

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

/** How statistics are written down, by name; the default first. */
export const statisticsFormats = {
  table: (report, by, terminal) => renderTerminal(statisticsDocument(report, by), terminal, 'json'),
  json: renderStatisticsJson,
} satisfies Record<string, (report: StatisticsReport, by: Division, terminal: Terminal) => string>;

/** The statistics of what was gathered; of growing copies, the longest counts, and what sessions share counts once. */
export function toStatistics(
  gathering: Gathering,
  { name }: Estimator,
  unread: readonly UnreadInput[],
): Statistics {
  const { repeats, own } = gathering;
  const counted = countedSamples(gathering);
  const pool = (some: readonly SessionSample[]) =>
    poolSamples(
      some,
      name,
      some.map((sample) => own.get(sample.name) ?? sample),
    );
  const byFormat = groupBy(counted, ({ format }) => format);
  return {
    estimator: { name, evidence: evidenceOf(counted, name) },
    overall: pool(counted),
    byFormat: Object.fromEntries([...byFormat].map(([format, some]) => [format, pool(some)])),
    sessions: counted.map(figuresOf),
    ...repeats,
    unread,
  };
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

/** A count is measured only where every session's model is known to count so. */
function evidenceOf(samples: readonly SessionSample[], name: Estimator['name']): Evidence {
  const isOwn = samples.every(({ model = '' }) => {
    const own = tokenizerOf(model);
    return own.name === name && own.evidence === 'measured';
  });
  return isOwn && samples.length > 0 ? 'measured' : 'estimated';
}

function statisticsDocument(report: StatisticsReport, by: Division): readonly Block[] {
  const { overall, unread } = report;
  return [
    { type: 'lines', lines: totalLines(report) },
    { type: 'table', ...tabulateDivision(report, by), shorten: 'to first rows' },
    { type: 'table', ...tabulateFigures(report), isDetail: true },
    { type: 'table', ...tabulateCharacters(overall), isDetail: true },
    ...repeatBlocks(report),
    { ...unreadList(unread), most: 1 },
    ...basisBlocks(report.origin, basisLines(report)),
  ];
}

function basisLines({ origin, estimator }: StatisticsReport): readonly string[] {
  const { name, evidence } = estimator;
  return [
    `Content tokens are ${evidence}: ${ESTIMATORS[name]}.`,
    'Contexts, their growth, step outputs and cleared tokens are measured, as reported by providers.',
    'Characters per token are measured on the growth of contexts or estimated by the tokenizer.',
    describeOrigin(origin),
  ];
}

/** Sessions that are not counted, or not twice. */
function repeatBlocks({ copies, shared, sessions }: StatisticsReport): readonly Block[] {
  const lengths = new Map(sessions.map(({ session, messages }) => [session, messages]));
  return [
    {
      type: 'list',
      title: 'Left out',
      items: copies.map((copy) => untrusted(`${copy.name}: ${describeCopy(copy)}`)),
      isDetail: true,
    },
    {
      type: 'list',
      title: 'Counted once, but for figures of whole sessions',
      items: shared.map(({ name, sharedWith, messages }) => {
        const all = countOf(lengths.get(name) ?? messages, 'message');
        const first = `: its first ${messages} of ${all} stand in `;
        return [untrusted(name), first, untrusted(sharedWith), ' as well'];
      }),
      isDetail: true,
    },
  ];
}

/** All statistics as one JSON document, for programs. `overall` and each format hold `WorkloadStatistics`. */
function renderStatisticsJson(report: StatisticsReport): string {
  const { origin, estimator, overall, byFormat, sessions, copies, shared, unread } = report;
  const document = {
    statisticsVersion: STATISTICS_VERSION,
    origin,
    estimator,
    overall,
    byFormat,
    sessions,
    copies: copies.map(({ name, copyOf }) => ({ session: name, copyOf })),
    shared: shared.map(({ name, sharedWith, messages }) => ({
      session: name,
      sharedWith,
      messages,
    })),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
  return jsonText(document, rounded);
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * PRECISION) / PRECISION : value;
}

function tabulateDivision(report: StatisticsReport, by: Division): TextTable {
  const { overall, byFormat, sessions } = report;
  if (by === 'tool') {
    const tools = Object.entries(overall.tools);
    const rows = tools.map(([tool, own]) => [nameCell(tool, LONGEST_TOOL), own] as const);
    return tabulate('Tool', TOOL_COLUMNS, rows);
  }
  if (by === 'format') {
    const rows = Object.entries(byFormat).map(([name, own]) => [nameCell(name), own] as const);
    return tabulate('Format', FORMAT_COLUMNS, rows);
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
function tabulateFigures({ overall, estimator }: StatisticsReport): TextTable {
  const rows = FIGURES.flatMap(([label, on, of, cell = sizeCell]) => {
    const spread = of(overall);
    const basis = on === 'content' ? `${estimator.name}, ${estimator.evidence}` : on;
    return spread === null ? [] : [[label, { spread, cell, basis }] as const];
  });
  return tabulate('Figure', FIGURE_COLUMNS, rows);
}

/** The table of characters per token by tool and script; without rows where nothing tells. */
function tabulateCharacters({ charactersPerToken }: WorkloadStatistics): TextTable {
  const { all, byTool, byScript } = charactersPerToken;
  const rows = [
    ...(all === null ? [] : [characterRow('all', all)]),
    ...Object.entries(byScript).map(([script, found]) => characterRow(`script ${script}`, found)),
    ...Object.entries(byTool).map(([tool, found]) => characterRow(nameCell(tool), found)),
  ];
  return { columns: CHARACTER_COLUMNS, rows };
}

function totalLines({ overall, sessions, copies, estimator }: StatisticsReport) {
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

/** A size or a time: whole, or with its tenths where it is small. */
function sizeCell(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  const isWhole = Number.isInteger(value) || Math.abs(value) >= SMALL;
  return isWhole ? signed(Math.round(value)) : value.toFixed(TENTHS);
}

function signed(value: number): string {
  return value < 0 ? `-${formatCount(-value)}` : formatCount(value);
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
