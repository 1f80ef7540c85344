import type { Evidence } from '../events.ts';
import { groupBy } from '../lib/collections.ts';
import { describeCopy } from '../session/find-copies.ts';
import { countedSamples, type Gathering } from '../session/statistics/gathering.ts';
import { figuresOf, poolSamples } from '../session/statistics/pool.ts';
import type { Estimator, SessionSample } from '../session/statistics/sample.ts';
import { tokenizerOf } from '../tokens/encodings.ts';
import { type Block, renderTerminal, untrusted } from './document.ts';
import { unreadList } from './run-notes.ts';
import { jsonText } from './markup.ts';
import { countOf } from './numbers.ts';
import { basisBlocks, describeOrigin } from './origin.ts';
import type { Terminal, UnreadInput } from './report.ts';
import {
  renderCharts,
  type Statistics,
  type StatisticsReport,
  type StatisticsView,
  tabulateCharacters,
  tabulateDivision,
  tabulateFigures,
  totalLines,
} from './statistics-charts.ts';

const ESTIMATORS = {
  chars4: 'characters divided by four',
  o200k_base: 'the tokenizer o200k_base',
  cl100k_base: 'the tokenizer cl100k_base',
} as const satisfies Record<StatisticsReport['estimator']['name'], string>;

/** Version of the document; it grows when a field changes its meaning. */
const STATISTICS_VERSION = 1;

const PRECISION = 10_000;

/** How statistics are written down, by name; the default first. */
export const statisticsFormats = {
  table: (report, view, terminal) =>
    renderTerminal(statisticsDocument(report, view), terminal, 'json'),
  json: renderStatisticsJson,
} satisfies Record<
  string,
  (report: StatisticsReport, view: StatisticsView, terminal: Terminal) => string
>;

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

/** A count is measured only where every session's model is known to count so. */
function evidenceOf(samples: readonly SessionSample[], name: Estimator['name']): Evidence {
  const isOwn = samples.every(({ model = '' }) => {
    const own = tokenizerOf(model);
    return own.name === name && own.evidence === 'measured';
  });
  return isOwn && samples.length > 0 ? 'measured' : 'estimated';
}

function statisticsDocument(
  report: StatisticsReport,
  { by, charts }: StatisticsView,
): readonly Block[] {
  const { overall, unread } = report;
  return [
    { type: 'lines', lines: totalLines(report) },
    { type: 'table', ...tabulateDivision(report, by), shorten: 'to first rows' },
    { type: 'table', ...tabulateFigures(report), isDetail: true },
    { type: 'table', ...tabulateCharacters(overall), isDetail: true },
    ...(charts ? [chartOf(report)] : []),
    ...repeatBlocks(report),
    { ...unreadList(unread), most: 1 },
    ...basisBlocks(report.origin, basisLines(report)),
  ];
}

function chartOf({ overall }: StatisticsReport): Block {
  const draw = (terminal: Terminal) =>
    renderCharts(overall, terminal)
      .filter((chart) => chart !== '')
      .join('\n\n');
  return { type: 'chart', draw };
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
