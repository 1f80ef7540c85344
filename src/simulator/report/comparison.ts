import * as z from 'zod';
import { groupBy, sum } from '../lib/collections.ts';
import type { Metric } from '../metrics/metric-rows.ts';
import { metrics, titleOf } from '../metrics/metrics.ts';
import { armBlocks, isCopyReason, sessionBlocks } from './arm-table.ts';
import { BillShape, describeWork } from './check-report.ts';
import {
  ALL_DETAILS,
  asDetails,
  type Block,
  linesOf,
  listOf,
  prose,
  renderMarkdown,
  renderTerminal,
  type Text,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { jsonText } from './markup.ts';
import {
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatCount,
  formatDifference,
  formatDifferenceInterval,
  formatP,
  formatRatio,
  UNKNOWN,
} from './numbers.ts';
import { describeOrigin, namePaths, unreadList } from './origin.ts';
import { basisOf, screenEnd } from './provenance.ts';
import { describeMode } from './report.ts';
import {
  type Checked,
  EstimateShape,
  LeftOutShape,
  ModeShape,
  OriginShape,
  StateShape,
  StoriesShape,
  UnitShape,
  UnreadShape,
  VerdictShape,
  number,
  amount,
  strings,
  string,
} from './saved/shapes.ts';
import { NAME_WIDTH, nameSessions, type NamedStory } from './session-names.ts';
import { ArmVerdictShape, type Conclusion, ConclusionShape } from './verdict.ts';
import { verdictLines } from './verdict-lines.ts';
import type { Terminal } from './layout.ts';

export type Comparison = Omit<Checked<typeof ComparisonSchema>, 'comparisonVersion'>;

type MetricComparison = Comparison['metrics'][number];
type Origin = Comparison['origins']['a'];

const SideSchema = OriginShape.extend({ policies: strings });
const PairSchema = z.object({ metric: string, a: number, b: number });

const MetricSchema = z.object({
  name: string,
  label: string,
  unit: UnitShape,
  /** Pairs in which both are known. */
  pairs: number,
  meanA: number,
  meanB: number,
  difference: EstimateShape,
  verdict: VerdictShape,
  /** Adjusted by Holm; absent for descriptive metrics. */
  pValue: amount.exactOptional(),
  effectSize: amount,
  /** Families that the second arm wins and loses, each by its mean; absent where neither direction is better. */
  outcomes: z
    .object({ wins: number, losses: number, ties: number, probabilityOfSuperiority: amount })
    .exactOptional(),
});

const SideRunSchema = z.object({
  key: string,
  session: string,
  state: z.enum([...StateShape.options, 'impossible']),
  reason: string.optional(),
  costUsd: amount,
  tokens: amount.exactOptional(),
  losses: amount,
  areExpected: z.boolean().exactOptional(),
  compactions: amount,
  isLeast: z.boolean(),
});

export const ComparisonSchema = z.object({
  comparisonVersion: z.int(),
  /** Absent, as are evidence, runs, savings and stories, in comparisons that do not tell. */
  verdict: z.array(ArmVerdictShape).exactOptional(),
  conclusion: ConclusionShape.exactOptional(),
  /** Absent where no adapter was run. */
  bill: BillShape.exactOptional(),
  a: string,
  b: string,
  origins: z.object({ a: SideSchema, b: SideSchema }),
  model: string,
  summarizer: string,
  mode: ModeShape,
  seed: number,
  /** Pairs that both completed. */
  pairs: number,
  /** Pairs of one session are no independent evidence. */
  sessions: number,
  /** The independent pieces of evidence. */
  families: number,
  cost: z
    .object({
      pairs: number,
      geometricRatio: EstimateShape,
      verdict: VerdictShape,
      /** As the bill shows it; `null` where the first arm is free. */
      ratioOfTotals: EstimateShape.nullable(),
    })
    .nullable(),
  metrics: z.array(MetricSchema),
  mostDifferent: z.array(
    z.object({
      session: string,
      /** Absent where each side has one arm. */
      arm: string.exactOptional(),
      /** The metric that sessions are ordered by. */
      measure: PairSchema,
      /** The other metric in which it differs most. */
      because: PairSchema.exactOptional(),
      /** Where the runs part; absent where they are not at hand. */
      parting: z.object({ step: number, a: string, b: string }).exactOptional(),
    }),
  ),
  runs: z.object({ a: z.array(SideRunSchema), b: z.array(SideRunSchema) }).exactOptional(),
  /** Arms beside an adapter; absent where there are none. */
  others: z.array(z.object({ name: string, runs: z.array(SideRunSchema) })).exactOptional(),
  leftOut: LeftOutShape,
  savings: strings.exactOptional(),
  /** Runs of either side that broke, or broke a law. */
  failedRuns: number,
  stories: StoriesShape.exactOptional(),
  unread: UnreadShape,
});

export const COMPARISON_VERSION = 3;

const METRIC_COLUMNS = [
  { title: 'Metric' },
  { title: 'A, mean', rank: 4 },
  { title: 'B, mean', rank: 3 },
  { title: 'B − A', rank: 0 },
  { title: '95 % interval', rank: 1 },
  { title: 'p, adjusted', rank: 2 },
];

const metricOf: Readonly<Record<string, Metric>> = metrics;
const MOST_POLICIES = 3;
const MOST_DIFFERENT = 5;
const MOST_NAMED = 5;
const MOST_LINES = 20;

export const comparisonFormats = {
  table: (comparison, terminal) => renderTerminal(toDocument(comparison, terminal), terminal),
  json: (comparison) => jsonText({ comparisonVersion: COMPARISON_VERSION, ...comparison }),
  markdown: (comparison, terminal) => renderMarkdown(toDocument(comparison, terminal)),
  html: (comparison) => renderHtml(toDocument(comparison, ALL_DETAILS)),
  svg: (comparison) => renderSvg(toDocument(comparison, ALL_DETAILS)),
} satisfies Record<string, (comparison: Comparison, terminal: Terminal) => string>;

export function metricRows({ metrics: compared }: Comparison): readonly (readonly string[])[] {
  return compared
    .filter(isTold)
    .map(({ name, label, unit, meanA, meanB, difference, pValue }) => [
      label === metricOf[name]?.label ? titleOf(name) : label,
      formatAmount(meanA, unit),
      formatAmount(meanB, unit),
      formatDifference(difference.value, unit),
      formatDifferenceInterval(difference.interval, unit),
      pValue === undefined ? '' : formatP(pValue),
    ]);
}

/** Of an adapter also how often it compacted, and what that broke. */
export function comparisonLines(comparison: Comparison): readonly Text[] {
  const { b, bill, stories } = comparison;
  const lines = verdictLines(conclusionOf(comparison), bill && b);
  if (bill === undefined) return lines;
  const { session = '' } = bill.firstCacheBreak ?? {};
  return [...lines, untrusted(describeWork(bill, nameSessions([{ session }], stories)(session)))];
}

/** By reason; of many the first, and how many others. */
export function leftOutLines(
  leftOut: Comparison['leftOut'],
  stories?: readonly NamedStory[],
): readonly Text[] {
  const titled = nameSessions(leftOut, stories);
  const lines = [...groupBy(leftOut, ({ reason }) => reason)].flatMap(([reason, own]) => {
    const named = own.slice(0, MOST_NAMED).map(({ session }) => ({
      text: [untrusted(titled(session)), ': ', untrusted(reason)],
      sessions: 1,
    }));
    const others = own.length - named.length;
    const text = [`${countOf(others, 'other session')}: `, untrusted(reason)];
    return others === 0 ? named : [...named, { text, sessions: others }];
  });
  const others = sum(lines.slice(MOST_LINES).map(({ sessions }) => sessions));
  const shown = lines.slice(0, MOST_LINES).map(({ text }) => text);
  return others === 0 ? shown : [...shown, `${countOf(others, 'other session')}, see JSON`];
}

function toDocument(comparison: Comparison, terminal: Terminal): readonly Block[] {
  const { a, b, origins, model, summarizer, seed, runs, others = [] } = comparison;
  const { leftOut, unread, stories } = comparison;
  const arms = runs ? [{ name: a, runs: runs.a }, ...others, { name: b, runs: runs.b }] : [];
  const names = namePaths(
    arms.map(({ name }) => name),
    NAME_WIDTH,
  );
  const named = arms.map((arm) => ({ ...arm, name: names.get(arm.name) ?? arm.name }));
  const titles = { titles: ['Policy'], names: named.map(({ name }) => [untrusted(name)]) };
  const rows = metricRows(comparison);
  const missing = leftOut.filter(({ reason }) => !isCopyReason(reason));
  return [
    { type: 'heading', level: 2, text: 'Compaction compared' },
    prose(comparisonLines(comparison)),
    linesOf(
      [
        ['A: ', untrusted(describeSide(a, origins.a))],
        ['B: ', untrusted(describeSide(b, origins.b))],
        ['Model ', untrusted(model), ', summarizer ', untrusted(summarizer), `, seed ${seed}`],
      ],
      { areItems: true, isDetail: true },
    ),
    ...(runs ? armBlocks(arms, conclusionOf(comparison), titles) : []),
    ...(runs ? sessionBlocks(named, { ...terminal, stories }) : []),
    ...asDetails([
      prose(summaryLines(comparison), { areItems: true }),
      rows.length === 0
        ? linesOf(['No metric certainly differs.'])
        : { type: 'table', columns: METRIC_COLUMNS, rows },
      prose(comparison.savings ?? []),
      listOf('Sessions that differ most', differences(comparison)),
      listOf('Left out', leftOutLines(missing, stories)),
      unreadList(unread),
      linesOf(originLines(origins).map(untrusted)),
    ]),
    screenEnd(
      [
        ...basisOf(comparison),
        ...(missing.length === 0 ? [] : [`${formatCount(missing.length)} left out`]),
      ],
      unread,
    ),
  ];
}

function conclusionOf({ verdict = [], conclusion }: Comparison): Conclusion {
  const counts = { sessions: 0, families: 0, allSessions: verdict.length };
  return { verdict, ...(conclusion ?? counts) };
}

function describeSide(name: string, { policies }: Origin) {
  const [policy] = policies;
  if (policy === undefined || (policies.length === 1 && policy === name)) return name;
  const more = policies.length > MOST_POLICIES ? `, ${policies.length - MOST_POLICIES} more` : '';
  return `${name} (${policies.slice(0, MOST_POLICIES).join(', ')}${more})`;
}

function isTold({ verdict, pValue, difference, outcomes }: MetricComparison) {
  if (verdict !== 'lower' && verdict !== 'higher' && pValue === undefined) return false;
  const { value, interval } = difference;
  const isSame = value === 0 && (interval === null || interval.low === interval.high);
  return !isSame || (outcomes !== undefined && outcomes.wins + outcomes.losses > 0);
}

function summaryLines(comparison: Comparison) {
  const { pairs, sessions, families, cost, mode, leftOut } = comparison;
  const ratio = cost?.ratioOfTotals ? formatRatio(cost.ratioOfTotals) : UNKNOWN;
  const inFamilies = families < sessions ? ` of ${describeFamilies({ sessions, families })}` : '';
  const several = sessions === pairs ? '' : ` of ${countOf(sessions, 'session')}`;
  return [
    cost === null
      ? 'Cost is unknown: the model has no known price.'
      : `Cost: geometric mean of B / A ${formatRatio(cost.geometricRatio)}, ratio of totals ${ratio}.`,
    `${countOf(pairs, 'pair')}${inFamilies || several}; ${formatCount(leftOut.length)} left out.`,
    ...(families < sessions ? [FAMILY_COUNTS_ONCE] : []),
    `${describeMode(mode)} P-values are Holm-adjusted; metrics without one are descriptive.`,
  ];
}

function differences({ mostDifferent, stories }: Comparison) {
  const titled = nameSessions(mostDifferent, stories);
  return mostDifferent
    .slice(0, MOST_DIFFERENT)
    .map(({ session, arm, measure, because, parting }) => {
      const values = [measure, ...(because ? [because] : [])].map(({ metric, a, b }) => {
        const unit = metricOf[metric]?.unit ?? 'count';
        return `${titleOf(metric)} ${formatAmount(a, unit)} → ${formatAmount(b, unit)}`;
      });
      const from = parting && `from step ${formatCount(parting.step)}`;
      return [
        untrusted(titled(session)),
        ...(arm === undefined ? [] : [' with ', untrusted(arm)]),
        `: ${[...values, ...(parting ? [`${from}: ${parting.a} vs ${parting.b}`] : [])].join('; ')}`,
      ];
    });
}

function originLines(origins: Comparison['origins']) {
  const [a, b] = [describeOrigin(origins.a), describeOrigin(origins.b)];
  const lines = a === b ? [a] : [a && `A. ${a}`, b && `B. ${b}`];
  return lines.filter((line) => line !== '');
}
