import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import * as z from 'zod';
import { badOption, HarnessError } from '../../lib/errors.ts';
import { describeFailure, faultCode, writeWhole } from '../../lib/files.ts';
import { named, quoted, quotedLong } from '../../lib/names.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { endingOf } from '../../metrics/record.ts';
import { isTruncated } from '../../metrics/totals.ts';
import type { ScenarioRunResult } from '../../report/check-report.ts';
import { describeValue } from '../../scenario/file/yaml.ts';
import { toSlashes } from '../../session/files/folder.ts';
import {
  BASELINE_SCHEMA_VERSION,
  ScenarioFile,
  scenarioMismatches,
  type ScenarioRecord,
  toStored,
} from '../gate/baseline.ts';
import { firstDifference, toScenarioRecord } from '../gate/case-record.ts';
import type { CompactionResult } from './run-compactor.ts';
import { type AnyLawName, violationsOf } from './run-compactor.ts';
import { nextStep } from '../gate/run-scenario.ts';

/** Limits of runs: metrics by name, or the model's window. */
export type StayWithin = 'window' | MetricLimits;

/** A verdict, with a sentence for a failure. */
export interface Judged {
  readonly pass: boolean;
  /** A sentence. */
  readonly message: string;
}

/** Baselines to write: all, missing ones, or none. */
export type BaselineUpdate = 'all' | 'new' | 'none';

/** Limit of a metric: a maximum, or a range. */
export type MetricLimit = number | { readonly min?: number; readonly max?: number };

/** Limits of metrics, by name. */
export type MetricLimits = { readonly [Name in MetricName]?: MetricLimit };

const File = z.looseObject({ schemaVersion: z.int(), reason: z.string(), record: z.unknown() });
const NAME = 'baseline';
const INDENT = 1;
const OPEN = { min: -Infinity, max: Infinity };

/** Judges whether runs stay within limits; a metric that is unknown does not. Throws at limits that ask for nothing. */
export function judgeWithin({ events, record }: CompactionResult, within: StayWithin): Judged {
  if (within === 'window') {
    const over = events.filter((event) => event.type === 'step-refused' || isTruncated(event));
    const pass = over.length === 0 && record.state === 'completed';
    const expected = pass ? 'a request not to fit' : 'every request to fit';
    const message = `Expected ${expected} the window, got ${over.length} refused or cut; the run is ${record.state}.`;
    return { pass, message };
  }
  const limits = readLimits(within);
  const problems = limits.filter(({ metric, min, max }) => {
    const value = record.metrics[metric];
    return value === null || value < min || value > max;
  });
  const pass = problems.length === 0;
  const told = (pass ? limits : problems).map((limit) => {
    const got = record.metrics[limit.metric] ?? 'an unknown value';
    return `Expected ${limit.metric} ${pass ? 'not to be' : 'to be'} ${describeLimit(limit)}, got ${got}.`;
  });
  return { pass, message: told.join('\n') };
}

/** Judges whether nothing broke a law; `all` is each of them. Throws at a law that no run was held against. */
export function judgeLaw(result: CompactionResult, law: AnyLawName | 'all'): Judged {
  const found = violationsOf(result, law);
  const [first] = found;
  if (first === undefined) return { pass: true, message: `Expected ${law} to be broken.` };
  const count = found.length === 1 ? 'one violation' : `${found.length} violations, the first`;
  const says = first.message.replace(/\.$/, '');
  const { name = '', events = [] } = result.runs.find((run) => run.events.includes(first)) ?? {};
  const step = nextStep(events.slice(0, events.indexOf(first)));
  const place = `${first.law} before step ${step} of ${quotedLong(name)}`;
  const message = `Expected ${law} to hold, got ${count}: ${place}: ${says}.`;
  return { pass: false, message };
}

/** Judges whether runs came to what a baseline file says; one that is missing fails unless it may be written. */
export function judgeBaseline(
  result: CompactionResult,
  path: string,
  {
    update,
    reason = 'written by a test',
  }: { readonly update: BaselineUpdate; readonly reason?: string | undefined },
): Judged {
  const runs = result.runs.map(({ name, record, events, made }): ScenarioRunResult => {
    // The path of a session as seen from the baseline is the same on every machine.
    const seen = isAbsolute(name) ? toSlashes(relative(dirname(resolve(path)), name)) : name;
    const { policy } = record;
    return { name: seen, policy, ...endingOf(record), failures: [], events, made };
  });
  const same: Judged = { pass: true, message: 'Expected a different baseline.' };
  const before = update === 'all' ? undefined : readRecord(path);
  if (before !== undefined) {
    const differences = compareRuns(before, runs);
    if (differences.length === 0) return same;
    return { pass: false, message: `Expected the baseline, got:\n${differences.join('\n')}` };
  }
  if (update === 'none') {
    const message = `Expected a baseline at '${path}', got none; 'vitest -u' writes it.`;
    return { pass: false, message };
  }
  const record = toStored(toScenarioRecord({ name: NAME, runs }, ''));
  const file = { schemaVersion: BASELINE_SCHEMA_VERSION, reason, record };
  writeWhole(path, `${JSON.stringify(file, null, INDENT)}\n`);
  return same;
}

function readLimits(limits: MetricLimits) {
  const given = entriesOf(limits);
  if (given === undefined || given.length === 0) {
    const got = describeValue(limits);
    throw badOption(`Expected 'window' or limits of metrics, got ${got}.`);
  }
  return given.map(([name, limit]) => {
    named('metric', metrics, name);
    return { metric: name as MetricName, ...readEnds(name, limit) };
  });
}

function entriesOf(value: unknown) {
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
}

function readEnds(name: string, limit: unknown) {
  const ends = typeof limit === 'number' ? [['max', limit] as const] : entriesOf(limit);
  for (const [end] of ends ?? []) named(`limit of ${name}`, OPEN, end);
  const areNumbers = ends?.every(([, end]) => typeof end === 'number' && !Number.isNaN(end));
  if (ends === undefined || ends.length === 0 || !areNumbers) {
    throw badOption(
      `Expected the limit of ${quoted(name)} to be a number, or to have a number as min or max.`,
    );
  }
  return { ...OPEN, ...Object.fromEntries(ends) };
}

function describeLimit({ min, max }: { metric: MetricName; min: number; max: number }) {
  const ends = [min > -Infinity && `at least ${min}`, max < Infinity && `at most ${max}`];
  return ends.filter(Boolean).join(' and ');
}

function compareRuns(record: ScenarioRecord, results: readonly ScenarioRunResult[]) {
  const now = toScenarioRecord({ name: NAME, runs: results }, '');
  const scenarios = new Map([[NAME, record]]);
  const gone = record.runs
    .filter(({ run }) => !now.runs.some((one) => one.run === run))
    .map(({ run }) => `Run ${quoted(run)} of the baseline no longer exists.`);
  const mismatches = scenarioMismatches(now, { scenarios });
  const differences = now.runs.flatMap((one, index) => {
    const baseline = record.runs.find(({ run }) => run === one.run);
    const run = results[index];
    const found = baseline && run && firstDifference(NAME, [baseline, one], run);
    if (found === undefined) return [];
    const step = found.step === undefined ? '' : `step ${found.step}: `;
    return [`${one.run}: ${step}${found.rule}: ${found.now}; baseline: ${found.baseline}`];
  });
  return [...gone, ...mismatches, ...differences];
}

function readRecord(path: string) {
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
