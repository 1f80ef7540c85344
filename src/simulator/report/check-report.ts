import type { Policy } from '../../engine/index.ts';
import type { RunEvent, RunState } from '../events.ts';
import type { MetricValues } from '../metrics/metrics.ts';
import type { RunKey } from '../metrics/record.ts';
import type { Place } from '../scenario/file/amounts.ts';
import type { Gate, GateType } from '../scenario/gate.ts';
import type { Bill } from './check-bill.ts';
import { unreadProblems } from './kept.ts';
import { shownText } from './markup.ts';
import { countOf, formatCount, formatUsd } from './numbers.ts';
import type { Origin } from './origin.ts';
import type { Terminal, UnreadInput } from './report.ts';
import { renderSawtooth } from './sawtooth.ts';
import { describeChange } from './verdict-lines.ts';

/** The outcome of checking some scenarios. */
export interface CheckReport {
  readonly schemaVersion: number;
  /** Absent in reports of releases that did not tell. */
  readonly origin?: Origin;
  readonly passed: number;
  readonly failed: number;
  readonly scenarios: readonly CheckedScenario[];
  readonly unread: readonly UnreadInput[];
  /** How it stands against a baseline; absent where none was named. */
  readonly gate?: GateReport;
  /** Absent where all scenarios were to be checked in one go. */
  readonly shard?: CheckShard;
}

/** Which part of a check a report is of, and what only the whole can tell. */
export interface CheckShard {
  readonly index: number;
  readonly count: number;
  /** Hash of what all parts of one check have in common. */
  readonly check: string;
  /** The release that made it. */
  readonly version: string;
  readonly gate?: GatePart;
}

/** A scenario as it is reported: without events, with charts where they are wanted. */
export interface CheckedScenario extends Omit<ScenarioResult, 'runs'> {
  readonly runs: readonly CheckedRun[];
}

/** A run as it is reported. */
export type CheckedRun = Omit<ScenarioRunResult, 'events' | 'made'> & { readonly chart?: string };

/** One way to write the outcome of a check down. */
export interface CheckFormat {
  /** Of the file it is usually written to, with its dot. */
  readonly extension: string;
  readonly describes: string;
  render(report: CheckReport, terminal: Terminal): string;
}

/** The outcome of the runs of one scenario. */
export interface ScenarioResult {
  /** The path as the scenario was read from. */
  readonly file: string;
  readonly name: string;
  readonly runs: readonly ScenarioRunResult[];
  /** Names of the runs of tiers that were not asked for, which were not made; absent where there are none. */
  readonly leftOut?: readonly string[];
  /** Every run is as expected. */
  readonly passed: boolean;
}

/** One run of a scenario, held against what its file expects. */
export interface ScenarioRunResult {
  readonly name: string;
  /** Where it stands in its file; absent of what no scenario file describes, and in reports of releases that did not tell. */
  readonly at?: Place;
  readonly policy: string;
  readonly state: RunState;
  readonly reason?: string;
  /** Expectations that are not met, in the order of the file; empty for a run that passed. */
  readonly failures: readonly ExpectationFailure[];
  /** All unknown for a run that broke off. */
  readonly metrics: MetricValues;
  /** Absent of a run that broke off, and where nobody asked. */
  readonly bill?: Bill;
  /** In order; of a run that broke off, those before. */
  readonly events: readonly RunEvent[];
  readonly made: MadeWith;
}

/** The policy, model and summarizer of a run, its names resolved. */
export interface MadeWith extends RunKey {
  /** With every setting applied. */
  readonly resolvedPolicy: Policy;
}

/** An expectation that is not met, with where it stands in its file. */
export interface ExpectationFailure extends Place {
  /** Words that follow "expected". */
  readonly expected: string;
  /** Words that follow "got". */
  readonly got: string;
}

/** Something that a change did which the baseline does not have. */
export type GateFinding =
  /** A run is another than that of the baseline: its events, or what it came to. */
  | {
      readonly kind: 'events';
      readonly scenario: string;
      readonly run: string;
      /** Absent where it happened before the first step. */
      readonly step?: number;
      /** Set where the logs are the same and nobody can say where something else is not. */
      readonly isUnlogged?: true;
      /** The rule of the policy that made the first event that differs. */
      readonly rule: string;
      readonly baseline: string;
      readonly now: string;
      /** Lines of the log before it, oldest first. */
      readonly before: readonly string[];
    }
  /** A number that a gate of the configuration does not let pass. */
  | {
      readonly kind: 'gate';
      /** Absent for a gate over all runs together. */
      readonly scenario?: string;
      readonly run?: string;
      readonly type: GateType;
      readonly metric: string;
      /** Words that follow "expected". */
      readonly expected: string;
      /** Words that follow "got". */
      readonly got: string;
    };

/** Why nothing can be said: what was compared is not comparable, or too much of it has no number. */
export interface Inconclusive {
  readonly reason: string;
}

/** A number in the baseline and now, or its sums over so many runs. */
export interface Change {
  readonly runs: number;
  readonly baseline: number;
  readonly now: number;
}

/** What a change comes to, over the runs that ended alike on both sides and have the number there. */
export type Changes = Readonly<Record<'costUsd' | 'misses' | 'unrecoverableMisses', Change>>;

/** How a check stands against its baseline. */
export interface GateReport {
  /** The folder of the baseline as named. */
  readonly baseline: string;
  /** Absent in reports of releases that did not tell. */
  readonly changes?: Changes;
  /** Why the baseline was last written. */
  readonly reason: string;
  readonly comparedRuns: number;
  /** Runs that a gate asked for a number which is unknown. */
  readonly unscoredRuns: number;
  readonly findings: readonly GateFinding[];
  readonly inconclusive: readonly Inconclusive[];
}

/** One run on both sides. */
export interface HeldRun {
  readonly run: string;
  /** A gate of its own asks for a number that is unknown. */
  readonly isUnscored: boolean;
  /** The numbers that all gates tell of; absent in reports of releases that did not tell. */
  readonly changes?: Changes;
  /** The metrics of those numbers; absent where there are none. */
  readonly unknownMetrics?: readonly string[];
  /** The metrics that gates over all runs examine; absent where there is no such gate. */
  readonly numbers?: { readonly baseline: MetricValues; readonly now: MetricValues };
}

/** How one scenario stands against its baseline. */
export interface HeldScenario {
  readonly scenario: string;
  /**
   * The first by name of the scenarios that replay sessions of one family with its own; absent where it stands alone,
   * and where no gate asks.
   */
  readonly family?: string;
  /** Why it cannot be compared; empty where it can. */
  readonly inconclusive: readonly string[];
  readonly findings: readonly GateFinding[];
  /** Those that were compared. */
  readonly runs: readonly HeldRun[];
}

/** The outcome of one part of a check, before the whole is judged. */
export interface GatePart extends Pick<GateReport, 'baseline' | 'reason'> {
  /** Why nothing can be compared at all; empty where it can. */
  readonly mismatches: readonly string[];
  /** Entries of the baseline that were to be checked and were not. */
  readonly missing: readonly string[];
  /** Keys of gates for single runs that no run of this part has. */
  readonly unasked: readonly string[];
  /** Over all runs together. */
  readonly gates: readonly Gate[];
  readonly scenarios: readonly HeldScenario[];
}

/** The outcome of a check: nothing wrong, something wrong, or not comparable. */
export type CheckState = 'good' | 'bad' | 'inconclusive';

/** The version of the shape of `CheckReport`. */
export const CHECK_SCHEMA_VERSION = 1;

const NOTHING_COMPARED = 'nothing was compared with a baseline';

/** A scenario as it is reported, under the name that its file is shown by, with charts drawn for a terminal where that is named. */
export function toChecked(
  { runs, ...rest }: ScenarioResult,
  { file, chartsFor }: { readonly file: string; readonly chartsFor?: Terminal | undefined },
): CheckedScenario {
  return {
    ...rest,
    file,
    runs: runs.map(({ events, made: { policy }, ...run }) => ({
      ...run,
      policy,
      ...(chartsFor && { chart: renderSawtooth(events, chartsFor) }),
    })),
  };
}

/** The report of some scenarios. */
export function toCheckReport({
  origin,
  scenarios,
  unread,
}: Pick<CheckReport, 'origin' | 'scenarios' | 'unread'>): CheckReport {
  const passed = scenarios.filter((scenario) => scenario.passed).length;
  const failed = scenarios.length - passed;
  const schemaVersion = CHECK_SCHEMA_VERSION;
  return { schemaVersion, ...(origin && { origin }), passed, failed, scenarios, unread };
}

/** The changes of all numbers that a report against a baseline begins with. */
export function changesBy(changeOf: (metric: keyof Changes) => Change): Changes {
  return {
    costUsd: changeOf('costUsd'),
    misses: changeOf('misses'),
    unrecoverableMisses: changeOf('unrecoverableMisses'),
  };
}

/** Where something cannot be compared, nothing else matters. */
export function stateOfCheck({ failed, unread, gate }: CheckReport): CheckState {
  if (gate !== undefined && gate.inconclusive.length > 0) return 'inconclusive';
  const isBad = failed > 0 || unread.length > 0 || (gate?.findings.length ?? 0) > 0;
  return isBad ? 'bad' : 'good';
}

/** The outcome in sentences: money and losses where there is a baseline, and what passed. */
export function outcomeLines(report: CheckReport): readonly string[] {
  return [...describeChanges(report), `${describeVerdict(report)}.`];
}

/** How many scenarios passed, and how they stand against the baseline where there is one. */
export function describeVerdict(report: CheckReport): string {
  const { scenarios, gate, passed, failed, unread } = report;
  const runs = scenarios.reduce((total, scenario) => total + scenario.runs.length, 0);
  const counts = [
    `${formatCount(passed)} passed`,
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
    ...(unread.length === 0 ? [] : [`${formatCount(unread.length)} not read`]),
  ].join(', ');
  const standing = gate === undefined ? '' : `; ${standingOf(gate)}`;
  return `${countOf(scenarios.length, 'scenario')}, ${countOf(runs, 'run')}: ${counts}${standing}`;
}

/** Cost and losses in the baseline and now; nothing where no run has both. */
export function describeChanges({ gate }: Pick<CheckReport, 'gate'>): readonly string[] {
  if (gate?.changes === undefined) return [];
  const { costUsd, misses, unrecoverableMisses: forGood } = gate.changes;
  const { baseline: from, now: to } = costUsd;
  const percent = describeChange({ from, to, low: null, high: null }).replace('-', '−');
  const good =
    forGood.baseline + forGood.now === 0 ? '' : `, for good ${forGood.baseline} → ${forGood.now}`;
  const cost = `cost ${formatUsd(from)} → ${formatUsd(to)}${percent && ` (${percent})`}`;
  const losses = `losses ${formatCount(misses.baseline)} → ${formatCount(misses.now)}${good}`;
  const isSame = costUsd.runs === misses.runs;
  const parts = [
    ...(costUsd.runs === 0 ? [] : [isSame ? cost : `${cost} over ${countOf(costUsd.runs, 'run')}`]),
    ...(misses.runs === 0 ? [] : [`${losses} over ${countOf(misses.runs, 'run')}`]),
  ].join(', ');
  return parts === '' ? [] : [`${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`];
}

/** The verdict as JSON has it: how many scenarios passed, and where to look first; absent where all is well. */
export function verdictOfCheck(report: CheckReport) {
  const first = firstToSee(report);
  const { passed, scenarios } = report;
  const [changes] = describeChanges(report);
  return {
    ...(changes !== undefined && { changes }),
    state: stateOfCheck(report),
    passed,
    scenarios: scenarios.length,
    ...(first !== undefined && { first }),
  };
}

/** Where to look first, in one sentence. */
export function describeFirst(report: CheckReport): readonly string[] {
  const first = firstToSee(report);
  return first === undefined ? [] : [`Look first: ${first}`];
}

/** How many runs were compared, and what came of it. */
export function headline(gate: GateReport): string {
  const { baseline, comparedRuns } = gate;
  return `Against ${shownText(baseline)}, ${countOf(comparedRuns, 'run')}: ${outcomeOf(gate)}.`;
}

/** One finding as one sentence. */
export function describeFinding(finding: GateFinding): string {
  return findingLines(finding)[0] ?? '';
}

/** The scenario and run that a finding is about, as far as it is about one. */
export function placeOf({ scenario, run }: GateFinding): string {
  if (scenario === undefined) return 'all runs';
  return shownText(run === undefined ? scenario : `${scenario}: ${run}`);
}

/** Where in a run its log is another than that of the baseline. */
export function momentOf({
  step,
  isUnlogged,
}: Pick<GateFinding & { readonly kind: 'events' }, 'step' | 'isUnlogged'>): string {
  if (isUnlogged) return 'somewhere in the run';
  return step === undefined ? 'before the first step' : `step ${step}`;
}

/** Something not as expected, else not read, else not as before. */
function firstToSee({ scenarios, unread, gate }: CheckReport): string | undefined {
  const failures = scenarios.flatMap(({ name, runs }) =>
    runs.flatMap((run) =>
      run.failures.map(
        ({ expected, got }) => `${name}: ${run.name}: expected ${expected}, got ${got}`,
      ),
    ),
  );
  const all = [
    ...failures,
    ...unread.flatMap(unreadProblems),
    ...(gate?.findings ?? []).map(describeFinding),
    ...(gate?.inconclusive ?? []).map(({ reason }) => reason),
  ];
  return all[0];
}

function standingOf({ comparedRuns, findings, inconclusive }: GateReport): string {
  const isCompared = comparedRuns > 0;
  const lack = isCompared ? 'the comparison is inconclusive' : NOTHING_COMPARED;
  const worse = [
    ...(findings.length === 0
      ? []
      : [`${countOf(findings.length, 'difference')} from the baseline`]),
    ...(inconclusive.length === 0 ? [] : [lack]),
  ];
  if (worse.length > 0) return worse.join(', ');
  return isCompared ? 'no difference from the baseline' : NOTHING_COMPARED;
}

function outcomeOf({ comparedRuns, findings, inconclusive }: GateReport): string {
  if (inconclusive.length > 0) return 'inconclusive';
  if (findings.length > 0) return countOf(findings.length, 'difference');
  return comparedRuns === 0 ? 'nothing was compared' : 'as before';
}

/** One finding: a sentence, and the log around an event that differs. */
export function findingLines(finding: GateFinding): readonly string[] {
  const place = placeOf(finding);
  if (finding.kind === 'gate') {
    const { type, metric, expected, got } = finding;
    return [`${place}: gate ${type} on ${metric}: expected ${expected}, got ${got}`];
  }
  const { rule, now, baseline, before } = finding;
  return [
    `${place}: ${momentOf(finding)}: ${shownText(rule)}: ${shownText(now)}, baseline ${shownText(baseline)}`,
    ...before.map((line) => `  ${shownText(line)}`),
    `- ${shownText(baseline)}`,
    `+ ${shownText(now)}`,
  ];
}
