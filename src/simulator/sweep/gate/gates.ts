/** Holds metrics against gates. */

import { HarnessError } from '../../errors.ts';
import type { Metric } from '../../metrics/metric.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { isAtMost } from '../../metrics/statistics/at-most.ts';
import type { Pair } from '../../metrics/statistics/pair.ts';
import { named } from '../../names.ts';
import { formatExact } from '../../report/numbers.ts';
import type { Gate } from '../../scenario/gate/config.ts';
import type { GateType } from '../../scenario/gate/gate-types.ts';
import { judgeNoninferior } from './noninferior.ts';
import { type GateVerdict, type Known, PASSED } from './verdict.ts';

/** A number as it was and as it is; `null` is unknown. */
export interface Compared {
  readonly baseline: number | null;
  readonly now: number | null;
  /** The single runs behind it, where it stands for several. */
  readonly pairs?: readonly Pair[];
}

type Judge<Type extends GateType> = (
  gate: Gate & { readonly type: Type },
  numbers: Known,
) => GateVerdict;

/** What each type of gate holds a number against. Source: evaluation design, section 9.6. */
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
    return { state: 'undecided', expected: 'a baseline of at least 0', got: formatExact(baseline) };
  }
  return verdict(
    { isGood: isAtMost(now, baseline * limit), now },
    `at most ${limit} × ${formatExact(baseline)}`,
  );
}

function verdict(
  { isGood, now }: { readonly isGood: boolean; readonly now: number },
  expected: string,
): GateVerdict {
  return isGood ? PASSED : { state: 'failed', expected, got: formatExact(now) };
}
