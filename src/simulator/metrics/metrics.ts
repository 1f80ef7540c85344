import {
  addUsd,
  type Counted,
  isShare,
  type Metric,
  type MetricInput,
  type MetricRow,
  metricRows,
  shareOf,
} from './metric-rows.ts';
import type { RunTotals } from './totals.ts';

/** Metric values of a run; `null` where unknown. */
export type MetricValues = Readonly<Record<MetricName, number | null>>;

/** The name of a metric. */
export type MetricName = keyof typeof metricRows;

const all = Object.entries<MetricRow>(metricRows).map(([name, row]) => [
  name,
  toMetric(name, row),
]) as [MetricName, Metric][];

/** All metrics by name, in the order of reports. */
export const metrics = Object.fromEntries(all) as Readonly<Record<MetricName, Metric>>;

/** The names of all metrics, in the order of reports. */
export const METRIC_NAMES: readonly MetricName[] = all.map(([name]) => name);

const HUNDREDTHS = 100;

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

/** Nobody knows what a recording's agent checked, believed or lost. */
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

const titles: ReadonlyMap<string, string> = new Map(nameAlone());

/** The metrics of something that never ran: all unknown. */
export const UNKNOWN_METRICS: MetricValues = tabulate(() => null);

/** Named before anything is measured. Source: evaluation design, section 9.5. */
export const PRIMARY_METRICS: readonly string[] = ['costUsd', 'regretUsd', 'compactions'];

/** The title of a metric that stands alone, such as `Overflows, after step`. */
export function titleOf(name: string): string {
  return titles.get(name) ?? name;
}

/** All metrics of a run. */
export function measure(input: MetricInput): MetricValues {
  return tabulate((metric, name) =>
    isTold(name, input.run) ? rounded(metric.of(input) ?? null, metric) : null,
  );
}

/** The part of a run in a metric of several; without a fired prune, its own number for the bound's. */
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

/** The metrics of several runs together; unknown where any is, or where there is none. */
export function combine(runs: readonly MetricValues[]): MetricValues {
  const sums = createMetricSums();
  for (const values of runs) sums.add(values);
  return sums.total();
}

/** Sums up the metrics of runs that are added one by one. */
export function createMetricSums() {
  const sums = new Map<MetricName, { isKnown: boolean; value: number | null }>();
  return {
    add: (values: MetricValues): void => {
      for (const [name, metric] of all) {
        if (isShare(metric)) continue;
        const own = values[name] ?? null;
        const value = own ?? addedBy(values, name);
        const sum = sums.get(name);
        if (sum === undefined) sums.set(name, { isKnown: own !== null, value });
        else {
          sum.isKnown ||= own !== null;
          sum.value = addUp(sum.value, value, metric);
        }
      }
    },
    total: (): MetricValues =>
      tabulate((_, name) => {
        const { isKnown = false, value = null } = sums.get(name) ?? {};
        return isKnown ? value : null;
      }),
  };
}

/** A recording tells few, and nothing of the cache or summaries without their usage. */
function isTold(name: MetricName, { recording }: RunTotals): boolean {
  if (recording === undefined) return true;
  if (recording.isCacheUnknown && CACHE_METRICS.has(name)) return false;
  if (recording.unknownCalls > 0 && SUMMARY_METRICS.has(name)) return false;
  return RECORDED_METRICS.has(name);
}

function tabulate(valueOf: (metric: Counted, name: MetricName) => number | null): MetricValues {
  const values: Record<string, number | null> = {};
  for (const [name, metric] of all) values[name] = isShare(metric) ? null : valueOf(metric, name);
  for (const [name, metric] of all) {
    if (!isShare(metric)) continue;
    const [part, whole] = metric.shareOf;
    values[name] = shareOf(values[part] ?? null, values[whole] ?? null);
  }
  return values as MetricValues;
}

function addUp(before: number | null, value: number | null, { ofSeveral, unit }: Counted) {
  if (before === null || value === null) return null;
  if (ofSeveral === 'largest') return Math.max(before, value);
  return unit === 'usd' ? addUsd(before, value) : rounded(before + value, { unit });
}

/** Expected counts have hundredths, so that their sums are the same in any order. */
function rounded(value: number | null, { unit }: Pick<Counted, 'unit'>): number | null {
  return value === null || unit !== 'count' ? value : Math.round(value * HUNDREDTHS) / HUNDREDTHS;
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

function toMetric(name: string, row: MetricRow): Metric {
  if ('shareOf' in row) return row;
  return {
    unit: 'count',
    ...row,
    of: row.of ?? (({ run }) => sumNamed(name, run.regret) ?? sumNamed(name, run)),
  };
}

function sumNamed(name: string, sums: object): number | undefined {
  const sum: unknown = Reflect.get(sums, name);
  return typeof sum === 'number' ? sum : undefined;
}
