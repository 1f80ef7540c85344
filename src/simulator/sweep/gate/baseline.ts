import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { shortHash } from '../../content-hash.ts';
import { badOption, HarnessError } from '../../errors.ts';
import { makeFolder } from '../../make-folder.ts';
import { quoted } from '../../names.ts';
import { parseJson } from '../../parse-json.ts';
import { statOf } from '../../stat-of.ts';
import { describeFailure } from '../../system-fault.ts';
import { readTextFile } from '../../text-file.ts';
import { writeTogether } from '../../write-whole.ts';
import { writing } from '../../writing.ts';
import type { CaseRecord } from './case-record.ts';
import {
  AnyScenarioFile,
  BASELINE_SCHEMA_VERSION,
  BaselineFile,
  ScenarioFile,
  toStored,
  VersionedFile,
} from './baseline-schema.ts';

/** What a baseline rests on; two are compared only where all of it but the reason is the same. */
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

function twice(scenario: string, one: string, other: string): string {
  return `The baseline has scenario ${quoted(scenario)} twice: in ${quoted(one)} and in ${quoted(other)}.`;
}

/** What is no JSON is most likely a part that was merged badly, which a blessing mends. */
function isForeign(path: string): boolean {
  const value = parseJson(readText(path));
  return value !== undefined && !AnyScenarioFile.safeParse(value).success;
}

function noFolder(path: string): HarnessError {
  return badOption(`Expected the baseline to be a folder, got the file ${quoted(path)}.`);
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, INDENT)}\n`;
}

function removePart(path: string): void {
  writing(path, () => rmSync(path));
}

function scenarioFilesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING) && name !== HEADER_FILE)
    .toSorted();
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

function readText(path: string): string {
  return readTextFile(path, (_, cause) => notPart(path, cause));
}

function parse<Value>(text: string, path: string, schema: { parse(value: unknown): Value }): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw notPart(path, error);
  }
}

function notPart(path: string, cause: unknown): HarnessError {
  const got = describeFailure(cause);
  const message = `Expected ${quoted(path)} to be part of a baseline, got ${got}.`;
  return new HarnessError('BAD_CONFIG', message, { cause });
}
