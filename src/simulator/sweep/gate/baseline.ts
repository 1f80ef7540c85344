import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { quoted } from '../../names.ts';
import type { CaseRecord } from './case-record.ts';
import { BaselineFile, BASELINE_SCHEMA_VERSION, ScenarioFile } from './baseline-schema.ts';

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
}

const HEADER_FILE = 'baseline.json';
const ENDING = '.json';
const INDENT = 1;

/** The baseline in a folder; `undefined` where there is none. */
export function readBaseline(folder: string): Baseline | undefined {
  const text = readIfThere(join(folder, HEADER_FILE));
  if (text === undefined) return undefined;
  const header = parse(text, join(folder, HEADER_FILE), BaselineFile);
  const files = readdirSync(folder).filter((name) => name.endsWith(ENDING) && name !== HEADER_FILE);
  const scenarios = files.map((name) => {
    const path = join(folder, name);
    return parse(readFileSync(path, 'utf8'), path, ScenarioFile);
  });
  return {
    folder,
    header,
    scenarios: new Map(scenarios.map((record) => [record.scenario, record])),
  };
}

/** Writes a baseline, a file a scenario; those of scenarios that are no more go. */
export function writeBaseline({ folder, header, scenarios }: Baseline): void {
  mkdirSync(folder, { recursive: true });
  const records = [...scenarios.values()];
  const names = new Set(records.map(({ scenario }) => fileNameOf(scenario)));
  for (const record of records) writeWhole(join(folder, fileNameOf(record.scenario)), record);
  for (const name of readdirSync(folder)) {
    const isOld = name.endsWith(ENDING) && name !== HEADER_FILE && !names.has(name);
    if (isOld) rmSync(join(folder, name));
  }
  writeWhole(join(folder, HEADER_FILE), header);
}

/** A header of this program's own versions. */
export function createHeader(
  facts: Pick<BaselineHeader, 'version' | 'catalog' | 'reason'>,
): BaselineHeader {
  return { schemaVersion: BASELINE_SCHEMA_VERSION, scorerVersion: SCORER_VERSION, ...facts };
}

/** Goes up whenever a metric comes to mean something else. */
const SCORER_VERSION = 1;

/** A scenario's name may be anything that a file's name may be, and more. */
function fileNameOf(scenario: string): string {
  const safe = scenario.replaceAll(/[^\w.-]/g, (character) => encodeURIComponent(character));
  return `${safe.replaceAll('%', '=')}${ENDING}`;
}

function writeWhole(path: string, value: unknown): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(value, null, INDENT)}\n`);
  renameSync(temporary, path);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse<Value>(text: string, path: string, schema: { parse(value: unknown): Value }): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Expected ${quoted(path)} to be part of a baseline, got ${quoted(reason, 200)}.`;
    throw new HarnessError('BAD_CONFIG', message, { cause: error });
  }
}
