import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HarnessError, unlessWrongInput } from '../simulator/lib/errors.ts';
import { contentHash, shortHash } from '../simulator/lib/json.ts';
import { named, quoted, quotedLong } from '../simulator/lib/names.ts';
import type { Catalog } from '../simulator/provider/catalog.ts';
import {
  type CheckedScenario,
  type CheckReport,
  type CheckShard,
  type CheckState,
  type GatePart,
  type ScenarioResult,
  stateOfCheck,
  toChecked,
  toCheckReport,
} from '../simulator/report/check-report.ts';
import type { Terminal, UnreadInput } from '../simulator/report/report.ts';
import { type Scenario, type Tier, tierOf, TIERS } from '../simulator/scenario/scenario.ts';
import { nothingThere } from '../simulator/session/files/discover.ts';
import {
  expandGlob,
  fileAt,
  type FoundEntry,
  isGlob,
  kindOf,
  searchFolder,
  toSearchResult,
} from '../simulator/session/files/folder.ts';
import { openSummarizers, type SummarizerRegistry } from '../simulator/summarizer/open.ts';
import { discoverSessionFiles } from '../simulator/session/files/discover.ts';
import type { OpenAdapter } from './plan/adapter.ts';
import { runOnAdapter } from '../simulator/sweep/adapter/run-scenario.ts';
import { mergeRepeat } from '../simulator/sweep/gate/case-record.ts';
import { concludeGate, concludePart } from '../simulator/sweep/gate/conclude.ts';
import { type CheckEnvironment, runScenario } from '../simulator/sweep/gate/run-scenario.ts';
import { isInShard, parseShard } from '../simulator/sweep/store/header.ts';
import {
  checkIsScenario,
  isScenarioFile,
  readChecked,
  recordedModelOf,
  scenarioNameOf,
} from './check-sessions.ts';
import { nothingRead, withCounters } from './inputs.ts';
import { nameInPackage, readVersion, SHIPPED_SCENARIOS } from './package.ts';
import { type ModelOptions, parseModelOptions } from './plan/models.ts';
import { type CliIo, EXIT, isStopped } from './process/io.ts';
import { inTurn } from './process/progress.ts';
import { originOf } from './origin.ts';

/** How scenarios are checked. */
interface CheckScenariosOptions {
  readonly catalog: Catalog;
  /** Which runs are made, and what answers in them. */
  readonly tier: TierOptions;
  /** The terminal that charts are drawn for; absent if the report has none. */
  readonly chartsFor?: Terminal | undefined;
  /** Scenarios that fail or differ from a baseline until the rest is left alone; without limit where absent. */
  readonly maxFailures?: number | undefined;
  /** How often each scenario is run; once where absent. */
  readonly repeat?: number | undefined;
  /** Stands in the place of the scenarios' policies. */
  readonly adapter?: OpenAdapter | undefined;
  /** Told of each scenario, with the hash of its file; says whether it is as before. */
  readonly onResult?: (result: ScenarioResult, source: string) => boolean;
}

type RunScenario = (scenario: Scenario) => Promise<ScenarioResult>;

/** A scenario that ran, and whether it passed and is as before. */
interface RanScenario {
  readonly checked: CheckedScenario;
  readonly models: readonly string[];
  readonly isGood: boolean;
}

/** The scenario files to be checked. */
export interface CheckInputs {
  /** Sorted, each once. */
  readonly files: readonly string[];
  /** Inputs that stand for no file, and what lies below the others but cannot be read. */
  readonly unread: readonly UnreadInput[];
  /** How a path is shown. */
  nameOf(path: string): string;
}

/** The runs of a tier, and what answers in them. */
export type TierOptions = Pick<CheckEnvironment, 'findSummarizer' | 'tiers'>;

/** A tier with the registry of the models that answer in it. */
interface ChosenTier extends TierOptions {
  readonly registry: SummarizerRegistry;
}

/** A part of the scenarios, with what tells that it is one. */
interface CheckPart {
  readonly inputs: CheckInputs;
  /** Absent where all are in it. */
  readonly shard?: CheckShard;
  /** True for the scenarios of this part; absent if all are. */
  readonly isHere?: (scenario: string) => boolean;
}

const HASH_LENGTH = 16;

/** The default tier, in the words of an error. */
export const NO_MODEL = 'runs that ask no model';

const NEEDS_NO_MODEL: readonly Tier[] = ['deterministic', 'cassette'];

const CODES = {
  good: EXIT.done,
  bad: EXIT.failed,
  inconclusive: EXIT.inconclusive,
} satisfies Record<CheckState, number>;

/** Checks the scenario of every file; `undefined` if the user wanted to stop. */
export async function checkScenarios(
  inputs: CheckInputs,
  options: CheckScenariosOptions,
  io: CliIo,
): Promise<CheckReport | undefined> {
  const { catalog, tier, adapter, maxFailures = Number.POSITIVE_INFINITY } = options;
  const scenarios: CheckedScenario[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const models = new Set<string>();
  let failures = 0;
  const files = inputs.files.map((path) => ({ path, file: inputs.nameOf(path) }));
  return await withCounters(io, async (counters) => {
    const countOf = (id: string) => counters.of(id);
    const environment = { catalog, countOf, hasBills: true, ...tier };
    const run = runWith(adapter, environment, io);
    for (const place of inTurn(files, ({ file }) => file, io)) {
      const one = await checkOne(place, options, run);
      if (one instanceof HarnessError) unread.push({ file: place.file, reason: one.message });
      else if (one.checked.runs.length > 0) scenarios.push(one.checked);
      for (const model of modelsOf(one)) models.add(model);
      failures += countFailure(one);
      if (failures >= maxFailures) break;
      if (await isStopped(io)) return undefined;
    }
    return toCheckReport({ origin: originOf(catalog, [...models], {}), scenarios, unread });
  });
}

/**
 * The files that inputs stand for, or those that come with the package; with `only`, those whose name contains it. A folder without
 * scenarios stands for its recorded sessions where an adapter is to be checked.
 */
export function findScenarios(
  inputs: readonly string[],
  { only, adapter }: { readonly only?: string | undefined; readonly adapter?: string | undefined },
): CheckInputs {
  const isShipped = inputs.length === 0;
  const absent: UnreadInput[] = [];
  const expanded = (isShipped ? [SHIPPED_SCENARIOS] : inputs).map((one) =>
    tryExpand(one, absent, adapter !== undefined),
  );
  const found = toSearchResult(expanded.flat());
  const below = found.unread.map(({ path, reason }) => ({ file: path, reason }));
  const unread = [...absent, ...below];
  if (found.files.length === 0) throw nothingRead(unread);
  const files = only === undefined ? found.files : selectNamed(found.files, only);
  return { files, unread, nameOf: isShipped ? nameInPackage : (path) => path };
}

/** Returns true if only files were named: folders and patterns stand for everything. */
export function namesFilesAlone(inputs: readonly string[]): boolean {
  return inputs.length > 0 && inputs.every((input) => kindOf(input) === 'file');
}

/** The tiers that were asked for, those that need no model by default, and what answers in them. */
export function chooseTier(
  name: string | undefined,
  options: ModelOptions,
  { io, catalog }: { readonly io: CliIo; readonly catalog: Catalog },
): ChosenTier {
  const byName = Object.fromEntries(TIERS.map((tier) => [tier, [tier]]));
  const tiers = name === undefined ? NEEDS_NO_MODEL : named('tier', byName, name);
  const settings = parseModelOptions(options, io.env);
  const registry = openSummarizers(settings, { environment: io.env, profiles: catalog.models });
  return { tiers, findSummarizer: (summarizer) => registry.find(summarizer), registry };
}

/** The real models that runs of these tiers ask. */
export function modelsAskedBy(
  scenarios: readonly Scenario[],
  { tiers = TIERS }: TierOptions,
): readonly string[] {
  const names = scenarios.flatMap(({ runs }) => runs.map(({ summarizer }) => summarizer.value));
  return tiers.includes('live') ? names.filter((name) => tierOf(name) === 'live') : [];
}

/** The error if no scenario has a run of the tier. */
export function noRunsOfTier(): HarnessError {
  return new HarnessError(
    'NO_INPUT',
    "Expected scenarios with runs of this tier, got none; '--tier' selects another.",
  );
}

/** The part of some scenarios that `2/5` names, all where it is absent; `options` is what the whole is made with besides. */
export function takeShard(
  inputs: CheckInputs,
  text: string | undefined,
  options: Readonly<Record<string, unknown>>,
): CheckPart {
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

/** A report with what its baseline says; of a shard only what can be said without the others. */
export function concludeCheck(
  report: CheckReport,
  part: GatePart | undefined,
  shard: CheckShard | undefined,
): CheckReport {
  if (shard === undefined) return { ...report, ...(part && { gate: concludeGate(part) }) };
  return {
    ...report,
    ...(part && { gate: concludePart(part) }),
    shard: { ...shard, ...(part && { gate: part }) },
  };
}

/** The code with which a check ends: 3 where nothing can be said, 1 where something is not as expected. */
export function exitCodeOfCheck(report: CheckReport): number {
  return CODES[stateOfCheck(report)];
}

/** The presets that the files name, or the adapter in their place. */
function runWith(
  adapter: OpenAdapter | undefined,
  environment: CheckEnvironment,
  { signal }: CliIo,
): RunScenario {
  if (adapter === undefined) return (scenario) => runScenario(scenario, environment);
  return (scenario) => runOnAdapter(scenario, environment, () => adapter(signal));
}

async function checkOne(
  { path, file }: { readonly path: string; readonly file: string },
  options: CheckScenariosOptions,
  run: RunScenario,
): Promise<RanScenario | HarnessError> {
  const { onResult, chartsFor, repeat = 1 } = options;
  const result = await tryScenario(path, options, repeated(run, repeat));
  if (result instanceof HarnessError) return result;
  const isAsBefore = onResult?.(result, hashOf(path)) ?? true;
  const checked = toChecked(result, { file, chartsFor });
  const models = result.runs.map(({ made }) => made.model);
  return { checked, models, isGood: checked.passed && isAsBefore };
}

async function tryScenario(
  path: string,
  { adapter, catalog }: CheckScenariosOptions,
  run: RunScenario,
) {
  try {
    if (adapter === undefined) checkIsScenario(path);
    return await run(readChecked(path, () => recordedModelOf(path, catalog)));
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}

/** The same as often as it is to be run, with what was not the same. */
function repeated(run: RunScenario, times: number): RunScenario {
  return async (scenario) => {
    let result = await run(scenario);
    for (let made = 1; made < times; made++) result = mergeRepeat(result, await run(scenario));
    return result;
  };
}

/** Line ends are not what a scenario is about. */
function hashOf(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

function modelsOf(one: RanScenario | HarnessError): readonly string[] {
  return one instanceof HarnessError ? [] : one.models;
}

/** Unread files are reported, and are no failure of a scenario. */
function countFailure(one: RanScenario | HarnessError): number {
  return one instanceof HarnessError || one.isGood ? 0 : 1;
}

/** One bad input among several does not stop the others. */
function tryExpand(
  input: string,
  unread: UnreadInput[],
  takesSessions: boolean,
): readonly FoundEntry[] {
  const found = unlessWrongInput(() => expandInput(input, takesSessions));
  if (!(found instanceof HarnessError)) return found;
  unread.push({ file: input, reason: found.message });
  return [];
}

function expandInput(input: string, takesSessions: boolean): readonly FoundEntry[] {
  const kind = kindOf(input);
  if (kind === 'file') return [fileAt(input)];
  const isFolder = kind === 'folder';
  const found = isFolder ? searchFolder(input, selectScenarios) : expandPattern(input);
  if (found.length > 0) return found;
  if (isFolder && takesSessions) return discoverSessionFiles([input]).files.map(fileAt);
  const shown = quotedLong(input);
  throw new HarnessError('NO_INPUT', `Expected scenario files (.yaml) at ${shown}, got none.`);
}

function selectScenarios(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  return entries.filter(({ kind, name }) => kind !== 'file' || isScenarioFile(name));
}

function expandPattern(input: string): readonly FoundEntry[] {
  if (isGlob(input)) return expandGlob(input);
  throw nothingThere(input);
}

function selectNamed(files: readonly string[], only: string): readonly string[] {
  const selected = files.filter((file) => scenarioNameOf(file).includes(only));
  if (selected.length > 0) return selected;
  const message = `Expected '--only' to be part of a scenario's name, got ${quoted(only)}, which is in none of ${files.length}.`;
  throw new HarnessError('NO_INPUT', message);
}
