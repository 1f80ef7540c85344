import { groupBy, joinGroups } from '../simulator/lib/collections.ts';
import { badOption, HarnessError, messageOf, unlessWrongInput } from '../simulator/lib/errors.ts';
import { quoted } from '../simulator/lib/names.ts';
import { clusterOf } from '../simulator/metrics/statistics/verdict.ts';
import type { CheckReport, GatePart, ScenarioResult } from '../simulator/report/check-report.ts';
import { shownText } from '../simulator/report/markup.ts';
import type { BenchConfig, Gate } from '../simulator/scenario/gate.ts';
import { badConfig, type FoundConfig } from '../simulator/scenario/read-config.ts';
import { openNamed } from '../simulator/session/load.ts';
import {
  byName,
  type CopyCandidate,
  familiesWithCopies,
  findRepeats,
  toCopyCandidate,
} from '../simulator/session/find-copies.ts';
import {
  type Baseline,
  type BaselineHeader,
  baselineMismatches,
  checkBaselineFolder,
  createHeader,
  readBaseline,
  type ScenarioRecord,
  sourceMismatch,
  writeBaseline,
} from '../simulator/sweep/gate/baseline.ts';
import { toScenarioRecord } from '../simulator/sweep/gate/case-record.ts';
import { createComparison } from '../simulator/sweep/gate/compare-runs.ts';
import { checkGates, takesEvidence } from '../simulator/sweep/gate/judge-gate.ts';
import { readChecked } from './check-inputs.ts';
import { readVersion } from './package.ts';
import { DEFAULT_MODEL } from './plan/options.ts';
import { type CliIo, printDone, printNote } from './process/io.ts';
import { checkOutFolder } from './process/out-folder.ts';

interface GateChoice {
  readonly baseline?: string | undefined;
  readonly bless?: true | undefined;
  readonly reason?: string | undefined;
}

interface GateSurroundings {
  /** All scenarios are checked, here or in another shard. */
  readonly isWhole: boolean;
  /** Those of this shard; absent if there is one shard. */
  readonly isHere?: ((scenario: string) => boolean) | undefined;
  readonly catalogHash: string;
  /** Of all shards. */
  readonly files: readonly string[];
}

interface GateRun {
  /** True if the scenario is as in the baseline, or nothing is compared; `source` is its file's hash. */
  readonly add: (result: ScenarioResult, source: string) => boolean;
  end(report: CheckReport): GatePart | undefined;
  /** Tells whether the baseline was written, and what it had to give up. */
  note?(report: CheckReport, io: CliIo): void;
}

type BaselinePlace = Pick<Baseline, 'folder' | 'header'>;

/** The gate at the baseline of the command line, else of the configuration; absent without either. */
export function openGate(
  choice: GateChoice,
  found: FoundConfig | undefined,
  around: GateSurroundings,
): GateRun | undefined {
  const reason = reasonOf(choice);
  const config = found?.config ?? {};
  const folder = choice.baseline ?? config.baseline;
  const hasGates = found !== undefined && checkConfig(found);
  if (folder !== undefined) {
    const facts = { version: readVersion(), catalog: around.catalogHash, reason: reason ?? '' };
    const place = { folder, header: createHeader(facts) };
    return reason === undefined
      ? openComparison(place, config, around)
      : openBlessing(place, around);
  }
  if (reason !== undefined)
    throw badOption("Expected '--bless' to come with '--baseline FOLDER', got no folder.");
  if (!hasGates) return undefined;
  // Gates that nobody asks would pass.
  const name = quoted(found.file);
  throw badOption(
    `Expected a baseline for the gates of ${name}, got none; '--baseline' names one.`,
  );
}

/** Scenarios that replay sessions of one family, each with the first of them by name. */
export function familiesOfScenarios(files: readonly string[]): ReadonlyMap<string, string> {
  const replayed = files.flatMap((file) => {
    const scenario = unlessWrongInput(() => readChecked(file, () => DEFAULT_MODEL));
    if (scenario instanceof HarnessError) return [];
    return scenario.runs.flatMap(({ session }) =>
      session.type === 'file' ? [{ scenario: scenario.name, path: session.path.value }] : [],
    );
  });
  const candidates = new Map<string, CopyCandidate>();
  for (const path of new Set(replayed.map((one) => one.path))) {
    const opened = openNamed(path);
    if (opened.state === 'read') candidates.set(path, toCopyCandidate(opened.session));
  }
  const families = familiesWithCopies(byName(findRepeats([...candidates.values()])));
  const groups = groupBy(replayed, ({ path }) => {
    const session = candidates.get(path)?.name;
    return session && clusterOf({ session, family: families.get(session) });
  });
  const scenarios = [...groups.values()].map((own) => [
    ...new Set(own.map(({ scenario }) => scenario)),
  ]);
  return joinGroups(scenarios.filter(({ length }) => length > 1));
}

function reasonOf({ bless, reason }: GateChoice): string | undefined {
  if (!bless) {
    if (reason === undefined) return undefined;
    throw badOption("Expected '--reason' to come with '--bless', got it alone.");
  }
  if (reason !== undefined && reason.trim() !== '') return reason;
  throw badOption("Expected '--bless' to come with '--reason TEXT', got no reason.");
}

/** True if there are gates. Throws at an unknown metric, and where nothing would be asked. */
function checkConfig({ file, config, describeAt }: FoundConfig): boolean {
  const { gates = [], cases = {} } = config;
  const check = (list: readonly Gate[], ...path: readonly string[]) => {
    for (const [index, gate] of list.entries()) {
      try {
        checkGates([gate]);
      } catch (error) {
        const place = [...path, index, 'metric'];
        throw badConfig(file, `: ${describeAt(place, messageOf(error))}`, error);
      }
    }
  };
  check(gates, 'gates');
  for (const [name, list] of Object.entries(cases)) check(list, 'cases', name);
  const hasGates = gates.length + Object.values(cases).flat().length > 0;
  if (config.events !== 'ignored' || hasGates) return hasGates;
  throw badConfig(file, ' with gates where events are ignored, got none.');
}

function openComparison(
  { folder, header }: BaselinePlace,
  config: BenchConfig,
  { files, ...around }: GateSurroundings,
): GateRun {
  const { gates = [] } = config;
  const baseline = readBaseline(folder);
  if (baseline === undefined) {
    const reason = `Expected a baseline in ${quoted(folder)}, got none; '--bless --reason TEXT' writes one.`;
    const nothing = { missing: [], unasked: [], scenarios: [] };
    const part = { baseline: folder, reason: '', mismatches: [reason], gates, ...nothing };
    return { add: () => true, end: () => part };
  }
  const families = gates.some(takesEvidence) ? familiesOfScenarios(files) : undefined;
  return createComparison({ ...around, baseline, header, config, families });
}

/** Scenarios that were not run keep what they had; of a whole, those that are no more go. */
function openBlessing(
  { folder, header }: BaselinePlace,
  { isWhole, isHere }: GateSurroundings,
): GateRun {
  checkBaselineFolder(folder);
  checkOutFolder(folder, 'the baseline');
  let earlier = isWhole && isHere === undefined ? undefined : readBaseline(folder);
  const [mismatch] = earlier === undefined ? [] : baselineMismatches(earlier, header);
  // One baseline has one header: what stays in it has to be comparable with what comes.
  if (mismatch !== undefined)
    throw badOption(`Expected all scenarios to be blessed at once. ${mismatch}`);
  const scenarios = new Map<string, ScenarioRecord>(earlier?.scenarios);
  const fresh = new Set<string>();
  const losses = new Set<string>();
  return {
    add: (result, source) => {
      const { name, leftOut = [] } = result;
      if (fresh.has(name)) {
        const message = `Expected each scenario of a baseline to have a name of its own, got ${quoted(name)} twice.`;
        throw new HarnessError('BAD_SCENARIO', message);
      }
      fresh.add(name);
      const made = toScenarioRecord(result, source);
      // Only then, so that a broken baseline can be blessed over.
      if (leftOut.length > 0) earlier ??= readBaseline(folder);
      const before = leftOut.length > 0 ? earlier : undefined;
      const { runs, lost } = withLeftOut(made, leftOut, { before, header });
      if (lost !== undefined) losses.add(lost);
      if (runs.length > 0) scenarios.set(name, { ...made, runs });
      else scenarios.delete(name);
      return true;
    },
    end: (report) => {
      if (isGood(report)) writeBaseline({ folder, header, scenarios });
      return undefined;
    },
    note: (report, io) => {
      if (!isGood(report)) {
        printNote(io, 'No baseline was written, for what fails its own expectations is none.');
        return;
      }
      printDone(io, `Baseline written: ${shownText(folder)}`);
      const gone = 'Runs that were left out now are gone from it.';
      if (losses.size > 0) printNote(io, [...losses, gone].join(' '));
    },
  };
}

function isGood({ failed, unread }: CheckReport): boolean {
  return failed + unread.length === 0;
}

/** Runs that were left out stay as an earlier baseline has them, or are lost for a reason. */
function withLeftOut(
  { scenario, source, runs }: ScenarioRecord,
  leftOut: readonly string[],
  { before, header }: { before: Baseline | undefined; header: BaselineHeader },
): { readonly runs: ScenarioRecord['runs']; readonly lost?: string } {
  const record = before?.scenarios.get(scenario);
  if (before === undefined || record === undefined) return { runs };
  const [mismatch = sourceMismatch(record, source)] = baselineMismatches(before, header);
  if (mismatch !== undefined) {
    const isLost = record.runs.some(({ run }) => leftOut.includes(run));
    return { runs, ...(isLost && { lost: mismatch }) };
  }
  const names = new Set([...runs.map(({ run }) => run), ...leftOut]);
  const kept = record.runs.filter(({ run }) => names.has(run));
  return { runs: [...new Map([...kept, ...runs].map((run) => [run.run, run])).values()] };
}
