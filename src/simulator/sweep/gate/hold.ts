import { quoted } from '../../lib/names.ts';
import type { MetricName } from '../../metrics/metrics.ts';
import {
  type Changes,
  changesBy,
  type GateFinding,
  type GatePart,
  type HeldRun,
  type HeldScenario,
  type ScenarioResult,
} from '../../report/check-report.ts';
import { countOf } from '../../report/numbers.ts';
import type { BenchConfig, Gate } from '../../scenario/gate.ts';
import {
  type Baseline,
  type BaselineHeader,
  baselineMismatches,
  scenarioMismatches,
  type ScenarioRecord,
  sourceMismatch,
} from './baseline.ts';
import { type CaseRecord, firstDifference, toCaseRecord } from './case-record.ts';
import { checkGates, type GateVerdict, judge, keysOf, numbersOf } from './gates.ts';

interface HoldOptions {
  readonly baseline: Baseline;
  /** Of the program as it is now. */
  readonly header: BaselineHeader;
  readonly config: BenchConfig;
  /** True if all scenarios of the baseline are checked, here or in another part. */
  readonly isWhole: boolean;
  /** True for the scenarios of this part; absent if all are. */
  readonly isHere?: ((scenario: string) => boolean) | undefined;
  /** The family of each scenario that is no independent evidence; all stand alone where absent. */
  readonly families?: ReadonlyMap<string, string> | undefined;
}

/** Holds one scenario after another against a baseline. */
interface Hold {
  /** Returns true if the scenario is as in the baseline. */
  add(result: ScenarioResult, record: ScenarioRecord): boolean;
  end(): GatePart;
}

/** One run on both sides. */
interface ComparedRun {
  readonly scenario: string;
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
}

/** A gate of a single run, and what it says. */
interface AskedGate {
  readonly gate: Gate;
  readonly verdict: GateVerdict;
}

/** Runs of tiers that were not asked for, which nobody misses. */
interface LeftOutRuns {
  /** Hash of the scenario's file. */
  readonly source: string;
  readonly runs: readonly string[];
}

/** Scenarios of a baseline seen so far. */
interface Seen {
  readonly held: readonly HeldScenario[];
  /** By scenario. */
  readonly leftOut: ReadonlyMap<string, LeftOutRuns>;
  /** True for scenarios to check here. */
  readonly isHere: (scenario: string) => boolean;
}

/** One run on both sides, with the versions of the program that made them. */
interface NumberedRun {
  readonly scenario: string;
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
  readonly versions: { readonly baseline: string; readonly now: string };
}

const EVERY_RUN = '*';

/** The record of a scenario as a baseline keeps it; `source` is the hash of its file. */
export function toScenarioRecord(result: ScenarioResult, source: string): ScenarioRecord {
  return { scenario: result.name, source, runs: result.runs.map(toCaseRecord) };
}

/** A comparison that nothing was given to yet. Throws at a gate that makes no sense. */
export function createHold(options: HoldOptions): Hold {
  const { baseline, config, header, isWhole, isHere = () => true } = options;
  const { gates = [], cases = {} } = config;
  checkGates([...gates, ...Object.values(cases).flat()]);
  const mismatches = baselineMismatches(baseline, header);
  const scenarios: HeldScenario[] = [];
  const leftOut = new Map<string, LeftOutRuns>();
  return {
    add: (result, record) => {
      const { leftOut: runs } = result;
      if (runs !== undefined) leftOut.set(result.name, { source: record.source, runs });
      if (mismatches.length > 0 || result.runs.length === 0) return true;
      const family = options.families?.get(record.scenario);
      const held = { ...hold(result, record, options), ...(family !== undefined && { family }) };
      scenarios.push(held);
      return held.findings.length + held.inconclusive.length === 0;
    },
    end: () => {
      const isComplete = isWhole && mismatches.length === 0;
      const isUnasked = (key: string) => !scenarios.some((held) => isAsked(key, held));
      return {
        baseline: baseline.folder,
        reason: baseline.header.reason,
        mismatches,
        missing: isComplete ? findMissing(baseline, { held: scenarios, leftOut, isHere }) : [],
        unasked: isComplete ? Object.keys(cases).filter(isUnasked) : [],
        gates,
        scenarios,
      };
    },
  };
}

function hold(result: ScenarioResult, record: ScenarioRecord, options: HoldOptions): HeldScenario {
  const { scenario } = record;
  const inconclusive = scenarioMismatches(record, options.baseline);
  if (inconclusive.length > 0) return { scenario, inconclusive, findings: [], runs: [] };
  const before = options.baseline.scenarios.get(scenario)?.runs ?? [];
  const versions = { baseline: options.baseline.header.version, now: options.header.version };
  const held = record.runs.flatMap((now, index) => {
    const baseline = before.find(({ run }) => run === now.run);
    const run = result.runs[index];
    if (baseline === undefined || run === undefined) return [];
    const compared = { scenario, baseline, now };
    const difference =
      options.config.events === 'ignored'
        ? undefined
        : firstDifference(scenario, { baseline, now, result: run });
    const foreign = foreignNumbers({ ...compared, versions });
    return [{ ...holdRun(compared, options.config, difference), foreign }];
  });
  return {
    scenario,
    inconclusive: held.flatMap(({ foreign = [], inconclusive: own }) => [foreign, own].flat()),
    findings: held.flatMap(({ findings }) => findings),
    runs: held.map(({ run }) => run),
  };
}

/**
 * Why the numbers of a baseline are not those of its run, a sentence; nothing where they are, and where the events
 * differ, which tells why the numbers do. A number that the baseline does not have is newer than it.
 */
function foreignNumbers(run: NumberedRun): string | undefined {
  const { scenario, baseline, now } = run;
  if (now.digest !== baseline.digest) return undefined;
  const names = Object.keys(now.metrics) as readonly MetricName[];
  const [name, ...others] = names.filter(
    (one) => baseline.metrics[one] !== null && baseline.metrics[one] !== now.metrics[one],
  );
  if (name === undefined) return undefined;
  const place = `Run ${quoted(now.run)} of scenario ${quoted(scenario)}`;
  const first = `${name} ${baseline.metrics[name]}, now ${now.metrics[name] ?? 'unknown'}`;
  const more = others.length === 0 ? '' : ` and ${countOf(others.length, 'other')}`;
  return `${place} has the events of the baseline and not its numbers: ${first}${more}. ${causeOf(run)}`;
}

function causeOf({ versions: { baseline, now } }: NumberedRun): string {
  return baseline === now
    ? 'Most likely the file was changed by hand; else a metric was, and the scorer version was not.'
    : `Most likely they mean something else since version ${baseline}, which wrote it.`;
}

function holdRun(
  compared: ComparedRun,
  config: BenchConfig,
  difference: GateFinding | undefined,
): Pick<HeldScenario, 'findings' | 'inconclusive'> & { readonly run: HeldRun } {
  const { baseline, now } = compared;
  const numbers = { baseline: baseline.metrics, now: now.metrics };
  const asked = gatesOf(compared, config).map((gate) => ({
    gate,
    verdict: judge(gate, numbersOf(gate, numbers)),
  }));
  const unscored = asked.filter(({ verdict }) => verdict.state === 'unscored');
  const unknownMetrics = unscored.map(({ gate }) => gate.metric);
  const hasTotals = (config.gates ?? []).length > 0;
  return {
    run: {
      run: now.run,
      isUnscored: unscored.length > 0,
      changes: changesOf(compared),
      ...(unscored.length > 0 && { unknownMetrics }),
      ...(hasTotals && { numbers }),
    },
    findings: [...(difference === undefined ? [] : [difference]), ...failuresOf(asked, compared)],
    inconclusive: undecidedOf(asked, compared),
  };
}

/** A run that ends elsewhere than before is a finding, and no saving. */
function changesOf({ baseline, now }: ComparedRun): Changes {
  return changesBy((metric) => {
    const [before, after] = [baseline.metrics[metric], now.metrics[metric]];
    const isComparable = baseline.state === now.state && before !== null && after !== null;
    return isComparable
      ? { runs: 1, baseline: before, now: after }
      : { runs: 0, baseline: 0, now: 0 };
  });
}

function gatesOf({ scenario, now }: ComparedRun, { cases = {} }: BenchConfig): readonly Gate[] {
  return [EVERY_RUN, ...keysOf(scenario, now.run)].flatMap((key) =>
    Object.hasOwn(cases, key) ? (cases[key] ?? []) : [],
  );
}

function failuresOf(
  asked: readonly AskedGate[],
  { scenario, now }: ComparedRun,
): readonly GateFinding[] {
  return asked.flatMap(({ gate: { type, metric }, verdict }): readonly GateFinding[] => {
    if (verdict.state !== 'failed') return [];
    const { expected, got } = verdict;
    return [{ kind: 'gate', scenario, run: now.run, type, metric, expected, got }];
  });
}

function undecidedOf(
  asked: readonly AskedGate[],
  { scenario, now }: ComparedRun,
): readonly string[] {
  return asked.flatMap(({ gate: { type, metric }, verdict }) => {
    if (verdict.state !== 'undecided') return [];
    const { expected, got } = verdict;
    return `${scenario}: ${now.run}: gate ${type} on ${metric}: expected ${expected}, got ${got}.`;
  });
}

function isAsked(key: string, { scenario, runs }: HeldScenario): boolean {
  return key === EVERY_RUN || runs.some(({ run }) => keysOf(scenario, run).includes(key));
}

function findMissing({ scenarios }: Baseline, { held, leftOut, isHere }: Seen): readonly string[] {
  const byName = new Map(held.map((one) => [one.scenario, one]));
  return [...scenarios.values()]
    .filter(({ scenario, runs }) => isHere(scenario) && runs.length > 0)
    .flatMap((record) => {
      const seen = byName.get(record.scenario);
      const others = leftOut.get(record.scenario);
      if (seen === undefined) return missingOfUnseen(record, others);
      if (seen.runs.length === 0) return [];
      return missingRuns(record, [...seen.runs.map(({ run }) => run), ...(others?.runs ?? [])]);
    });
}

function missingOfUnseen(record: ScenarioRecord, others: LeftOutRuns | undefined) {
  if (others === undefined) {
    return [`Scenario ${quoted(record.scenario)} of the baseline was not checked.`];
  }
  const mismatch = sourceMismatch(record, others.source);
  return mismatch === undefined ? missingRuns(record, others.runs) : [mismatch];
}

function missingRuns(
  { scenario, runs }: ScenarioRecord,
  known: readonly string[],
): readonly string[] {
  return runs
    .filter(({ run }) => !known.includes(run))
    .map(({ run }) => `Run ${quoted(run)} of scenario ${quoted(scenario)} was not run.`);
}
