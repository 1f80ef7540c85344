import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { RunState } from '../../events.ts';
import { badOption, HarnessError } from '../../lib/errors.ts';
import {
  describeFailure,
  makeFolder,
  readTextFile,
  statOf,
  writeTogether,
  writing,
} from '../../lib/files.ts';
import { parseJson, shortHash } from '../../lib/json.ts';
import { quoted } from '../../lib/names.ts';
import { type MetricValues, UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import type { CaseProvenance, CaseRecord } from './case-record.ts';

/** The base of a baseline; two are compared only if all of it but the reason is equal. */
export interface BaselineHeader {
  readonly schemaVersion: number;
  /** The version of the program that wrote it. */
  readonly version: string;
  /** The version of the metrics' meaning. */
  readonly scorerVersion: number;
  readonly catalog: string;
  /** Why it was written. */
  readonly reason: string;
}

/** One scenario of a baseline. */
export interface ScenarioRecord {
  readonly scenario: string;
  /** Hash of the scenario's file. */
  readonly source: string;
  readonly runs: readonly CaseRecord[];
}

/** A baseline as it lies in its folder. */
export interface Baseline {
  readonly folder: string;
  readonly header: BaselineHeader;
  /** By name. */
  readonly scenarios: ReadonlyMap<string, ScenarioRecord>;
  /** Two files that hold one scenario, a sentence each; absent where there are none. */
  readonly doubles?: readonly string[];
}

const HEADER_FILE = 'baseline.json';
const ENDING = '.json';
const INDENT = 1;
/** Longest name that a file system takes, without the ending. */
const LONGEST_NAME = 250;

/** Goes up whenever a metric comes to mean something else. */
const METRICS_VERSION = 3;

/** The version of the shape of a baseline's files. */
export const BASELINE_SCHEMA_VERSION = 2;

/** Any file that tells by which version its shape goes. */
const VersionedFile = z.looseObject({ schemaVersion: z.int() });

/** The file that stands for a baseline as a whole. */
const BaselineFile: z.ZodType<BaselineHeader> = z.strictObject({
  schemaVersion: z.int(),
  version: z.string(),
  scorerVersion: z.int(),
  catalog: z.string(),
  reason: z.string(),
});

const Case = z.strictObject({
  run: z.string(),
  made: z.strictObject({
    policy: z.string(),
    model: z.string(),
    summarizer: z.string(),
    seed: z.int(),
    tokenizer: z.string(),
    estimator: z.string(),
    prompts: z.record(z.string(), z.string()),
  }),
  state: z.string().transform((state) => state as RunState),
  reason: z.string().exactOptional(),
  digest: z.string(),
  metrics: z
    .record(z.string(), z.number())
    .transform((values): MetricValues => ({ ...UNKNOWN_METRICS, ...values })),
  log: z.array(z.string()),
});

/** The file of one scenario. */
export const ScenarioFile: z.ZodType<ScenarioRecord> = z.strictObject({
  scenario: z.string(),
  source: z.string(),
  runs: z.array(Case),
});

/** The file of one scenario, of whatever version. */
const AnyScenarioFile = z.looseObject({ scenario: z.string(), runs: z.array(z.unknown()) });

/** Fields of a header that two baselines must share, with their words. */
const HEADER_FACTS = {
  schemaVersion: 'schema version',
  scorerVersion: 'scorer version',
  catalog: 'catalog',
} as const satisfies Partial<Record<keyof BaselineHeader, string>>;

/** Fields of a run that both sides must share; the policy and its prompts may change. */
const RUN_FACTS = {
  policy: 'preset',
  model: 'model',
  summarizer: 'summarizer',
  seed: 'seed',
  tokenizer: 'tokenizer',
} as const satisfies Partial<Record<keyof CaseProvenance, string>>;

/** The baseline in a folder; `undefined` where there is none. One of another schema version has its header only. */
export function readBaseline(folder: string): Baseline | undefined {
  if (statOf(folder)?.isFile()) throw noFolder(folder);
  const path = join(folder, HEADER_FILE);
  if (statOf(path) === undefined) return undefined;
  const text = readText(path);
  const { schemaVersion } = parse(text, path, VersionedFile);
  if (schemaVersion !== BASELINE_SCHEMA_VERSION) {
    const header = { ...createHeader({ version: '', catalog: '', reason: '' }), schemaVersion };
    return { folder, header, scenarios: new Map() };
  }
  return { folder, header: parse(text, path, BaselineFile), ...readScenarios(folder) };
}

/** Throws if a folder has what a baseline that is written there would take for its own. */
export function checkBaselineFolder(folder: string): void {
  const stats = statOf(folder);
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw noFolder(folder);
  const names = scenarioFilesIn(folder);
  const hasHeader = existsSync(join(folder, HEADER_FILE));
  const other = hasHeader ? names.find((name) => isForeign(join(folder, name))) : names[0];
  if (other === undefined) return;
  const what = hasHeader ? 'a baseline alone' : 'a baseline or a new folder';
  const got = hasHeader ? 'one that also' : `one without ${HEADER_FILE} that`;
  throw badOption(
    `Expected ${quoted(folder)} to be ${what}, got ${got} contains ${quoted(other)}.`,
  );
}

/** Writes a baseline whole, a file a scenario; those of scenarios that are no more go. */
export function writeBaseline({ folder, header, scenarios }: Baseline): void {
  writing(folder, () => makeFolder(folder));
  const parts = new Map<string, unknown>(
    [...scenarios.values()].map((record) => [fileNameOf(record.scenario), toStored(record)]),
  );
  const texts = [...parts, [HEADER_FILE, header] as const].map(
    ([name, value]) => [join(folder, name), toText(value)] as const,
  );
  writeTogether(new Map(texts));
  for (const name of scenarioFilesIn(folder)) {
    if (!parts.has(name)) removePart(join(folder, name));
  }
}

/** A header of this program's own versions. */
export function createHeader(
  facts: Pick<BaselineHeader, 'version' | 'catalog' | 'reason'>,
): BaselineHeader {
  return { schemaVersion: BASELINE_SCHEMA_VERSION, scorerVersion: METRICS_VERSION, ...facts };
}

/** A scenario as its file has it: a metric that is not there is unknown. */
export function toStored({ runs, ...scenario }: ScenarioRecord) {
  return { ...scenario, runs: runs.map((run) => ({ ...run, metrics: knownOf(run.metrics) })) };
}

/** A record with those runs of an earlier one of the same file that were left out now, in their places. */
export function withEarlierRuns(
  record: ScenarioRecord,
  earlier: ScenarioRecord | undefined,
  leftOut: readonly string[],
): ScenarioRecord {
  if (earlier === undefined) return record;
  const kept = earlier.runs.filter(({ run }) => isIn(record, run) || leftOut.includes(run));
  const runs = new Map([...kept, ...record.runs].map((run) => [run.run, run]));
  return { ...record, runs: [...runs.values()] };
}

/** Why a baseline as a whole cannot be compared with; empty where it can. */
export function baselineMismatches(
  { header, doubles = [] }: Baseline,
  now: BaselineHeader,
): readonly string[] {
  const mismatches = factMismatches(HEADER_FACTS, header, now);
  // By another schema nothing else can be read.
  const told = header.schemaVersion === now.schemaVersion ? mismatches : mismatches.slice(0, 1);
  return [...told.map((difference) => `The baseline has a different ${difference}.`), ...doubles];
}

/** Why a scenario cannot be compared with its baseline; empty where it can. */
export function scenarioMismatches(
  { scenario, source, runs }: ScenarioRecord,
  { scenarios }: Baseline,
): readonly string[] {
  const known = scenarios.get(scenario);
  if (known === undefined) return [`Scenario ${quoted(scenario)} is not in the baseline.`];
  const mismatch = sourceMismatch(known, source);
  if (mismatch !== undefined) return [mismatch];
  return runs.flatMap(({ run, made }) => {
    const base = known.runs.find((one) => one.run === run);
    const place = `Run ${quoted(run)} of scenario ${quoted(scenario)}`;
    if (base === undefined) return [`${place} is not in the baseline.`];
    return factMismatches(RUN_FACTS, base.made, made).map(
      (difference) => `${place} was made with a different ${difference}.`,
    );
  });
}

/** Why runs of a file with that hash are not those of a record; `undefined` where they are. */
export function sourceMismatch(
  { scenario, source }: ScenarioRecord,
  now: string,
): string | undefined {
  if (source === now) return undefined;
  return `Scenario ${quoted(scenario)} has changed since the baseline was written.`;
}

function noFolder(path: string): HarnessError {
  return badOption(`Expected the baseline to be a folder, got the file ${quoted(path)}.`);
}

function readText(path: string): string {
  return readTextFile(path, (_, cause) => notPart(path, cause));
}

function notPart(path: string, cause: unknown): HarnessError {
  const got = describeFailure(cause);
  const message = `Expected ${quoted(path)} to be part of a baseline, got ${got}.`;
  return new HarnessError('BAD_CONFIG', message, { cause });
}

function parse<Value>(text: string, path: string, schema: { parse(value: unknown): Value }): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw notPart(path, error);
  }
}

function readScenarios(folder: string): Pick<Baseline, 'scenarios' | 'doubles'> {
  const scenarios = new Map<string, ScenarioRecord>();
  const files = new Map<string, string>();
  const doubles: string[] = [];
  for (const name of scenarioFilesIn(folder)) {
    const file = join(folder, name);
    const record = parse(readText(file), file, ScenarioFile);
    const other = files.get(record.scenario);
    if (other !== undefined) doubles.push(twice(record.scenario, other, name));
    files.set(record.scenario, name);
    scenarios.set(record.scenario, record);
  }
  return { scenarios, ...(doubles.length > 0 && { doubles }) };
}

function scenarioFilesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING) && name !== HEADER_FILE)
    .toSorted();
}

function twice(scenario: string, one: string, other: string): string {
  return `The baseline has scenario ${quoted(scenario)} twice: in ${quoted(one)} and in ${quoted(other)}.`;
}

/** Broken JSON is most likely a bad merge, which a blessing repairs. */
function isForeign(path: string): boolean {
  const value = parseJson(readText(path));
  return value !== undefined && !AnyScenarioFile.safeParse(value).success;
}

/** A scenario's name may be anything that a file's name may be, and more; also that of the header. */
function fileNameOf(scenario: string): string {
  const encoded = scenario
    .toWellFormed()
    .replaceAll(/[^\w.-]/gu, (character) => encodeURIComponent(character));
  const safe = encoded.replaceAll('%', '=');
  const isTaken = `${safe}${ENDING}`.toLowerCase() === HEADER_FILE;
  return `${isTaken ? '=' : ''}${shortened(safe)}${ENDING}`;
}

function shortened(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const hash = shortHash(name);
  return `${name.slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`;
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, INDENT)}\n`;
}

function removePart(path: string): void {
  writing(path, () => rmSync(path));
}

function knownOf(values: MetricValues): Partial<MetricValues> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function isIn({ runs }: ScenarioRecord, name: string): boolean {
  return runs.some(({ run }) => run === name);
}

function factMismatches<Facts extends object>(
  names: { readonly [Name in keyof Facts]?: string },
  baseline: Facts,
  now: Facts,
): readonly string[] {
  const keys = Object.keys(names) as unknown as readonly (keyof Facts)[];
  return keys
    .filter((key) => baseline[key] !== now[key])
    .map((key) => `${names[key]}: ${String(baseline[key])}, now ${String(now[key])}`);
}
