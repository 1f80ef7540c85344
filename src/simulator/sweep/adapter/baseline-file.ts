import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import * as z from 'zod';
import { HarnessError } from '../../errors.ts';
import { endingOf } from '../../metrics/record.ts';
import { quoted } from '../../names.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import { toSlashes } from '../../session/files/folder.ts';
import { describeFailure, faultCode } from '../../system-fault.ts';
import { writeWhole } from '../../write-whole.ts';
import type { ScenarioRecord } from '../gate/baseline.ts';
import { BASELINE_SCHEMA_VERSION, ScenarioFile, toStored } from '../gate/baseline-schema.ts';
import { scenarioMismatches } from '../gate/comparable.ts';
import { firstDifference } from '../gate/difference.ts';
import { toScenarioRecord } from '../gate/hold.ts';
import type { CompactionRun } from './result.ts';
import type { CompactionResult } from './run-compactor.ts';

/** How runs stand against the file that keeps what they came to before. */
export type BaselineVerdict =
  | { readonly state: 'same' }
  | { readonly state: 'absent' }
  | { readonly state: 'different'; readonly differences: readonly string[] };

const File = z.looseObject({ schemaVersion: z.int(), reason: z.string(), record: z.unknown() });
const NAME = 'baseline';
const INDENT = 1;

/** Holds runs against a baseline file. Throws `HarnessError` where the file is none. */
export function compareWithFile(
  path: string,
  result: Pick<CompactionResult, 'runs'>,
): BaselineVerdict {
  const record = readRecord(path);
  if (record === undefined) return { state: 'absent' };
  const results = result.runs.map((run) => toRunResult(run, path));
  const now = toRecord(results);
  const scenarios = new Map([[NAME, record]]);
  const header = { schemaVersion: 0, version: '', scorerVersion: 0, catalog: '', reason: '' };
  const gone = record.runs
    .filter(({ run }) => !now.runs.some((one) => one.run === run))
    .map(({ run }) => `Run ${quoted(run)} of the baseline no longer exists.`);
  const mismatches = scenarioMismatches(now, { folder: path, header, scenarios });
  const differences = now.runs.flatMap((one, index) => {
    const baseline = record.runs.find(({ run }) => run === one.run);
    const run = results[index];
    const found = baseline && run && firstDifference(NAME, { baseline, now: one, result: run });
    if (found === undefined) return [];
    const step = found.step === undefined ? '' : `step ${found.step}: `;
    return [`${one.run}: ${step}${found.rule}: ${found.now}; baseline: ${found.baseline}`];
  });
  const all = [...gone, ...mismatches, ...differences];
  return all.length === 0 ? { state: 'same' } : { state: 'different', differences: all };
}

/** Writes what runs came to as the baseline that later ones are held against. */
export function writeBaselineFile(
  path: string,
  result: Pick<CompactionResult, 'runs'>,
  reason: string,
): void {
  const record = toRecord(result.runs.map((run) => toRunResult(run, path)));
  const file = { schemaVersion: BASELINE_SCHEMA_VERSION, reason, record: toStored(record) };
  writeWhole(path, `${JSON.stringify(file, null, INDENT)}\n`);
}

function readRecord(path: string): ScenarioRecord | undefined {
  try {
    const { record, schemaVersion } = File.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (schemaVersion === BASELINE_SCHEMA_VERSION) return ScenarioFile.parse(record);
    throw new TypeError(`schema version ${schemaVersion}`);
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    const message = `Expected ${quoted(path)} to be a baseline of schema version ${BASELINE_SCHEMA_VERSION}, got ${describeFailure(error)}.`;
    throw new HarnessError('BAD_CONFIG', message, { cause: error });
  }
}

function toRecord(runs: readonly ScenarioRunResult[]): ScenarioRecord {
  return toScenarioRecord({ file: NAME, name: NAME, passed: true, runs }, '');
}

function toRunResult(
  { name, events, record, made }: CompactionRun,
  path: string,
): ScenarioRunResult {
  const ending = endingOf(record);
  const { policy } = record;
  return { name: portable(name, path), policy, ...ending, failures: [], events, made };
}

/** The path of a session as seen from the baseline, which is the same on every machine. */
function portable(name: string, path: string): string {
  return isAbsolute(name) ? toSlashes(relative(dirname(resolve(path)), name)) : name;
}
