import { groupBy, joinGroups } from '../simulator/lib/collections.ts';
import { badOption, HarnessError, messageOf, unlessWrongInput } from '../simulator/lib/errors.ts';
import { quoted } from '../simulator/lib/names.ts';
import { clusterOf } from '../simulator/metrics/statistics/verdict.ts';
import type { CheckReport, GatePart, ScenarioResult } from '../simulator/report/check-report.ts';
import { shownText } from '../simulator/report/markup.ts';
import type { Path } from '../simulator/scenario/file/yaml.ts';
import type { BenchConfig, Gate } from '../simulator/scenario/gate.ts';
import { badConfig, type FoundConfig } from '../simulator/scenario/read-config.ts';
import type { Scenario } from '../simulator/scenario/scenario.ts';
import { openNamed } from '../simulator/session/load.ts';
import {
  byName,
  type CopyCandidate,
  familiesWithCopies,
  findRepeats,
  toCopyCandidate,
} from '../simulator/session/repeats.ts';
import {
  type Baseline,
  baselineMismatches,
  checkBaselineFolder,
  createHeader,
  readBaseline,
  type ScenarioRecord,
  sourceMismatch,
  withEarlierRuns,
  writeBaseline,
} from '../simulator/sweep/gate/baseline.ts';
import { checkGates, takesEvidence } from '../simulator/sweep/gate/gates.ts';
import { createHold, toScenarioRecord } from '../simulator/sweep/gate/hold.ts';
import { readChecked } from './check-sessions.ts';
import { readVersion } from './package.ts';
import { DEFAULT_MODEL } from './plan/options.ts';
import type { CliIo } from './process/io.ts';
import { checkOutFolder } from './process/out-folder.ts';
import { printDone, printNote } from './process/output.ts';

/** The options of the gate, and of what is left out. */
interface GateChoice {
  readonly baseline?: string | undefined;
  readonly bless?: true | undefined;
  readonly reason?: string | undefined;
  readonly only?: string | undefined;
  readonly onlyFailed?: string | undefined;
  readonly maxFailures?: string | undefined;
  readonly tier?: string | undefined;
}

/** A gate of a configuration, and where it stands. */
interface PlacedGate {
  readonly gate: Gate;
  readonly path: Path;
}

/** The surroundings of a gate in a check. */
interface GateSurroundings extends Pick<GateOptions, 'catalogHash' | 'isHere' | 'files'> {
  /** True if the files were named one by one: they are a part of all. */
  readonly hasNamedFiles: boolean;
}

/** The baseline that a check is held against, or that it becomes. */
interface GateOptions {
  /** The folder of the baseline. */
  readonly baseline: string;
  readonly config: BenchConfig;
  /** Why the baseline is written anew; absent where it is held against. */
  readonly blessReason?: string | undefined;
  /** True if all scenarios are checked, here or in another shard. */
  readonly isWhole: boolean;
  /** True for the scenarios of this shard; absent if there is one shard. */
  readonly isHere?: ((scenario: string) => boolean) | undefined;
  readonly catalogHash: string;
  /** The files of all scenarios, also of those that are checked in another shard. */
  readonly files: readonly string[];
}

/** Sees one scenario after another, and ends with what that means for the baseline. */
export interface GateRun {
  /** The folder of the baseline that is written; absent where one is held against. */
  readonly folder?: string;
  /** Returns true if the scenario is as in the baseline, or nothing is compared. */
  add(result: ScenarioResult, source: string): boolean;
  /** Returns the result; `undefined` if it writes a baseline instead. */
  end(report: CheckReport): GatePart | undefined;
  /** Returns a sentence about what a written baseline had to drop; absent if nothing. */
  loss?(): string | undefined;
}

/** The contents and place of a baseline that is written. */
type BlessingOptions = Pick<GateOptions, 'baseline' | 'isWhole' | 'isHere'> &
  Pick<Baseline, 'header'>;

/** A scenario's part of the old baseline, and why it cannot stay; absent if it can. */
interface EarlierRecord {
  readonly record: ScenarioRecord;
  readonly mismatch?: string | undefined;
}

/** The baseline that is written over. */
interface Earlier {
  /** Those that stay whatever is checked. */
  readonly scenarios: Baseline['scenarios'];
  /** Asked only for scenarios of which something was left out, so that a broken baseline can be blessed over. */
  find(made: ScenarioRecord): EarlierRecord | undefined;
}

/** A recorded session that a scenario replays. */
interface ReplayedSession {
  readonly scenario: string;
  readonly candidate: CopyCandidate;
}

/** The gate at the baseline of the command line, else at that of the configuration; without either there is none. */
export function openGate(
  choice: GateChoice,
  found: FoundConfig | undefined,
  { hasNamedFiles, ...around }: GateSurroundings,
): GateRun | undefined {
  const blessReason = reasonOf(choice);
  const config = found?.config ?? {};
  const baseline = choice.baseline ?? config.baseline;
  if (found !== undefined) checkConfig(found);
  if (baseline !== undefined) {
    const isAll = isWhole(choice) && !hasNamedFiles;
    return createGateRun({ ...around, baseline, config, blessReason, isWhole: isAll });
  }
  if (blessReason !== undefined) {
    throw badOption("Expected '--bless' to come with '--baseline FOLDER', got no folder.");
  }
  if (found !== undefined && gatesIn(config).length > 0) throw gatesOnNothing(found.file);
  return undefined;
}

/** Tells whether the baseline that was asked for was written, and what it had to give up. */
export function noteBlessing(gate: GateRun, { failed, unread }: CheckReport, io: CliIo): void {
  if (gate.folder === undefined) return;
  if (failed > 0 || unread.length > 0) {
    printNote(io, 'No baseline was written, for what fails its own expectations is none.');
    return;
  }
  printDone(io, `Baseline written: ${shownText(gate.folder)}`);
  const lost = gate.loss?.();
  if (lost !== undefined) printNote(io, lost);
}

/**
 * The families of the scenarios in some files, as far as they replay recorded sessions: what a script makes has no time
 * of its own that tells a copy from what looks alike. What cannot be read is told of where it is checked.
 */
export function familiesOfScenarios(files: readonly string[]): ReadonlyMap<string, string> {
  const candidates = new Map<string, CopyCandidate | undefined>();
  const candidateOf = (path: string): CopyCandidate | undefined => {
    if (!candidates.has(path)) candidates.set(path, readCandidate(path));
    return candidates.get(path);
  };
  // Scenario by scenario, for each holds the sessions that its scripts make.
  const replayed = files.flatMap((file) => {
    const scenario = unlessWrongInput(() => readChecked(file, () => DEFAULT_MODEL));
    return scenario instanceof HarnessError ? [] : replayedIn(scenario, candidateOf);
  });
  return findScenarioFamilies(replayed);
}

/**
 * Scenarios that replay sessions of one family, or one session, and so are no independent evidence: each with the first
 * by name of those that it hangs together with. Scenarios that stand alone are absent.
 */
export function findScenarioFamilies(
  replayed: readonly ReplayedSession[],
): ReadonlyMap<string, string> {
  const candidates = new Map(replayed.map(({ candidate }) => [candidate.name, candidate]));
  const families = familiesWithCopies(byName(findRepeats([...candidates.values()])));
  const groups = groupBy(replayed, ({ candidate: { name: session } }) =>
    clusterOf({ session, family: families.get(session) }),
  );
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

/** Metrics have names that a schema of files does not know; a gate that asks nothing would always pass. */
function checkConfig({ file, config, describeAt }: FoundConfig): void {
  const gates = gatesIn(config);
  for (const { gate, path } of gates) {
    try {
      checkGates([gate]);
    } catch (error) {
      throw badConfig(file, `: ${describeAt([...path, 'metric'], messageOf(error))}`, error);
    }
  }
  if (config.events === 'ignored' && gates.length === 0) {
    throw badConfig(file, ' with gates where events are ignored, got none.');
  }
}

function gatesIn({ gates = [], cases = {} }: BenchConfig): readonly PlacedGate[] {
  const ofCases = Object.entries(cases).flatMap(([name, list]) => placed(list, ['cases', name]));
  return [...placed(gates, ['gates']), ...ofCases];
}

function placed(list: readonly Gate[], path: Path): readonly PlacedGate[] {
  return list.map((gate, index) => ({ gate, path: [...path, index] }));
}

function isWhole({ only, onlyFailed, maxFailures, tier }: GateChoice): boolean {
  return [only, onlyFailed, maxFailures, tier].every((option) => option === undefined);
}

/** A gate for one check; throws where the baseline cannot be used. */
function createGateRun(options: GateOptions): GateRun {
  return options.blessReason === undefined
    ? holding(options)
    : createBlessing({ ...options, header: headerOf(options.catalogHash, options.blessReason) });
}

function holding({ baseline: folder, catalogHash, files, ...options }: GateOptions): GateRun {
  const header = headerOf(catalogHash, '');
  const baseline = readBaseline(folder);
  if (baseline === undefined) return refusing(folder, options.config);
  const { gates = [] } = options.config;
  const families = gates.some(takesEvidence) ? familiesOfScenarios(files) : undefined;
  const hold = createHold({ ...options, baseline, header, families });
  return {
    add: (result, source) => hold.add(result, toScenarioRecord(result, source)),
    end: () => hold.end(),
  };
}

function headerOf(catalog: string, reason: string): Baseline['header'] {
  return createHeader({ version: readVersion(), catalog, reason });
}

/** Nothing can be said without a baseline. */
function refusing(baseline: string, { gates = [] }: BenchConfig): GateRun {
  const reason = `Expected a baseline in ${quoted(baseline)}, got none; '--bless --reason TEXT' writes one.`;
  const nothing = { missing: [], unasked: [], scenarios: [] };
  const part = { baseline, reason: '', mismatches: [reason], gates, ...nothing };
  return { add: () => true, end: () => part };
}

/** Writes a baseline anew. What was not run keeps what it had; of a whole, scenarios that are no more go. */
function createBlessing(options: BlessingOptions): GateRun {
  const { baseline: folder, header } = options;
  checkBaselineFolder(folder);
  checkOutFolder(folder, 'the baseline');
  const earlier = openEarlier(options);
  const scenarios = new Map<string, ScenarioRecord>(earlier.scenarios);
  const fresh = new Set<string>();
  const losses = new Set<string>();
  return {
    folder,
    add: (result, source) => {
      const { name, leftOut = [] } = result;
      if (fresh.has(name)) throw sameName(name);
      fresh.add(name);
      const made = toScenarioRecord(result, source);
      const known = leftOut.length === 0 ? undefined : earlier.find(made);
      if (known?.mismatch !== undefined && hasRun(known.record, leftOut))
        losses.add(known.mismatch);
      const kept = known?.mismatch === undefined ? known?.record : undefined;
      const record = withEarlierRuns(made, kept, leftOut);
      if (record.runs.length > 0) scenarios.set(name, record);
      else scenarios.delete(name);
      return true;
    },
    end: ({ failed, unread }) => {
      if (failed === 0 && unread.length === 0) writeBaseline({ folder, header, scenarios });
      return undefined;
    },
    loss: () =>
      losses.size === 0
        ? undefined
        : [...losses, 'Runs that were left out now are gone from it.'].join(' '),
  };
}

function openEarlier({ baseline: folder, isWhole, isHere, header }: BlessingOptions): Earlier {
  if (isWhole && isHere === undefined) return openWhole(folder, header);
  const before = readBaseline(folder);
  checkOneHeader(before, header);
  const scenarios = before?.scenarios ?? new Map<string, ScenarioRecord>();
  return { scenarios, find: (made) => before && findIn(before, header, made) };
}

function openWhole(folder: string, header: Baseline['header']): Earlier {
  let before: Baseline | undefined;
  return {
    scenarios: new Map(),
    find: (made) => {
      before ??= readBaseline(folder);
      return before && findIn(before, header, made);
    },
  };
}

/** Of a baseline that rests on something else, and of another file, whose runs are others, nothing can stay. */
function findIn(
  before: Baseline,
  header: Baseline['header'],
  made: ScenarioRecord,
): EarlierRecord | undefined {
  const record = before.scenarios.get(made.scenario);
  if (record === undefined) return undefined;
  const [mismatch = sourceMismatch(record, made.source)] = baselineMismatches(before, header);
  return { record, mismatch };
}

/** One baseline has one header: what stays in it has to be comparable with what comes. */
function checkOneHeader(before: Baseline | undefined, header: Baseline['header']): void {
  const [mismatch] = before === undefined ? [] : baselineMismatches(before, header);
  if (mismatch === undefined) return;
  throw badOption(`Expected all scenarios to be blessed at once. ${mismatch}`);
}

function sameName(name: string): HarnessError {
  const message = `Expected each scenario of a baseline to have a name of its own, got ${quoted(name)} twice.`;
  return new HarnessError('BAD_SCENARIO', message);
}

function hasRun({ runs }: ScenarioRecord, names: readonly string[]): boolean {
  return runs.some(({ run }) => names.includes(run));
}

/** Gates that nobody asks would pass. */
function gatesOnNothing(file: string): HarnessError {
  const name = quoted(file);
  return badOption(
    `Expected a baseline for the gates of ${name}, got none; '--baseline' names one.`,
  );
}

function readCandidate(path: string): CopyCandidate | undefined {
  const opened = openNamed(path);
  return opened.state === 'read' ? toCopyCandidate(opened.session) : undefined;
}

function replayedIn(
  { name: scenario, runs }: Scenario,
  candidateOf: (path: string) => CopyCandidate | undefined,
): readonly ReplayedSession[] {
  return runs.flatMap(({ session }) => {
    const candidate = session.type === 'file' ? candidateOf(session.path.value) : undefined;
    return candidate === undefined ? [] : [{ scenario, candidate }];
  });
}
