/** Holds metrics against gates. */

import { HarnessError } from '../../lib/errors.ts';
import { named } from '../../lib/names.ts';
import type { Metric } from '../../metrics/metric.ts';
import { type MetricName, metrics, type MetricValues } from '../../metrics/metrics.ts';
import { type Interval, mapInterval } from '../../metrics/statistics/interval.ts';
import { type Change, estimateChange } from '../../metrics/statistics/judge-difference.ts';
import type { Pair } from '../../metrics/statistics/mean-difference.ts';
import { isAtMost } from '../../metrics/statistics/verdict.ts';
import { formatEnds, formatExact, percentOf } from '../../report/numbers.ts';
import type { Gate, GateType } from '../../scenario/gate.ts';

/** A number as it was and as it is; `null` is unknown. */
interface Compared {
  readonly baseline: number | null;
  readonly now: number | null;
  /** The single runs behind it, where it stands for several. */
  readonly pairs?: readonly Pair[];
}

type Judge<Type extends GateType> = (
  gate: Gate & { readonly type: Type },
  numbers: Known,
) => GateVerdict;

/** How a change is told: of cost as a share more, of anything else in the unit of the metric. */
interface Shown {
  readonly value: number;
  readonly interval: Interval | null;
  readonly margin: number;
  readonly unit: '' | ' %';
}

/** A number as it was and as it is, with the single runs behind it where it stands for several. */
interface Known {
  readonly baseline: number;
  readonly now: number;
  readonly pairs?: readonly Pair[];
}

/** A gate's verdict on a number. */
export type GateVerdict =
  | { readonly state: 'passed' }
  /** Words that follow "expected" and "got". */
  | { readonly state: 'failed'; readonly expected: string; readonly got: string }
  | { readonly state: 'unscored' }
  /** The numbers are none that the gate can be asked of. Words that follow "expected" and "got". */
  | { readonly state: 'undecided'; readonly expected: string; readonly got: string };

/** The metrics of something on both sides. */
interface BothMetrics {
  readonly baseline: MetricValues;
  readonly now: MetricValues;
}

const PASSED: GateVerdict = { state: 'passed' };

const SEED = 1;

const TOO_FEW: GateVerdict = {
  state: 'undecided',
  expected: 'two independent scenarios at least',
  got: "one, which has no interval; under 'cases' it asks single runs",
};

/** Digits that are shown of a difference: the fewest that tell its worse end from the margin; the last are all that are more than rounding. */
const DIGITS = [4, 6, 12] as const;

/** The rule of each type of gate. Source: evaluation design, section 9.6. */
const judges: { readonly [Type in GateType]: Judge<Type> } = {
  exact: (_, { baseline, now }) =>
    verdict({ isGood: now === baseline, now }, `${formatExact(baseline)} as in the baseline`),
  max: ({ limit }, { now }) =>
    verdict({ isGood: now <= limit, now }, `at most ${formatExact(limit)}`),
  min: ({ limit }, { now }) =>
    verdict({ isGood: now >= limit, now }, `at least ${formatExact(limit)}`),
  ratio: judgeRatio,
  noninferior: judgeNoninferior,
};

/** Holds a number against a gate; one that is unknown on a side that the gate asks is not scored. */
export function judge(gate: Gate, { baseline, now, pairs }: Compared): GateVerdict {
  if (now === null || (baseline === null && needsBaseline(gate))) return { state: 'unscored' };
  const numbers = { baseline: baseline ?? 0, now, ...(pairs && { pairs }) };
  const judgeOf = judges[gate.type] as Judge<GateType>;
  return judgeOf(gate, numbers);
}

/** Returns true if a gate needs the number of the baseline. */
export function needsBaseline({ type }: Gate): boolean {
  return type !== 'max' && type !== 'min';
}

/** Returns true if a gate over all runs takes them as evidence, not as a total. */
export function takesEvidence({ type }: Gate): boolean {
  return type === 'noninferior';
}

/** Throws at a gate that no number can be held against. */
export function checkGates(gates: readonly Gate[]): void {
  for (const { metric, type } of gates) {
    const { better } = named<Readonly<Record<MetricName, Metric>>>('metric', metrics, metric);
    if (type !== 'noninferior' || better !== undefined) continue;
    const message = `Expected the gate noninferior to be on a metric with a better direction, got ${metric}.`;
    throw new HarnessError('BAD_CONFIG', message);
  }
}

/** The number that a gate asks for, on both sides. */
export function numbersOf({ metric }: Gate, { baseline, now }: BothMetrics): Compared {
  const name = metric as MetricName;
  return { baseline: baseline[name] ?? null, now: now[name] ?? null };
}

/** The keys of a configuration by which one run has gates of its own. */
export function keysOf(scenario: string, run: string): readonly string[] {
  return [scenario, `${scenario}: ${run}`];
}

function verdict(
  { isGood, now }: { readonly isGood: boolean; readonly now: number },
  expected: string,
): GateVerdict {
  return isGood ? PASSED : { state: 'failed', expected, got: formatExact(now) };
}

/** A ratio to a number below 0 means nothing. */
function judgeRatio(
  { limit }: Gate & { readonly type: 'ratio' },
  { baseline, now }: Known,
): GateVerdict {
  if (baseline < 0) {
    return { state: 'undecided', expected: 'a baseline of at least 0', got: formatExact(baseline) };
  }
  return verdict(
    { isGood: isAtMost(now, baseline * limit), now },
    `at most ${limit} × ${formatExact(baseline)}`,
  );
}

/**
 * Judges no inferiority: the whole interval of the runs' mean difference, for cost of their ratio, must lie within the margin.
 * Without an interval the result is unknown; a single run needs none.
 */
function judgeNoninferior(
  { metric, margin }: Gate & { readonly type: 'noninferior' },
  { baseline, now, pairs }: Known,
): GateVerdict {
  const change = estimateChange(metric, pairs ?? [{ a: baseline, b: now }], { seed: SEED });
  if (change === undefined) return { state: 'unscored' };
  if (pairs !== undefined && change.estimate.interval === null) return TOO_FEW;
  const worst = worstOf(change, (metrics as Readonly<Record<string, Metric>>)[metric]?.better);
  if (isAtMost(worst, margin)) return PASSED;
  const shown = toShown(change, margin);
  const worstShown = shown.unit === '' ? worst : percentOf(worst);
  return {
    state: 'failed',
    expected: `no worse than the baseline by more than ${formatExact(shown.margin)}${shown.unit}`,
    got: pairs === undefined ? describeOne(shown, worstShown) : describeMany(shown, worstShown),
  };
}

function worstOf(
  { kind, estimate: { value, interval } }: Change,
  better: Metric['better'] | undefined,
): number {
  const { low, high } = interval ?? { low: value, high: value };
  const same = kind === 'ratio' ? 1 : 0;
  return better === 'higher' ? same - low : high - same;
}

function toShown({ kind, estimate: { value, interval } }: Change, margin: number): Shown {
  if (kind === 'difference') return { value, interval, margin, unit: '' };
  return {
    value: percentMore(value),
    interval: mapInterval(interval, percentMore),
    margin: roundTo(percentOf(margin), DIGITS[1]),
    unit: ' %',
  };
}

function percentMore(ratio: number): number {
  return percentOf(ratio - 1);
}

/** Digits before the point are never rounded away. */
function roundTo(value: number, digits: number): number {
  const whole = String(Math.trunc(Math.abs(value))).length;
  return Number(value.toPrecision(Math.max(digits, whole)));
}

function describeOne(shown: Shown, worst: number): string {
  return `worse by ${formatWith(shown, worst)(worst)}`;
}

/** Amounts in as many digits as it takes to see that the worst is beyond the margin. */
function formatWith({ margin, unit }: Shown, worst: number): (amount: number) => string {
  const digits = DIGITS.find((some) => roundTo(worst, some) > margin) ?? DIGITS[2];
  return (amount) => `${formatExact(roundTo(amount, digits))}${unit}`;
}

function describeMany(shown: Shown, worst: number): string {
  const { value, interval } = shown;
  if (interval === null) return describeOne(shown, worst);
  const exact = formatWith(shown, worst);
  const signed = (amount: number) => `${amount > 0 ? '+' : ''}${exact(amount)}`;
  return `a mean difference of ${signed(value)} (95 % interval ${formatEnds(interval, signed)})`;
}
