import { badOption } from '../../lib/errors.ts';
import { badValue, named, quoted } from '../../lib/names.ts';
import { isShare, type Metric } from '../../metrics/metric-rows.ts';
import { metrics, titleOf } from '../../metrics/metrics.ts';
import type { NamedSettings, Objective } from '../../report/tune-report.ts';
import { parseTypedAmount } from '../../scenario/file/amounts.ts';
import { type Setting, settings, type SettingValue } from '../../scenario/settings.ts';

export interface Constraint {
  readonly of: 'setting' | 'metric';
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

type Unit = (Setting | Metric)['unit'];

const RANGE = /^\s*([^=]+?)\s*=\s*(\S*?)\s*\.\.\s*(\S*)\s*$/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)$/;

const WORDS: Readonly<Partial<Record<Unit, string>>> = {
  tokens: 'numbers of tokens, such as 16000, 16k or 1M',
  ratio: 'shares, such as 0.3',
  usd: 'dollars, such as 0.25',
};

const known: Readonly<Record<string, Metric>> = metrics;

const shortMetrics: Readonly<Record<string, Metric>> = {
  cost: metrics.costUsd,
  regret: metrics.regretUsd,
  compactions: metrics.compactions,
  tokens: metrics.inputTokens,
  latency: metrics.latencyMs,
};

const bounded: Readonly<Record<string, Setting | Metric>> = {
  ...shortMetrics,
  ...settings,
  ...metrics,
};

export function parseConstraint(text: string): Constraint {
  const [, given, low = '', high = ''] = RANGE.exec(text) ?? [];
  if (given === undefined || (low === '' && high === ''))
    throw badValue('--within', 'KEY=min..max with at least one end', text);
  const { unit } = named('setting or metric', bounded, given);
  const parseEnd = (end: string) => parseAmountOf(given, unit, end);
  const min = low === '' ? -Infinity : parseEnd(low);
  const max = high === '' ? Infinity : parseEnd(high);
  if (min > max)
    throw badOption(`Expected '--within' to have its lower end first, got ${quoted(text)}.`);
  if (Object.hasOwn(settings, given)) return { of: 'setting', name: given, min, max };
  return { of: 'metric', name: metricNameOf(given), min, max };
}

export function isWithin(value: SettingValue | null | undefined, { min, max }: Constraint) {
  return typeof value === 'number' && min <= value && value <= max;
}

export function findOutside(
  values: NamedSettings,
  constraints: readonly Constraint[],
): Constraint | undefined {
  return constraints.find((constraint) => {
    const { of, name } = constraint;
    return of === 'setting' && Object.hasOwn(values, name) && !isWithin(values[name], constraint);
  });
}

export function describeConstraint({ name, min, max }: Constraint): string {
  const ends = [min, max].map((end) => (Number.isFinite(end) ? String(end) : ''));
  return `${name}=${ends.join('..')}`;
}

export function findObjective(name: string): Objective {
  const metric = named('objective', { ...shortMetrics, ...known }, name);
  const metricName = metricNameOf(name);
  if (isShare(metric)) {
    // The mean of the quotients of sessions would be another number than that of sums.
    const nearest = metric.shareOf.find((part) => known[part]?.better !== undefined);
    const instead =
      nearest === undefined ? '' : ` The nearest metric that has one is ${quoted(nearest)}.`;
    throw badOption(
      `Expected '--objective' to be metrics that have a mean over sessions, got ${quoted(name)}, which is a quotient of two.${instead}`,
    );
  }
  const { better } = metric;
  if (better === undefined)
    throw badValue('--objective', 'metrics of which less or more is better', name);
  return { name, metric: metricName, label: titleOf(metricName), unit: metric.unit, better };
}

function parseAmountOf(name: string, unit: Unit, text: string) {
  if (NUMBER.test(text)) return Number(text);
  const tokens = unit === 'tokens' ? parseTypedAmount(text) : undefined;
  if (tokens !== undefined) return tokens;
  const expected = WORDS[unit] ?? 'plain numbers';
  throw badOption(
    `Expected the ends of ${name} in '--within' to be ${expected}, got ${quoted(text)}.`,
  );
}

function metricNameOf(name: string) {
  if (!Object.hasOwn(shortMetrics, name)) return name;
  return Object.keys(known).find((own) => known[own] === shortMetrics[name]) ?? name;
}
