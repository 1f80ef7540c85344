import type { Evidence } from '../events.ts';
import { groupBy, known, sum } from '../lib/collections.ts';
import { describeCopy, type Repeats } from '../session/find-copies.ts';
import type { Distribution } from '../session/statistics/distribution.ts';
import { countedSamples, type Gathering } from '../session/statistics/gathering.ts';
import {
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
import { type Block, linesOf, listOf, renderTerminal, untrusted } from './document.ts';
import { jsonText, shownText } from './markup.ts';
import { countOf, formatCount, formatPercent, UNKNOWN } from './numbers.ts';
import { basisBlocks, describeOrigin, namePaths, type Origin, unreadList } from './origin.ts';
import type { UnreadInput } from './report.ts';
import type { Column, Terminal } from './layout.ts';

/** Statistics of recorded sessions. Copies are not counted, a shared beginning once. */
export interface Statistics extends Repeats {
  /** The tokenizer of content; `measured` only where it is every session's own. */
  readonly estimator: { readonly name: EstimatorName; readonly evidence: Evidence };
  readonly overall: WorkloadStatistics;
  readonly byFormat: Readonly<Record<string, WorkloadStatistics>>;
  readonly sessions: readonly SessionFigures[];
  readonly unread: readonly UnreadInput[];
}

export const DIVISIONS = ['tool', 'format', 'session'] as const;

type Division = (typeof DIVISIONS)[number];

interface StatisticsReport extends Statistics {
  readonly origin: Origin;
}

/** Without a rank it is always shown. */
type Described<Row> = readonly [
  title: string,
  rank: number | undefined,
  of: (row: Row) => string,
  name?: string,
];

type Figure = readonly [
  label: string,
  of: (all: WorkloadStatistics) => Distribution | null,
  cell?: typeof sizeCell,
];

const ESTIMATORS = {
  chars4: 'characters divided by four',
  o200k_base: 'the tokenizer o200k_base',
  cl100k_base: 'the tokenizer cl100k_base',
} as const satisfies Record<EstimatorName, string>;
/** Grows when a field changes its meaning. */
const STATISTICS_VERSION = 1;
const PRECISION = 10_000;
const LONGEST_TOOL = 40;
const LONGEST_NAME = 44;
const SMALL = 10;
const TENTHS = 1;
const SPREAD = ['p50', 'p90', 'p99', 'max'] as const;

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
  ['Calls', undefined, ({ calls }) => formatCount(calls)],
  ['Of all calls', 7, ({ callShare }) => shareCell(callShare)],
  ...spreadOf<ToolStatistics>('Tokens', [undefined, 2, 6, 3], (row) => row.outputTokens),
  ['Of all output', 1, ({ outputShare }) => shareCell(outputShare)],
  ['Failed', 5, ({ errorRate }) => shareCell(errorRate)],
  ['Repeated', 4, ({ duplicateRate }) => shareCell(duplicateRate)],
  ...spreadOf<ToolStatistics>('Input tokens', [8, 9], (row) => row.argumentTokens),
];

const FORMAT_COLUMNS: readonly Described<WorkloadStatistics>[] = [
  ['Sessions', undefined, ({ sessions }) => formatCount(sessions)],
  ['Outputs', 6, ({ toolOutputTokens }) => formatCount(toolOutputTokens?.n ?? 0)],
  ...spreadOf<WorkloadStatistics>('Tokens', [undefined, 3, 9], (row) => row.toolOutputTokens),
  ['Tool output', 1, ({ content }) => shareCell(content.toolOutputShare?.p50)],
  ...spreadOf<WorkloadStatistics>('Turn tokens', [4, 7], (row) => row.perTurn.contentTokens),
  ...spreadOf<WorkloadStatistics>('Steps', [5, 8], (row) => row.perTurn.steps),
  ['First step', 2, ({ perSession }) => sizeCell(perSession.recordedFirstStepTokens?.p50)],
];

const SESSION_COLUMNS: readonly Described<SessionFigures>[] = [
  ['Turns', 4, ({ turns }) => formatCount(turns)],
  ['Steps', 2, ({ steps }) => formatCount(steps)],
  ['Outputs', 6, ({ toolOutputs }) => formatCount(toolOutputs)],
  ['Tokens', undefined, ({ contentTokens }) => sizeCell(contentTokens)],
  ['Tool output', 5, ({ toolOutputShare }) => shareCell(toolOutputShare)],
  ['Largest context', 3, (row) => sizeCell(row.recordedMaxContextTokens)],
  ['Compactions', 1, ({ compactions }) => formatCount(compactions)],
];

const CONTENT_FIGURES: readonly Figure[] = [
  ['tokens per tool output', (all) => all.toolOutputTokens],
  ['tokens per turn', ({ perTurn }) => perTurn.contentTokens],
  ['tool output tokens per turn', ({ perTurn }) => perTurn.toolOutputTokens],
  ['tokens per session', ({ perSession }) => perSession.contentTokens],
  ['tool output share per session', ({ content }) => content.toolOutputShare, shareCell],
  ['tokens per user text', ({ textTokens }) => textTokens.user],
  ['tokens per assistant text', ({ textTokens }) => textTokens.assistant],
  ['tokens per reasoning part', ({ textTokens }) => textTokens.reasoning],
  ['tokens per injected text', ({ textTokens }) => textTokens.injected],
  ['tokens per summary', ({ compactions }) => compactions.summaryTokens],
  ['tokens until a file is re-read', ({ reuse }) => reuse.rereadTokens],
  ['tokens until a file is changed', ({ reuse }) => reuse.changeTokens],
  ['repeated outputs per session', ({ reuse }) => reuse.duplicateShare, shareCell],
];

const MEASURED_FIGURES: readonly Figure[] = [
  ['steps per turn', ({ perTurn }) => perTurn.steps],
  ['tool calls per turn', ({ perTurn }) => perTurn.toolCalls],
  ['calls per step with calls', ({ perStep }) => perStep.parallelCalls],
  ['turns per session', ({ perSession }) => perSession.turns],
  ['steps per session', ({ perSession }) => perSession.steps],
  ['tool outputs per session', ({ perSession }) => perSession.toolOutputs],
  ['repeated reads per session', ({ reuse }) => reuse.rereadShare, shareCell],
  ['context of the first step', ({ perSession }) => perSession.recordedFirstStepTokens],
  ['largest context', ({ perSession }) => perSession.recordedMaxContextTokens],
  ['context growth per step', ({ perStep }) => perStep.recordedGrowthTokens],
  ['output per step', ({ perStep }) => perStep.recordedOutputTokens],
  ['cache reads in the input', (all) => all.perSession.recordedCacheReadShare, shareCell],
  ['context before a compaction', ({ compactions }) => compactions.recordedTokensBefore],
  ['context after a compaction', ({ compactions }) => compactions.recordedTokensAfter],
  ['tokens per clearing', ({ compactions }) => compactions.recordedTokensCleared],
  ['steps before a compaction', ({ compactions }) => compactions.stepsBefore],
  ['seconds before a prompt', ({ gapsSeconds }) => gapsSeconds.beforeUser],
  ['seconds from prompt to step', ({ gapsSeconds }) => gapsSeconds.model],
  ['seconds from calls to next step', ({ gapsSeconds }) => gapsSeconds.toolsAndModel],
];

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

export const statisticsFormats = {
  table: (report, by, terminal) => renderTerminal(statisticsDocument(report, by), terminal, 'json'),
  json: renderStatisticsJson,
} satisfies Record<string, (report: StatisticsReport, by: Division, terminal: Terminal) => string>;

/** Of copies, the longest counts, and what sessions share counts once. */
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
  // A count is measured only where every session's model is known to count so.
  const isOwn = counted.every(({ model = '' }) => {
    const tokenizer = tokenizerOf(model);
    return tokenizer.name === name && tokenizer.evidence === 'measured';
  });
  return {
    estimator: { name, evidence: isOwn && counted.length > 0 ? 'measured' : 'estimated' },
    overall: pool(counted),
    byFormat: Object.fromEntries([...byFormat].map(([format, some]) => [format, pool(some)])),
    sessions: counted.map(figuresOf),
    ...repeats,
    unread,
  };
}

export function shareCell(share: number | null | undefined) {
  return share === null || share === undefined ? UNKNOWN : formatPercent(share, TENTHS);
}

export function nameCell(name: string, longest = LONGEST_NAME) {
  const characters = Array.from(shownText(name));
  if (characters.length <= longest) return characters.join('');
  return `${characters.slice(0, longest - 1).join('')}…`;
}

function statisticsDocument(report: StatisticsReport, by: Division): readonly Block[] {
  const { overall, unread, copies, shared, sessions, origin } = report;
  const { name, evidence } = report.estimator;
  const lengths = new Map(sessions.map(({ session, messages }) => [session, messages]));
  return [
    linesOf(totalLines(report)),
    { type: 'table', ...tabulateDivision(report, by), shorten: 'to first rows' },
    {
      type: 'table',
      columns: FIGURE_COLUMNS,
      rows: [
        ...figureRows(overall, CONTENT_FIGURES, `${name}, ${evidence}`),
        ...figureRows(overall, MEASURED_FIGURES, 'measured'),
      ],
      isDetail: true,
    },
    listOf(
      'Left out',
      copies.map((copy) => untrusted(`${copy.name}: ${describeCopy(copy)}`)),
      { isDetail: true },
    ),
    listOf(
      'Counted once, but for figures of whole sessions',
      shared.map(({ name: own, sharedWith, messages }) => {
        const all = countOf(lengths.get(own) ?? messages, 'message');
        const first = `: its first ${messages} of ${all} stand in `;
        return [untrusted(own), first, untrusted(sharedWith), ' as well'];
      }),
      { isDetail: true },
    ),
    { ...unreadList(unread), most: 1 },
    ...basisBlocks(origin, [
      `Content tokens are ${evidence}: ${ESTIMATORS[name]}.`,
      'Contexts, their growth, step outputs and cleared tokens are measured, as reported by providers.',
      describeOrigin(origin),
    ]),
  ];
}

function renderStatisticsJson(report: StatisticsReport) {
  const { origin, estimator, overall, byFormat, sessions, copies, shared, unread } = report;
  const document = {
    statisticsVersion: STATISTICS_VERSION,
    origin,
    estimator,
    overall,
    byFormat,
    sessions,
    copies: copies.map(({ name: session, copyOf }) => ({ session, copyOf })),
    shared: shared.map(({ name: session, sharedWith, messages }) => {
      return { session, sharedWith, messages };
    }),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
  return jsonText(document, (_key, value) =>
    typeof value === 'number' ? Math.round(value * PRECISION) / PRECISION : value,
  );
}

function tabulateDivision({ overall, byFormat, sessions }: StatisticsReport, by: Division) {
  if (by === 'tool') return tabulate('Tool', TOOL_COLUMNS, namedRows(overall.tools, LONGEST_TOOL));
  if (by === 'format') return tabulate('Format', FORMAT_COLUMNS, namedRows(byFormat));
  const paths = sessions.map(({ session }) => session);
  const names = namePaths(paths, LONGEST_NAME);
  const rows = sessions.map((own) => [names.get(own.session) ?? '', own] as const);
  return tabulate('Session', SESSION_COLUMNS, rows);
}

function namedRows<Row>(rows: Readonly<Record<string, Row>>, longest?: number) {
  return Object.entries(rows).map(([name, own]) => [nameCell(name, longest), own] as const);
}

function tabulate<Row>(
  title: string,
  columns: readonly Described<Row>[],
  rows: readonly (readonly [name: string, row: Row])[],
) {
  const shown = columns.map(([own, rank, , name = own]) => ({
    title: own,
    name,
    ...known({ rank }),
  }));
  return {
    columns: [{ title }, ...shown],
    rows: rows.map(([name, row]) => [name, ...columns.map(([, , of]) => of(row))]),
  };
}

function figureRows(all: WorkloadStatistics, figures: readonly Figure[], basis: string) {
  return figures.flatMap(([label, of, cell = sizeCell]) => {
    const spread = of(all);
    if (spread === null) return [];
    const { n, mean, p10, p50, p90, p99, max } = spread;
    return [[label, formatCount(n), ...[mean, p10, p50, p90, p99, max].map(cell), basis]];
  });
}

function totalLines({ overall, sessions, copies, estimator }: StatisticsReport) {
  const { content, compactions, perStep } = overall;
  const { all: characters } = overall.charactersPerToken;
  const { sessionsWithOne, full, micro, automatic } = compactions;
  const totalOf = (key: 'turns' | 'steps' | 'toolOutputs', word: string) =>
    countOf(sum(sessions.map((figures) => figures[key])), word);
  const left = copies.length === 0 ? '' : `; left out as copies: ${formatCount(copies.length)}`;
  const kinds = CONTENT_KINDS.filter((kind) => content.tokensByKind[kind] > 0);
  const shares = kinds.map(
    (kind) => `${KIND_LABELS[kind]} ${shareCell(content.tokensByKind[kind] / content.tokens)}`,
  );
  const counts = `${formatCount(full)} full and ${countOf(micro, 'output clearing')}, ${formatCount(automatic)} of them automatic`;
  return [
    `${countOf(sessions.length, 'session')}: ${totalOf('turns', 'turn')}, ${totalOf('steps', 'step')}, ${totalOf('toolOutputs', 'tool output')}${left}.`,
    `Content: ${sizeCell(content.tokens)} tokens (${estimator.evidence}): ${shares.join(', ')}.`,
    sessionsWithOne === 0
      ? ''
      : `Compactions: ${counts}, in ${sessionsWithOne} of ${formatCount(overall.sessions)} sessions. Steps whose context shrank without a full compaction: ${shareCell(perStep.shrankShare)}.`,
    characters === null
      ? ''
      : `Characters per token: ${characters.ratio.toFixed(2)} (${characters.evidence}).`,
  ];
}

/** Whole, or with its tenths where it is small. */
function sizeCell(value: number | null | undefined) {
  if (value === null || value === undefined) return UNKNOWN;
  if (!Number.isInteger(value) && Math.abs(value) < SMALL) return value.toFixed(TENTHS);
  return formatCount(Math.round(value));
}

function spreadOf<Row>(
  name: string,
  ranks: readonly (number | undefined)[],
  of: (row: Row) => Distribution | null,
): readonly Described<Row>[] {
  return ranks.map((rank, index) => {
    const key = SPREAD[index] ?? 'max';
    const cell = (row: Row) => sizeCell(of(row)?.[key]);
    if (key === 'p50') return [`${name} p50`, rank, cell];
    return [key === 'max' ? 'Max' : key, rank, cell, `${name} ${key}`];
  });
}
