import { HarnessError } from '../../lib/errors.ts';
import { named } from '../../lib/names.ts';
import type { Metric } from '../../metrics/metric.ts';
import { type MetricName, metrics, type MetricValues } from '../../metrics/metrics.ts';
import { type Change, estimateChange } from '../../metrics/statistics/judge-difference.ts';
import type { Pair } from '../../metrics/statistics/mean-difference.ts';
import { isAtMost } from '../../metrics/statistics/verdict.ts';
import { formatEnds, formatExact, percentOf } from '../../report/numbers.ts';
import type { Gate } from '../../scenario/gate.ts';

interface Compared {
  readonly baseline: number | null;
  readonly now: number | null;
  /** The single runs behind it, where it stands for several. */
  readonly pairs?: readonly Pair[];
}

interface GateVerdict {
  readonly state: 'passed' | 'unscored' | 'failed' | 'undecided';
  readonly expected: string;
  readonly got: string;
}

const METRICS: Readonly<Record<string, Metric>> = metrics;
const SEED = 1;
const PASSED: GateVerdict = { state: 'passed', expected: '', got: '' };
const UNSCORED: GateVerdict = { ...PASSED, state: 'unscored' };
/** Digits of a difference: the fewest that tell its worse end from the margin are shown. */
const DIGITS = [4, 6, 12] as const;

export function judgeGate(gate: Gate, { baseline: before, now, pairs }: Compared): GateVerdict {
  if (!isKnown(gate, { baseline: before, now }) || now === null) return UNSCORED;
  const baseline = before ?? 0;
  const verdict = (isGood: boolean, expected: string): GateVerdict =>
    isGood ? PASSED : { state: 'failed', expected, got: formatExact(now) };
  switch (gate.type) {
    case 'exact':
      return verdict(now === baseline, `${formatExact(baseline)} as in the baseline`);
    case 'max':
      return verdict(now <= gate.limit, `at most ${formatExact(gate.limit)}`);
    case 'min':
      return verdict(now >= gate.limit, `at least ${formatExact(gate.limit)}`);
    case 'ratio': {
      const got = formatExact(baseline);
      // A ratio to a number below 0 means nothing.
      if (baseline < 0) return { state: 'undecided', expected: 'a baseline of at least 0', got };
      return verdict(isAtMost(now, baseline * gate.limit), `at most ${gate.limit} × ${got}`);
    }
    case 'noninferior':
      return judgeNoninferior(gate, pairs ?? [{ a: baseline, b: now }], pairs !== undefined);
  }
}

/** Returns true if both sides have what a gate asks: limits need no baseline. */
export function isKnown({ type }: Gate, { baseline, now }: Compared) {
  return now !== null && (baseline !== null || type === 'max' || type === 'min');
}

export function takesEvidence({ type }: Gate) {
  return type === 'noninferior';
}

export function checkGates(gates: readonly Gate[]) {
  for (const { metric, type } of gates) {
    const { better } = named('metric', METRICS, metric);
    if (type !== 'noninferior' || better !== undefined) continue;
    const message = `Expected the gate noninferior to be on a metric with a better direction, got ${metric}.`;
    throw new HarnessError('BAD_CONFIG', message);
  }
}

export function numbersOf(
  { metric }: Gate,
  { baseline, now }: { readonly baseline: MetricValues; readonly now: MetricValues },
) {
  const name = metric as MetricName;
  return { baseline: baseline[name] ?? null, now: now[name] ?? null };
}

/** The whole interval of the mean difference, for cost of the ratio, must lie within the margin. */
function judgeNoninferior(
  { metric, margin }: Gate & { readonly type: 'noninferior' },
  pairs: readonly Pair[],
  areSeveral: boolean,
): GateVerdict {
  const change = estimateChange(metric, pairs, { seed: SEED });
  if (change === undefined) return UNSCORED;
  const { value, interval } = change.estimate;
  if (areSeveral && interval === null) {
    const got = "one, which has no interval; under 'cases' it asks single runs";
    return { state: 'undecided', expected: 'two independent scenarios at least', got };
  }
  const { low, high } = interval ?? { low: value, high: value };
  const same = change.kind === 'ratio' ? 1 : 0;
  const worst = METRICS[metric]?.better === 'higher' ? same - low : high - same;
  return isAtMost(worst, margin) ? PASSED : describeWorse(change, worst, margin);
}

function describeWorse(
  { kind, estimate: { value, interval } }: Change,
  worst: number,
  margin: number,
): GateVerdict {
  const isShare = kind === 'ratio';
  const unit = isShare ? ' %' : '';
  const shownMargin = isShare ? roundTo(percentOf(margin), DIGITS[1]) : margin;
  const shownWorst = isShare ? percentOf(worst) : worst;
  const digits = DIGITS.find((some) => roundTo(shownWorst, some) > shownMargin) ?? DIGITS[2];
  const exact = (amount: number) => `${formatExact(roundTo(amount, digits))}${unit}`;
  const expected = `no worse than the baseline by more than ${formatExact(shownMargin)}${unit}`;
  if (interval === null) return { state: 'failed', expected, got: `worse by ${exact(shownWorst)}` };
  const signed = (end: number) => {
    const amount = isShare ? percentOf(end - 1) : end;
    return `${amount > 0 ? '+' : ''}${exact(amount)}`;
  };
  const got = `a mean difference of ${signed(value)} (95 % interval ${formatEnds(interval, signed)})`;
  return { state: 'failed', expected, got };
}

/** Digits before the point are never rounded away. */
function roundTo(value: number, digits: number) {
  const whole = String(Math.trunc(Math.abs(value))).length;
  return Number(value.toPrecision(Math.max(digits, whole)));
}
