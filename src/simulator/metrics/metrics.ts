import { costMetrics } from './cost-metrics.ts';
import {
  addUsd,
  type Counted,
  isShare,
  type Metric,
  type MetricInput,
  shareOf,
  toUsd,
} from './metric.ts';
import { costOf } from './fold.ts';
import { regretMetrics } from './regret-metrics.ts';
import { tokenMetrics } from './token-metrics.ts';
import type { RunTotals } from './totals.ts';

/** Metric values of a run; `null` where unknown. */
export type MetricValues = Readonly<Record<MetricName, number | null>>;

type CountedEntry = readonly [MetricName, Counted];

/** Metrics of runs that come one after the other. */
export interface MetricSums {
  add(values: MetricValues): void;
  /** Those of all runs so far taken together. */
  total(): MetricValues;
}

/** The name of a metric. */
export type MetricName = keyof typeof metrics;

type ValueOf = (totals: RunTotals) => number | undefined;

/**
 * How far a run is from the bound: the least of each number that is known to be possible, by the run itself or by the
 * same policy with a prune that knows what will be needed. Such a prune frees tokens where they are needed least, be it
 * of more parts, and pivots come as the policy makes them; a policy that clears in another order than its base is held
 * against its base, too. Among several runs, one in which no prune fired stands for itself.
 */
const boundMetrics = {
  boundMisses: {
    label: "Bound's losses",
    unit: 'count',
    better: 'lower',
    describes:
      'Fewest losses known with the same compactions: by a prune that knows the future, or by the run itself; unknown where no prune fired.',
    of: (input) => leastOf(input, missesOf),
    withoutPrune: 'misses',
  },
  missesAboveBound: {
    label: 'Losses above bound',
    unit: 'count',
    better: 'lower',
    describes: "Losses, minus the bound's.",
    of: (input) => aboveLeast(input, missesOf),
    withoutPrune: 0,
  },
  boundMissedTokens: {
    label: "Bound's lost tokens",
    unit: 'tokens',
    better: 'lower',
    describes: 'Fewest true tokens of lost parts known with the same compactions.',
    of: (input) => leastOf(input, ({ regret }) => regret.missedTokens),
    withoutPrune: 'missedTokens',
  },
  missedTokensToBound: {
    label: "Lost tokens / bound's",
    unit: 'factor',
    better: 'lower',
    describes: "Lost tokens divided by the bound's; unknown where the bound loses nothing.",
    shareOf: ['missedTokens', 'boundMissedTokens'],
  },
  boundRegretUsd: {
    label: "Bound's regret",
    unit: 'usd',
    better: 'lower',
    describes: 'Least regret known with the same compactions.',
    of: (input) => toUsd(leastOf(input, regretOf)),
    withoutPrune: 'regretUsd',
  },
  competitiveRatio: {
    label: 'Competitive ratio',
    unit: 'factor',
    better: 'lower',
    describes: "Regret divided by the bound's; unknown where the bound has none.",
    shareOf: ['regretUsd', 'boundRegretUsd'],
  },
  costAboveBoundUsd: {
    label: 'Cost above bound',
    unit: 'usd',
    better: 'lower',
    describes:
      "Cost, minus the bound's over the same steps; a run that pruned and lost nothing is its own bound.",
    of: (input) => toUsd(aboveLeast(input, costOf)),
    withoutPrune: 0,
  },
} satisfies Record<string, Metric>;

/** All metrics by name, in the order of reports. */
export const metrics = {
  ...tokenMetrics,
  ...costMetrics,
  ...regretMetrics,
  ...boundMetrics,
} satisfies Record<string, Metric>;

/** The names of all metrics, in the order of reports. */
export const METRIC_NAMES = Object.keys(metrics) as readonly MetricName[];

const CACHE_METRICS: ReadonlySet<MetricName> = new Set([
  'cacheReadTokens',
  'cacheWriteTokens',
  'uncachedTokens',
  'cacheReadAfterUserTokens',
  'cacheReadAfterToolTokens',
]);

const SUMMARY_METRICS: ReadonlySet<MetricName> = new Set([
  'summaryInputTokens',
  'summaryOutputTokens',
  'costSummariesUsd',
]);

/** Those that a recording with usage tells; nobody knows what its agent checked, believed or lost. */
const RECORDED_METRICS: ReadonlySet<MetricName> = new Set([
  'steps',
  'turns',
  'inputTokens',
  'outputTokens',
  'peakContextTokens',
  'unrecordedRequests',
  'compactions',
  'ineffectiveCompactions',
  'recordedCompactions',
  'prunes',
  'tokensSaved',
  'costUsd',
  'costSavedUsd',
  'inputAfterUserTokens',
  'inputAfterToolTokens',
  ...CACHE_METRICS,
  ...SUMMARY_METRICS,
]);

const byName: Readonly<Record<string, Metric>> = metrics;
const all = Object.entries<Metric>(metrics) as readonly [MetricName, Metric][];

/** Those that are no shares of others. */
const counted = all.flatMap(([name, metric]): readonly CountedEntry[] =>
  isShare(metric) ? [] : [[name, metric]],
);

const titles: ReadonlyMap<string, string> = new Map(nameAlone());

/** The metrics of something that never ran: all unknown. */
export const UNKNOWN_METRICS: MetricValues = tabulate(() => null);

/** Metrics named before anything is measured; all others are descriptive. Source: evaluation design, section 9.5. */
export const PRIMARY_METRICS: readonly string[] = ['costUsd', 'regretUsd', 'compactions'];

/** The title of a metric that stands alone, such as `Overflows, after step`; the name itself for an unknown metric. */
export function titleOf(name: string): string {
  return titles.get(name) ?? name;
}

/** All metrics of a run. */
export function measure(input: MetricInput): MetricValues {
  return tabulate((metric, name) => (isTold(name, input.run) ? (metric.of(input) ?? null) : null));
}

/** One metric of a run; of what a run is measured against, nothing is asked that the metric does not need. */
export function measureOne(name: MetricName, input: MetricInput): number | null {
  const metric: Metric = metrics[name];
  if (!isShare(metric)) return isTold(name, input.run) ? (metric.of(input) ?? null) : null;
  const [part, whole] = metric.shareOf.map((one) => measureOne(one as MetricName, input));
  return shareOf(part ?? null, whole ?? null);
}

/** The contribution of a run to a metric of several runs; without a fired prune, its own number instead of the bound's. */
export function addedBy(
  values: Readonly<Record<string, number | null>>,
  name: string,
): number | null {
  const value = values[name] ?? null;
  const metric = byName[name];
  if (value !== null || metric === undefined || values['prunes'] !== 0) return value;
  if (isShare(metric)) {
    const [part, whole] = metric.shareOf;
    return shareOf(addedBy(values, part), addedBy(values, whole));
  }
  const { withoutPrune } = metric;
  return typeof withoutPrune === 'string' ? addedBy(values, withoutPrune) : (withoutPrune ?? null);
}

/** The metrics of several runs taken together; unknown where what any adds is unknown, or where there is none. */
export function combine(runs: readonly MetricValues[]): MetricValues {
  const sums = createMetricSums();
  for (const values of runs) sums.add(values);
  return sums.total();
}

/** The metrics of no run yet. */
export function createMetricSums(): MetricSums {
  const totals: (number | null)[] = counted.map(() => null);
  const isKnown = counted.map(() => false);
  let runs = 0;
  return {
    add: (values) => {
      for (let index = 0; index < counted.length; index++) {
        const [name, metric] = counted[index] as CountedEntry;
        const own = values[name] ?? null;
        const value = own ?? addedBy(values, name);
        const before = totals[index] ?? null;
        isKnown[index] ||= own !== null;
        totals[index] = runs === 0 ? value : addUp(before, value, metric);
      }
      runs += 1;
    },
    total: () => {
      const sums = new Map(
        counted.map(([name], index) => [name, isKnown[index] ? (totals[index] ?? null) : null]),
      );
      return tabulate((_, name) => sums.get(name) ?? null);
    },
  };
}

/** Tests if a number is known of a run: a recording tells few, and nothing of the cache or of summaries where it lacks their usage. */
function isTold(name: MetricName, { recording }: RunTotals): boolean {
  if (recording === undefined) return true;
  if (recording.isCacheUnknown && CACHE_METRICS.has(name)) return false;
  if (recording.unknownCalls > 0 && SUMMARY_METRICS.has(name)) return false;
  return RECORDED_METRICS.has(name);
}

/** Shares are worked out from the metrics that they are shares of. */
function tabulate(valueOf: (metric: Counted, name: MetricName) => number | null): MetricValues {
  const values: Record<string, number | null> = {};
  for (const [name, metric] of all) {
    values[name] = isShare(metric) ? null : valueOf(metric, name);
  }
  for (const [name, metric] of all) {
    if (!isShare(metric)) continue;
    const [part, whole] = metric.shareOf;
    values[name] = shareOf(values[part] ?? null, values[whole] ?? null);
  }
  return values as MetricValues;
}

/** Adds values; unknown if one of them is. */
function addUp(
  before: number | null,
  value: number | null,
  { ofSeveral, unit }: Counted,
): number | null {
  if (before === null || value === null) return null;
  if (ofSeveral === 'largest') return Math.max(before, value);
  return unit === 'usd' ? addUsd(before, value) : before + value;
}

/** A label in small letters goes on from the last that begins with a capital. */
function* nameAlone(): Iterable<readonly [name: string, title: string]> {
  let whole = '';
  for (const [name, { label }] of Object.entries<Metric>(metrics)) {
    const isPart = label.startsWith(label.charAt(0).toLowerCase());
    if (!isPart) whole = label;
    yield [name, isPart ? `${whole}, ${label}` : label];
  }
}

/** Unknown where it is unknown for one of them. */
function leastOf({ run, bounds }: MetricInput, valueOf: ValueOf): number | undefined {
  if (bounds === undefined) return undefined;
  return [run, ...bounds].map(valueOf).reduce(lesser);
}

function lesser(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.min(one, other);
}

function missesOf({ regret }: RunTotals): number {
  return regret.misses;
}

function aboveLeast(input: MetricInput, valueOf: ValueOf): number | undefined {
  const [own, least] = [valueOf(input.run), leastOf(input, valueOf)];
  return own === undefined || least === undefined ? undefined : own - least;
}

function regretOf({ costs, regret }: RunTotals): number | undefined {
  return costs && regret.regretNanoUsd;
}
