import { basename, extname } from 'node:path';
import * as z from 'zod';
import { groupBy, joinGroups } from '../simulator/lib/collections.ts';
import { badOption, HarnessError, messageOf, unlessWrongInput } from '../simulator/lib/errors.ts';
import { readTextFile } from '../simulator/lib/files.ts';
import { contentHash, parseJson, placeOfIssue, shortHash } from '../simulator/lib/json.ts';
import { quoted, quotedLong } from '../simulator/lib/names.ts';
import { clusterOf } from '../simulator/metrics/statistics/verdict.ts';
import type { CheckReport, GatePart, ScenarioResult } from '../simulator/report/check-report.ts';
import { shownText } from '../simulator/report/markup.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { Place } from '../simulator/scenario/file/amounts.ts';
import { readScenario } from '../simulator/scenario/file/read-scenario.ts';
import type { BenchConfig, Gate } from '../simulator/scenario/gate.ts';
import { badConfig, type FoundConfig } from '../simulator/scenario/read-config.ts';
import type { Expectation, Scenario, ScenarioRun } from '../simulator/scenario/scenario.ts';
import { discoverSessionFiles, nothingThere } from '../simulator/session/files/discover.ts';
import {
  expandGlob,
  fileAt,
  type FoundEntry,
  isGlob,
  kindOf,
  searchFolder,
  toSearchResult,
} from '../simulator/session/files/folder.ts';
import {
  byName,
  type CopyCandidate,
  familiesWithCopies,
  findRepeats,
  toCopyCandidate,
} from '../simulator/session/find-copies.ts';
import { loadSessions, openNamed } from '../simulator/session/load.ts';
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
import {
  checkGates,
  createComparison,
  takesEvidence,
} from '../simulator/sweep/gate/compare-runs.ts';
import { isInShard, parseShard } from '../simulator/sweep/store/header.ts';
import { nothingRead } from './inputs.ts';
import { nameInPackage, readVersion, SHIPPED_SCENARIOS } from './package.ts';
import { DEFAULT_MODEL, DEFAULT_SUMMARIZER } from './plan/options.ts';
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

export type CheckInputs = ReturnType<typeof findScenarios>;

/** Recorded sessions have no lines of which somebody expects something. */
const START: Place = { line: 1, column: 1 };

const COMPLETED: Expectation = {
  state: { value: ['completed'], at: START },
  metrics: [],
  events: [],
  eventsInOrder: [],
  invariants: [],
  violates: [],
  sees: [],
  misses: [],
  summarizerSees: [],
  summarizerMisses: [],
};

const EarlierReport = z.looseObject({
  scenarios: z.array(z.looseObject({ name: z.string(), passed: z.boolean() })),
  unread: z.array(z.looseObject({ file: z.string() })).default([]),
  gate: z
    .looseObject({ findings: z.array(z.looseObject({ scenario: z.string().optional() })) })
    .optional(),
});

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

/** The files of inputs, or those of the package, as far as they are selected; for an adapter also sessions. */
export function findScenarios(
  inputs: readonly string[],
  {
    only = '',
    onlyFailed,
    adapter,
  }: Readonly<Partial<Record<'only' | 'onlyFailed' | 'adapter', string | undefined>>>,
) {
  const isShipped = inputs.length === 0;
  const absent: UnreadInput[] = [];
  const expanded = (isShipped ? [SHIPPED_SCENARIOS] : inputs).map((input) => {
    const found = unlessWrongInput(() => expandInput(input, adapter !== undefined));
    if (!(found instanceof HarnessError)) return found;
    // One bad input among several does not stop the others.
    absent.push({ file: input, reason: found.message });
    return [];
  });
  const found = toSearchResult(expanded.flat());
  const below = found.unread.map(({ path, reason }) => ({ file: path, reason }));
  const unread = [...absent, ...below];
  const count = found.files.length;
  if (count === 0) throw nothingRead(unread);
  const selected = found.files.filter((file) => scenarioNameOf(file).includes(only));
  if (selected.length === 0) {
    const got = `${quoted(only)}, which is in none of ${count}`;
    throw noInput(`Expected '--only' to be part of a scenario's name, got ${got}.`);
  }
  const failed = onlyFailed === undefined ? undefined : failedIn(onlyFailed);
  const files: readonly string[] = selected.filter(
    (file) => failed?.has(scenarioNameOf(file)) ?? true,
  );
  if (files.length === 0) {
    const got = `none of ${selected.length}: none of them failed`;
    throw noInput(`Expected scenarios to check, got ${got}.`);
  }
  return { files, unread, nameOf: isShipped ? nameInPackage : (path: string) => path };
}

/** The part of some scenarios that `2/5` names; `options` are those of the whole. */
export function takeShard(
  inputs: CheckInputs,
  text: string | undefined,
  options: Readonly<Record<string, unknown>>,
) {
  if (text === undefined) return { inputs };
  const shard = parseShard(text);
  // By name, so that a scenario stays in its shard when others come or go.
  const isHere = (scenario: string) => isInShard(contentHash(scenario), shard);
  const files = inputs.files.filter((file) => isHere(scenarioNameOf(file)));
  const suite = { ...options, files: inputs.files.map((file) => inputs.nameOf(file)) };
  const check = shortHash(JSON.parse(JSON.stringify(suite)));
  return {
    inputs: { ...inputs, files },
    shard: { ...shard, check, version: readVersion() },
    isHere,
  };
}

export function isScenarioFile(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** The scenario of a file; of recorded sessions, that any compaction should complete them. */
export function readChecked(path: string, modelOf: (path: string) => string): Scenario {
  const sessions = isScenarioFile(path) ? [] : sessionsIn(path);
  if (sessions.length === 0) return readScenario(path);
  const runs = sessions.map(
    (session, index): ScenarioRun => ({
      name: sessions.length === 1 ? 'main' : `#${index}`,
      at: START,
      session: { type: 'file', path: { value: session, at: START } },
      model: { value: { id: modelOf(path) }, at: START },
      policy: { preset: 'none', set: {} },
      summarizer: { value: DEFAULT_SUMMARIZER, at: START },
      seed: 1,
      faults: [],
      expect: COMPLETED,
    }),
  );
  return { file: path, name: scenarioNameOf(path), why: '', sources: [], runs };
}

/** Throws where a file says nothing of policies. */
export function checkIsScenario(path: string): void {
  if (isScenarioFile(path) || sessionsIn(path).length === 0) return;
  throw badOption(
    `Expected '--adapter' to check a recorded session, got ${quotedLong(path)} alone: only scenario files say what they expect of presets.`,
  );
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

function sessionsIn(path: string): readonly string[] {
  return [...loadSessions([path])].flatMap((loaded) =>
    loaded.state === 'read' && !loaded.session.isSide ? [loaded.session.name] : [],
  );
}

function scenarioNameOf(file: string): string {
  return basename(file, extname(file));
}

function expandInput(input: string, takesSessions: boolean): readonly FoundEntry[] {
  const kind = kindOf(input);
  if (kind === 'file') return [fileAt(input)];
  if (kind !== 'folder' && !isGlob(input)) throw nothingThere(input);
  const found =
    kind === 'folder'
      ? searchFolder(input, (all) =>
          all.filter((one) => one.kind !== 'file' || isScenarioFile(one.name)),
        )
      : expandGlob(input);
  if (found.length > 0) return found;
  if (kind === 'folder' && takesSessions) return discoverSessionFiles([input]).files.map(fileAt);
  throw noInput(`Expected scenario files (.yaml) at ${quotedLong(input)}, got none.`);
}

function noInput(message: string): HarnessError {
  return new HarnessError('NO_INPUT', message);
}

function failedIn(path: string): ReadonlySet<string> {
  const unfit = (reason: string, cause?: unknown) => {
    const message = `Expected '--only-failed' to be a JSON report of 'check', got ${quotedLong(path)}, which ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  };
  const text = readTextFile(path, (reason, cause) => unfit(`cannot be read: ${reason}`, cause));
  const value = parseJson(text);
  if (value === undefined) throw unfit('is not JSON');
  const { data, error } = EarlierReport.safeParse(value);
  if (error !== undefined) {
    const issue = error.issues.find(({ path: place }) => place.length > 0);
    throw unfit(issue ? `is none, at ${placeOfIssue(issue)}` : 'is none', error);
  }
  const { scenarios, unread, gate } = data;
  return new Set([
    ...scenarios.flatMap(({ name, passed }) => (passed ? [] : [name])),
    ...unread.map(({ file }) => scenarioNameOf(file)),
    ...(gate?.findings ?? []).flatMap(({ scenario }) => scenario ?? []),
  ]);
}
