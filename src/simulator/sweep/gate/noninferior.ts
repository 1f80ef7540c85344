import { type Change, estimateChange } from '../../metrics/judge-difference.ts';
import type { Metric } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import { isAtMost } from '../../metrics/statistics/at-most.ts';
import { type Interval, mapInterval } from '../../metrics/statistics/interval.ts';
import { formatEnds } from '../../report/intervals.ts';
import { formatExact } from '../../report/numbers.ts';
import { percentOf } from '../../report/percent.ts';
import type { Gate } from '../../scenario/gate/config.ts';
import { type GateVerdict, type Known, PASSED } from './verdict.ts';

/** How a change is told: of cost as a share more, of anything else in the unit of the metric. */
interface Shown {
  readonly value: number;
  readonly interval: Interval | null;
  readonly margin: number;
  readonly unit: '' | ' %';
}

const TOO_FEW: GateVerdict = {
  state: 'undecided',
  expected: 'two independent scenarios at least',
  got: "one, which has no interval; under 'cases' it asks single runs",
};
const SEED = 1;
/** Digits that are shown of a difference: the fewest that tell its worse end from the margin; the last are all that are more than rounding. */
const DIGITS = [4, 6, 12] as const;

/**
 * What a gate of no inferiority says. Of several runs the whole interval of their mean difference, of cost of their
 * ratio, has to lie within the margin; where they have none, nothing is known of other runs. A run that stands for
 * itself alone needs none.
 */
export function judgeNoninferior(
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

/** How much worse it may be. */
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

/** How much worse a single run is. */
function describeOne(shown: Shown, worst: number): string {
  return `worse by ${formatWith(shown, worst)(worst)}`;
}

/** The mean with its interval. */
function describeMany(shown: Shown, worst: number): string {
  const { value, interval } = shown;
  if (interval === null) return describeOne(shown, worst);
  const exact = formatWith(shown, worst);
  const signed = (amount: number) => `${amount > 0 ? '+' : ''}${exact(amount)}`;
  return `a mean difference of ${signed(value)} (95 % interval ${formatEnds(interval, signed)})`;
}

/** Amounts in as many digits as it takes to see that the worst is beyond the margin. */
function formatWith({ margin, unit }: Shown, worst: number): (amount: number) => string {
  const digits = DIGITS.find((some) => roundTo(worst, some) > margin) ?? DIGITS[2];
  return (amount) => `${formatExact(roundTo(amount, digits))}${unit}`;
}

/** Digits before the point are never rounded away. */
function roundTo(value: number, digits: number): number {
  const whole = String(Math.trunc(Math.abs(value))).length;
  return Number(value.toPrecision(Math.max(digits, whole)));
}
