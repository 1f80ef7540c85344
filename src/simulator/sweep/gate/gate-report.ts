import { sum } from '../../lib/collections.ts';
import { describeNearest, quoted, quotedLong } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import { combine } from '../../metrics/metrics.ts';
import { clusterOf } from '../../metrics/statistics/verdict.ts';
import {
  type Changes,
  type CheckReport,
  type CheckShard,
  type GateFinding,
  type GatePart,
  toCheckReport,
} from '../../report/check-report.ts';
import { formatShortPercent } from '../../report/numbers.ts';
import type { UnreadInput } from '../../report/report.ts';
import type { Gate } from '../../scenario/gate.ts';
import { describeMisfit, refused } from '../store/header.ts';
import { isKnown, judgeGate, keysOf, numbersOf, takesEvidence } from './compare-runs.ts';

export interface NamedCheck {
  readonly name: string;
  readonly report: CheckReport;
}

type Part = NamedCheck & { readonly shard: CheckShard };

/** Nothing can be said where a larger share of runs lacks a number that a gate asks for. */
const MOST_UNSCORED = 0.02;
const COUNTS_ONCE = '; scenarios that replay sessions of one family count once';

export function toGateReport(part: GatePart) {
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
  const keys = new Set(runs.flatMap(({ scenario, run }) => keysOf(scenario, run)));
  const which = unknown.size === 0 ? '' : ` (${[...unknown].toSorted().join(', ')})`;
  const most = `more than ${formatShortPercent(MOST_UNSCORED)} is too many`;
  const lack = `${unscored.size} of ${runs.length} runs lack a number that a gate needs${which}; ${most}.`;
  const reasons = [
    ...(hasNothing ? ['No scenario was checked.'] : []),
    // Most likely for a slip in their key.
    ...part.unasked.map(
      (key) => `There are gates for ${quoted(key)}, but no such run${describeNearest(key, keys)}.`,
    ),
    ...(unscored.size > runs.length * MOST_UNSCORED ? [lack] : []),
    ...undecided,
  ];
  return {
    ...report,
    unscoredRuns: unscored.size,
    findings: [...report.findings, ...findings],
    inconclusive: [...report.inconclusive, ...reasons.map((reason) => ({ reason }))],
  };
}

export function toPartReport(part: GatePart) {
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

export function mergeChecks(checks: readonly NamedCheck[]) {
  const parts = checks.flatMap(({ name, report }): readonly Part[] =>
    report.shard === undefined ? [] : [{ name, report, shard: report.shard }],
  );
  const reason = findMisfit(checks, parts);
  if (reason !== undefined) return refused(reason);
  const ordered = parts.toSorted((a, b) => a.shard.index - b.shard.index);
  const scenarios = ordered.flatMap(({ report }) => report.scenarios).toSorted(byFile);
  const unread = mergeUnread(ordered.map(({ report }) => report.unread));
  if (scenarios.length + unread.length === 0) return refused('none of them has checked a scenario');
  const gate = mergeGates(ordered.flatMap(({ shard }) => shard.gate ?? []));
  // Parts of one check differ in the models that they met alone.
  const origins = ordered.flatMap(({ report }) => report.origin ?? []);
  const tokenizers = Object.assign({}, ...origins.map((origin) => origin.tokenizers));
  const [first] = origins;
  const origin = first && { origin: { ...first, tokenizers } };
  const report = toCheckReport({ ...origin, scenarios, unread });
  const merged: CheckReport = { ...report, ...(gate && { gate: toGateReport(gate) }) };
  return { state: 'merged' as const, report: merged };
}

function byName({ scenarios }: GatePart) {
  return scenarios.toSorted((a, b) => compareTexts(a.scenario, b.scenario));
}

function runsOf(part: GatePart) {
  return byName(part).flatMap(({ scenario, family, runs }) => {
    const cluster = clusterOf({ session: scenario, family });
    return runs.map((run) => ({ ...run, scenario, cluster }));
  });
}

function judgeAll(gate: Gate, runs: ReturnType<typeof runsOf>) {
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

function findMisfit(checks: readonly NamedCheck[], parts: readonly Part[]) {
  const whole = checks.find(({ report }) => report.shard === undefined);
  if (whole !== undefined)
    return `${quotedLong(whole.name)} is none; 'check --shard i/n' writes some`;
  const [first] = parts;
  if (first === undefined) return 'there is none';
  const { count, check, version } = first.shard;
  const firstName = quotedLong(first.name);
  return describeMisfit(parts, ({ shard }) => {
    if (shard.count !== count) return undefined;
    if (shard.version !== version)
      return `is of release ${shard.version}, ${firstName} of release ${version}`;
    return shard.check === check ? undefined : `is of other scenarios or options than ${firstName}`;
  });
}

function byFile(a: { readonly file: string }, b: { readonly file: string }) {
  return compareTexts(a.file, b.file);
}

function mergeUnread(lists: readonly (readonly UnreadInput[])[]) {
  const shared = (lists[0] ?? []).filter((one) => lists.every((list) => has(list, one)));
  const others = lists.flat().filter((one) => !has(shared, one));
  return [...shared, ...others.toSorted(byFile)];
}

function has(list: readonly UnreadInput[], { file, reason }: UnreadInput) {
  return list.some((other) => other.file === file && other.reason === reason);
}

function mergeGates(parts: readonly GatePart[]) {
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  return {
    ...first,
    missing: parts.flatMap((one) => one.missing),
    unasked: first.unasked.filter((key) => others.every((one) => one.unasked.includes(key))),
    scenarios: parts.flatMap((one) => one.scenarios),
  };
}
