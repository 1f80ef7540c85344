/** Holds metrics against gates. */

import { HarnessError } from '../../errors.ts';
import { estimateChange } from '../../metrics/judge-difference.ts';
import type { Metric } from '../../metrics/metric.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { isAtMost } from '../../metrics/statistics/at-most.ts';
import type { Pair } from '../../metrics/statistics/pair.ts';
import { named } from '../../names.ts';
import { formatCount } from '../../report/numbers.ts';
import type { Gate } from '../../scenario/gate/config.ts';
import type { GateType } from '../../scenario/gate/gate-types.ts';

/** A number as it was and as it is; `null` is unknown. */
export interface Compared {
  readonly baseline: number | null;
  readonly now: number | null;
  /** The single runs behind it, where it stands for several. */
  readonly pairs?: readonly Pair[];
}

/** What a gate says of a number. */
export type GateVerdict =
  | { readonly state: 'passed' }
  /** Words that follow "expected" and "got". */
  | { readonly state: 'failed'; readonly expected: string; readonly got: string }
  | { readonly state: 'unscored' }
  /** The numbers are none that the gate can be asked of. Words that follow "expected" and "got". */
  | { readonly state: 'undecided'; readonly expected: string; readonly got: string };

interface Known {
  readonly baseline: number;
  readonly now: number;
  readonly pairs?: readonly Pair[];
}

type Judge<Type extends GateType> = (
  gate: Gate & { readonly type: Type },
  numbers: Known,
) => GateVerdict;

const PASSED: GateVerdict = { state: 'passed' };
const TOO_FEW: GateVerdict = {
  state: 'undecided',
  expected: 'two independent scenarios at least',
  got: "one, which has no interval; under 'cases' it asks single runs",
};
const SEED = 1;
const PERCENT = 100;
const PERCENT_DIGITS = 6;
/** As many as a difference has that are more than rounding. */
const DIFFERENCE_DIGITS = 12;

/** What each type of gate holds a number against. Source: evaluation design, section 9.6. */
const judges: { readonly [Type in GateType]: Judge<Type> } = {
  exact: (_, { baseline, now }) =>
    verdict(now === baseline, `${shown(baseline)} as in the baseline`, now),
  max: ({ limit }, { now }) => verdict(now <= limit, `at most ${shown(limit)}`, now),
  min: ({ limit }, { now }) => verdict(now >= limit, `at least ${shown(limit)}`, now),
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

/** Whether a gate asks for the number of the baseline too. */
export function needsBaseline({ type }: Gate): boolean {
  return type !== 'max' && type !== 'min';
}

/** Whether a gate over all runs takes them for evidence, and not for a total. */
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

/** What is at most so many times a number below 0 is no sign of anything. */
function judgeRatio(
  { limit }: Gate & { readonly type: 'ratio' },
  { baseline, now }: Known,
): GateVerdict {
  if (baseline < 0) {
    return { state: 'undecided', expected: 'a baseline of at least 0', got: shown(baseline) };
  }
  return verdict(isAtMost(now, baseline * limit), `at most ${limit} × ${shown(baseline)}`, now);
}

/**
 * Of several runs the whole interval of their mean difference, of cost of their ratio, has to lie within the margin; where
 * they have none, nothing is known of other runs. A run that stands for itself alone needs none.
 */
function judgeNoninferior(
  { metric, margin }: Gate & { readonly type: 'noninferior' },
  { baseline, now, pairs }: Known,
): GateVerdict {
  const change = estimateChange(metric, pairs ?? [{ a: baseline, b: now }], { seed: SEED });
  if (change === undefined) return { state: 'unscored' };
  const { kind, estimate } = change;
  if (pairs !== undefined && estimate.interval === null) return TOO_FEW;
  const { low, high } = estimate.interval ?? { low: estimate.value, high: estimate.value };
  const isHigherBetter = (metrics as Readonly<Record<string, Metric>>)[metric]?.better === 'higher';
  const same = kind === 'ratio' ? 1 : 0;
  const worst = isHigherBetter ? same - low : high - same;
  if (isAtMost(worst, margin)) return PASSED;
  const shownAs = kind === 'ratio' ? shownPercent : shown;
  const expected = `no worse than the baseline by more than ${shownAs(margin)}`;
  const by = Number(worst.toPrecision(DIFFERENCE_DIGITS));
  const possibly = pairs === undefined ? '' : ', as far as the runs can tell';
  return { state: 'failed', expected, got: `worse by ${shownAs(by)}${possibly}` };
}

function verdict(isGood: boolean, expected: string, now: number): GateVerdict {
  return isGood ? PASSED : { state: 'failed', expected, got: shown(now) };
}

function shown(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(value);
}

function shownPercent(share: number): string {
  return `${shown(Number((PERCENT * share).toPrecision(PERCENT_DIGITS)))} %`;
}
