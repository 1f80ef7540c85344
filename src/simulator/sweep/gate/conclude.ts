import { sum } from '../../lib/collections.ts';
import { describeNearest, quoted, quotedLong } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import { combine } from '../../metrics/metrics.ts';
import { clusterOf, countEvidence } from '../../metrics/statistics/verdict.ts';
import {
  type Change,
  type Changes,
  changesBy,
  type CheckReport,
  type CheckShard,
  type GateFinding,
  type GatePart,
  type GateReport,
  type HeldRun,
  type HeldScenario,
  toCheckReport,
} from '../../report/check-report.ts';
import { formatShortPercent } from '../../report/numbers.ts';
import type { UnreadInput } from '../../report/report.ts';
import type { Gate } from '../../scenario/gate.ts';
import { describeMissing, nameShard } from '../store/header.ts';
import { judge, keysOf, needsBaseline, numbersOf, takesEvidence } from './gates.ts';

/** One run of all, with the scenario that it is of. */
interface GatedRun extends HeldRun {
  readonly scenario: string;
  /** Scenario, or its family: further runs of it are no further evidence. */
  readonly cluster: string;
}

/** The failure of a gate over all runs, or why it is inconclusive. */
interface JudgedGate {
  readonly findings: readonly GateFinding[];
  readonly reasons: readonly string[];
}

/** A report with the name by which the user knows it. */
export interface NamedCheck {
  readonly name: string;
  readonly report: CheckReport;
}

/** The result of merging the parts of a check. */
type MergedCheck =
  | { readonly state: 'merged'; readonly report: CheckReport }
  /** Words that follow "but". */
  | { readonly state: 'refused'; readonly reason: string };

interface Part extends NamedCheck {
  readonly shard: CheckShard;
}

/** Share of compared runs without a number that a gate asks for, above which nothing can be said. */
const MOST_UNSCORED = 0.02;
const NOTHING = 'No scenario was checked.';

const COUNTS_ONCE = '; scenarios that replay sessions of one family count once';

/** How a check as a whole stands against its baseline. */
export function concludeGate(part: GatePart): GateReport {
  const runs = runsOf(part);
  const unscored = new Set(runs.filter(({ isUnscored }) => isUnscored));
  const unknown = new Set(runs.flatMap(({ unknownMetrics = [] }) => unknownMetrics));
  for (const gate of part.gates) {
    for (const run of lackingOf(gate, runs)) {
      unscored.add(run);
      unknown.add(gate.metric);
    }
  }
  const report = concludePart(part);
  const judged = part.gates.map((gate) => judgeAll(gate, runs));
  const reasons = [
    ...(part.scenarios.length + part.mismatches.length === 0 ? [NOTHING] : []),
    ...part.unasked.map((key) => describeUnasked(key, part)),
    ...tooManyUnscored(unscored.size, runs.length, [...unknown].toSorted()),
    ...judged.flatMap(({ reasons: own }) => own),
  ];
  return {
    ...report,
    unscoredRuns: unscored.size,
    findings: [...report.findings, ...judged.flatMap(({ findings }) => findings)],
    inconclusive: [...report.inconclusive, ...reasons.map((reason) => ({ reason }))],
  };
}

/** How one part of a check stands, of whose whole nothing can be said yet. */
export function concludePart(part: GatePart): GateReport {
  const { baseline, reason, mismatches, missing } = part;
  const scenarios = part.scenarios.toSorted(byName);
  const runs = runsOf(part);
  const reasons = [
    ...mismatches,
    ...scenarios.flatMap(({ inconclusive }) => inconclusive),
    ...missing.toSorted(),
  ];
  return {
    baseline,
    reason,
    changes: sumChanges(runs),
    comparedRuns: runs.length,
    unscoredRuns: runs.filter(({ isUnscored }) => isUnscored).length,
    findings: scenarios.flatMap(({ findings }) => findings),
    inconclusive: reasons.map((one) => ({ reason: one })),
  };
}

/** The report that one machine would have made of all scenarios; the order of the parts does not matter. */
export function mergeChecks(checks: readonly NamedCheck[]): MergedCheck {
  const parts = checks.flatMap(({ name, report }): readonly Part[] =>
    report.shard === undefined ? [] : [{ name, report, shard: report.shard }],
  );
  const reason = findMisfit(checks, parts);
  if (reason !== undefined) return { state: 'refused', reason };
  const ordered = parts.toSorted((a, b) => a.shard.index - b.shard.index);
  const scenarios = ordered.flatMap(({ report }) => report.scenarios).toSorted(byFile);
  const unread = mergeUnread(ordered);
  if (scenarios.length + unread.length === 0) {
    return { state: 'refused', reason: 'none of them has checked a scenario' };
  }
  const gate = mergeGates(ordered.flatMap(({ shard }) => shard.gate ?? []));
  const report = toCheckReport({ ...mergeOrigins(ordered), scenarios, unread });
  return { state: 'merged', report: { ...report, ...(gate && { gate: concludeGate(gate) }) } };
}

function sumChanges(runs: readonly HeldRun[]): Changes {
  return changesBy((metric) => {
    const sumOf = (key: keyof Change) =>
      sum(runs.map(({ changes }) => changes?.[metric][key] ?? 0));
    return { runs: sumOf('runs'), baseline: sumOf('baseline'), now: sumOf('now') };
  });
}

function runsOf({ scenarios }: GatePart): readonly GatedRun[] {
  return scenarios.toSorted(byName).flatMap(({ scenario, family, runs }) => {
    const cluster = clusterOf({ session: scenario, family });
    return runs.map((run) => ({ ...run, scenario, cluster }));
  });
}

/** Whatever the order in which they were checked. */
function byName(a: HeldScenario, b: HeldScenario): number {
  return compareTexts(a.scenario, b.scenario);
}

function lackingOf(gate: Gate, runs: readonly GatedRun[]): readonly GatedRun[] {
  return runs.filter(({ numbers }) => numbers !== undefined && !isKnown(gate, numbers));
}

function isKnown(gate: Gate, numbers: NonNullable<HeldRun['numbers']>): boolean {
  const { baseline, now } = numbersOf(gate, numbers);
  return now !== null && (baseline !== null || !needsBaseline(gate));
}

/** A gate over all runs is asked of their totals, and knows the single runs. */
function judgeAll(gate: Gate, runs: readonly GatedRun[]): JudgedGate {
  const known = runs.flatMap(({ scenario, cluster, numbers }) =>
    numbers !== undefined && isKnown(gate, numbers) ? [{ scenario, cluster, ...numbers }] : [],
  );
  const nothing: JudgedGate = { findings: [], reasons: [] };
  if (known.length === 0) return nothing;
  const verdict = judge(gate, {
    ...numbersOf(gate, {
      baseline: combine(known.map(({ baseline }) => baseline)),
      now: combine(known.map(({ now }) => now)),
    }),
    pairs: known.map(({ cluster, ...numbers }) => {
      const { baseline, now } = numbersOf(gate, numbers);
      return { a: baseline ?? 0, b: now ?? 0, cluster };
    }),
  });
  const { type, metric } = gate;
  if (verdict.state === 'undecided') {
    const reason = `Gate ${type} on ${metric}: expected ${verdict.expected}, got ${verdict.got}.`;
    return { ...nothing, reasons: [reason] };
  }
  if (verdict.state !== 'failed') return nothing;
  const { expected } = verdict;
  const note = takesEvidence(gate) && areDependent(known) ? COUNTS_ONCE : '';
  const finding = { kind: 'gate', type, metric, expected, got: `${verdict.got}${note}` } as const;
  return { ...nothing, findings: [finding] };
}

function areDependent(runs: readonly Pick<GatedRun, 'scenario' | 'cluster'>[]): boolean {
  const members = runs.map(({ scenario, cluster }) => ({ session: scenario, family: cluster }));
  const { sessions, families } = countEvidence(members);
  return families < sessions;
}

/** Gates that no run has asked, most likely for a slip in their key. */
function describeUnasked(key: string, { scenarios }: GatePart): string {
  const keys = scenarios.flatMap(({ scenario, runs }) =>
    runs.flatMap(({ run }) => keysOf(scenario, run)),
  );
  return `There are gates for ${quoted(key)}, but no such run${describeNearest(key, new Set(keys))}.`;
}

function tooManyUnscored(
  unscored: number,
  compared: number,
  metrics: readonly string[],
): readonly string[] {
  if (unscored <= compared * MOST_UNSCORED) return [];
  const most = `more than ${formatShortPercent(MOST_UNSCORED)} is too many`;
  const which = metrics.length === 0 ? '' : ` (${metrics.join(', ')})`;
  return [`${unscored} of ${compared} runs lack a number that a gate needs${which}; ${most}.`];
}

function findMisfit(checks: readonly NamedCheck[], parts: readonly Part[]): string | undefined {
  const whole = checks.find(({ report }) => report.shard === undefined);
  if (whole !== undefined)
    return `${quotedLong(whole.name)} is none; 'check --shard i/n' writes some`;
  const [first] = parts;
  if (first === undefined) return 'there is none';
  const { count, check, version } = first.shard;
  for (const [position, { name, shard }] of parts.entries()) {
    if (shard.count !== count) {
      return `${quotedLong(name)} is one of ${shard.count} shards, ${quotedLong(first.name)} one of ${count}`;
    }
    if (shard.version !== version) {
      return `${quotedLong(name)} is of ${releaseOf(shard)}, ${quotedLong(first.name)} of ${releaseOf(first.shard)}`;
    }
    if (shard.check !== check) {
      return `${quotedLong(name)} is of other scenarios or options than ${quotedLong(first.name)}`;
    }
    const twin = parts.slice(0, position).find((one) => one.shard.index === shard.index);
    if (twin) {
      return `${quotedLong(twin.name)} and ${quotedLong(name)} are both shard ${nameShard(shard)}`;
    }
  }
  return describeMissing(
    parts.map(({ shard }) => shard.index),
    count,
  );
}

function releaseOf({ version }: CheckShard): string {
  return `release ${version}`;
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return compareTexts(a.file, b.file);
}

function mergeUnread(parts: readonly Part[]): readonly UnreadInput[] {
  const [first, ...others] = parts.map(({ report }) => report.unread);
  if (first === undefined) return [];
  const isInAll = (one: UnreadInput) => others.every((unread) => unread.some(isSame(one)));
  const shared = first.filter(isInAll);
  const own = parts
    .flatMap(({ report }) => report.unread)
    .filter((one) => !shared.some(isSame(one)));
  return [...shared, ...own.toSorted(byFile)];
}

function isSame({ file, reason }: UnreadInput): (other: UnreadInput) => boolean {
  return (other) => other.file === file && other.reason === reason;
}

function mergeGates(parts: readonly GatePart[]): GatePart | undefined {
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  return {
    ...first,
    missing: parts.flatMap(({ missing }) => missing),
    unasked: first.unasked.filter((key) => others.every(({ unasked }) => unasked.includes(key))),
    scenarios: parts.flatMap(({ scenarios }) => scenarios),
  };
}

/** Parts of one check differ in the models that they met alone. */
function mergeOrigins(parts: readonly Part[]): Pick<CheckReport, 'origin'> {
  const origins = parts.flatMap(({ report }) => report.origin ?? []);
  const [first] = origins;
  const tokenizers = Object.assign({}, ...origins.map((origin) => origin.tokenizers));
  return first === undefined ? {} : { origin: { ...first, tokenizers } };
}
