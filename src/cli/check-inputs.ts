import { basename, extname } from 'node:path';
import * as z from 'zod';
import { badOption, HarnessError, unlessWrongInput } from '../simulator/lib/errors.ts';
import { readTextFile } from '../simulator/lib/files.ts';
import { contentHash, parseJson, placeOfIssue, shortHash } from '../simulator/lib/json.ts';
import { quoted, quotedLong } from '../simulator/lib/names.ts';
import type { CheckShard } from '../simulator/report/check-report.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { Place } from '../simulator/scenario/file/amounts.ts';
import { readScenario } from '../simulator/scenario/file/read-scenario.ts';
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
import { loadSessions } from '../simulator/session/load.ts';
import { isInShard, parseShard } from '../simulator/sweep/store/header.ts';
import { nothingRead } from './inputs.ts';
import { nameInPackage, readVersion, SHIPPED_SCENARIOS } from './package.ts';
import { DEFAULT_SUMMARIZER } from './plan/options.ts';

export interface CheckInputs {
  readonly files: readonly string[];
  /** Inputs that stand for no file, and unreadable files below the others. */
  readonly unread: readonly UnreadInput[];
  nameOf(path: string): string;
}

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

/** The files of inputs, or those of the package, as far as they are selected; for an adapter also sessions. */
export function findScenarios(
  inputs: readonly string[],
  {
    only = '',
    onlyFailed,
    adapter,
  }: Readonly<Partial<Record<'only' | 'onlyFailed' | 'adapter', string | undefined>>>,
): CheckInputs {
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
  const files = selected.filter((file) => failed?.has(scenarioNameOf(file)) ?? true);
  if (files.length === 0) {
    const got = `none of ${selected.length}: none of them failed`;
    throw noInput(`Expected scenarios to check, got ${got}.`);
  }
  return { files, unread, nameOf: isShipped ? nameInPackage : (path) => path };
}

/** True if only files were named: folders and patterns stand for everything. */
export function namesFilesAlone(inputs: readonly string[]): boolean {
  return inputs.length > 0 && inputs.every((input) => kindOf(input) === 'file');
}

/** The part of some scenarios that `2/5` names; `options` are those of the whole. */
export function takeShard(
  inputs: CheckInputs,
  text: string | undefined,
  options: Readonly<Record<string, unknown>>,
): {
  readonly inputs: CheckInputs;
  readonly shard?: CheckShard;
  readonly isHere?: (scenario: string) => boolean;
} {
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
  const found = kind === 'folder' ? searchFolder(input, selectScenarios) : expandGlob(input);
  if (found.length > 0) return found;
  if (kind === 'folder' && takesSessions) return discoverSessionFiles([input]).files.map(fileAt);
  throw noInput(`Expected scenario files (.yaml) at ${quotedLong(input)}, got none.`);
}

function selectScenarios(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  return entries.filter(({ kind, name }) => kind !== 'file' || isScenarioFile(name));
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
