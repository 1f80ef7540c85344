import { sum } from '../../lib/collections.ts';
import { describeNearest, quoted } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import { combine } from '../../metrics/metrics.ts';
import { clusterOf } from '../../metrics/statistics/verdict.ts';
import type { Changes, GateFinding, GatePart, GateReport } from '../../report/check-report.ts';
import { formatShortPercent } from '../../report/numbers.ts';
import type { Gate } from '../../scenario/gate.ts';
import { keysOf } from './compare-runs.ts';
import { isKnown, judgeGate, numbersOf, takesEvidence } from './judge-gate.ts';

type Runs = ReturnType<typeof runsOf>;

/** Share of compared runs without a number that a gate asks for, above which nothing can be said. */
const MOST_UNSCORED = 0.02;
const COUNTS_ONCE = '; scenarios that replay sessions of one family count once';

/** How a check as a whole stands against its baseline. */
export function toGateReport(part: GatePart): GateReport {
  const runs = runsOf(part);
  const unscored = new Set(runs.filter(({ isUnscored }) => isUnscored));
  const unknown = new Set(runs.flatMap(({ unknownMetrics = [] }) => unknownMetrics));
  const report = toPartReport(part);
  const findings: GateFinding[] = [];
  const undecided: string[] = [];
  for (const gate of part.gates) {
    const { type, metric } = gate;
    for (const run of runs) {
      if (run.numbers === undefined || isKnown(gate, numbersOf(gate, run.numbers))) continue;
      unscored.add(run);
      unknown.add(metric);
    }
    const { state, expected = '', got = '' } = judgeAll(gate, runs) ?? {};
    if (state === 'failed') findings.push({ kind: 'gate', type, metric, expected, got });
    if (state === 'undecided')
      undecided.push(`Gate ${type} on ${metric}: expected ${expected}, got ${got}.`);
  }
  const hasNothing = part.scenarios.length + part.mismatches.length === 0;
  const reasons = [
    ...(hasNothing ? ['No scenario was checked.'] : []),
    ...part.unasked.map((key) => describeUnasked(key, runs)),
    ...(unscored.size <= runs.length * MOST_UNSCORED
      ? []
      : [describeUnscored(unscored.size, runs.length, [...unknown].toSorted())]),
    ...undecided,
  ];
  return {
    ...report,
    unscoredRuns: unscored.size,
    findings: [...report.findings, ...findings],
    inconclusive: [...report.inconclusive, ...reasons.map((reason) => ({ reason }))],
  };
}

/** How one part of a check stands, of whose whole nothing can be said yet. */
export function toPartReport(part: GatePart): GateReport {
  const { baseline, reason, mismatches, missing } = part;
  const scenarios = byName(part);
  const runs = runsOf(part);
  const reasons = [
    ...mismatches,
    ...scenarios.flatMap(({ inconclusive }) => inconclusive),
    ...missing.toSorted(),
  ];
  const changeOf = (metric: keyof Changes) => {
    const sumOf = (key: keyof Changes[typeof metric]) =>
      sum(runs.map(({ changes }) => changes?.[metric][key] ?? 0));
    return { runs: sumOf('runs'), baseline: sumOf('baseline'), now: sumOf('now') };
  };
  return {
    baseline,
    reason,
    changes: {
      costUsd: changeOf('costUsd'),
      misses: changeOf('misses'),
      unrecoverableMisses: changeOf('unrecoverableMisses'),
    },
    comparedRuns: runs.length,
    unscoredRuns: runs.filter(({ isUnscored }) => isUnscored).length,
    findings: scenarios.flatMap(({ findings }) => findings),
    inconclusive: reasons.map((one) => ({ reason: one })),
  };
}

function byName({ scenarios }: GatePart): GatePart['scenarios'] {
  return scenarios.toSorted((a, b) => compareTexts(a.scenario, b.scenario));
}

/** All runs, each with its scenario and the cluster in which further runs are no further evidence. */
function runsOf(part: GatePart) {
  return byName(part).flatMap(({ scenario, family, runs }) => {
    const cluster = clusterOf({ session: scenario, family });
    return runs.map((run) => ({ ...run, scenario, cluster }));
  });
}

/** A gate over all runs is asked of their totals, and knows the single runs; nothing where none has its number. */
function judgeAll(gate: Gate, runs: Runs) {
  const known = runs.flatMap(({ scenario, cluster, numbers }) =>
    numbers !== undefined && isKnown(gate, numbersOf(gate, numbers))
      ? [{ scenario, cluster, ...numbers }]
      : [],
  );
  if (known.length === 0) return undefined;
  const baseline = combine(known.map((run) => run.baseline));
  const now = combine(known.map((run) => run.now));
  const pairs = known.map(({ cluster, ...numbers }) => {
    const { baseline: a, now: b } = numbersOf(gate, numbers);
    return { a: a ?? 0, b: b ?? 0, cluster };
  });
  const verdict = judgeGate(gate, { ...numbersOf(gate, { baseline, now }), pairs });
  if (verdict.state !== 'failed' || !takesEvidence(gate)) return verdict;
  const sizeOf = (key: 'scenario' | 'cluster') => new Set(known.map((run) => run[key])).size;
  const isOnce = sizeOf('cluster') < sizeOf('scenario');
  return isOnce ? { ...verdict, got: `${verdict.got}${COUNTS_ONCE}` } : verdict;
}

function describeUnasked(key: string, runs: Runs): string {
  const keys = new Set(runs.flatMap(({ scenario, run }) => keysOf(scenario, run)));
  return `There are gates for ${quoted(key)}, but no such run${describeNearest(key, keys)}.`;
}

function describeUnscored(unscored: number, compared: number, metrics: readonly string[]): string {
  const most = `more than ${formatShortPercent(MOST_UNSCORED)} is too many`;
  const which = metrics.length === 0 ? '' : ` (${metrics.join(', ')})`;
  return `${unscored} of ${compared} runs lack a number that a gate needs${which}; ${most}.`;
}
