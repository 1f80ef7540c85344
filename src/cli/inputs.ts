import { badOption, HarnessError, unlessWrongInput } from '../simulator/lib/errors.ts';
import { MINUTE_MS } from '../simulator/lib/units.ts';
import { countOf } from '../simulator/report/numbers.ts';
import { describeTallies } from '../simulator/report/provenance.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import type { Environment } from '../simulator/env.ts';
import { discoverSessionFiles } from '../simulator/session/files/discover.ts';
import type { SearchResult } from '../simulator/session/files/folder.ts';
import { findLocalSessions, sessionPlaces } from '../simulator/session/files/local-sessions.ts';
import type { RepeatsByName } from '../simulator/session/find-copies.ts';
import { type ImportReport } from '../simulator/session/session.ts';
import type { WrittenSession } from '../simulator/sweep/run-files.ts';
import { nameInPackage, pathInPackage, SHIPPED_SESSIONS } from './package.ts';
import { type CliIo, printNotes } from './process/io.ts';

export const USUAL_DAYS = 30;

const NONE_HERE =
  'Found no sessions of agents on this machine: those that come with the program are taken.';
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface RunInputs {
  readonly files: readonly string[];
  readonly written?: WrittenSession;
  readonly isShipped?: true;
  /** Inputs that stand for no file, and unreadable files below the others. */
  readonly unread: readonly UnreadInput[];
  /** Among the files, where somebody has looked for them. */
  readonly repeats?: RepeatsByName;
  nameOf(path: string): string;
  pathOf(shown: string): string;
}

export const STDIN = '-';

export const SCENARIO = /^(?<file>.*\.ya?ml)(?:#(?<name>.+))?$/is;

export function isScenario(input: string): boolean {
  return SCENARIO.test(input);
}

/** The sessions that were named, else those of this machine, else those of the package. */
export function findSessions(
  inputs: readonly string[],
  { demo }: { demo?: true | undefined },
  io: CliIo,
): RunInputs {
  if (demo && inputs.length > 0) throw badOption("Expected sessions or '--demo', got both.");
  if (inputs.length > 0) return findInputs(inputs);
  const { agents = [], unread = [] } = demo ? {} : findOwnSessions(io.env, USUAL_DAYS);
  const files = agents.flatMap((agent) => agent.files);
  if (files.length > 0) return { files, unread, nameOf: asGiven, pathOf: asGiven };
  if (!demo) printNotes(io, [NONE_HERE]);
  const shipped = toInputs(discoverSessionFiles([SHIPPED_SESSIONS]));
  return { ...shipped, isShipped: true, nameOf: nameInPackage, pathOf: pathInPackage };
}

export function findOwnSessions(env: Environment, sinceDays: number | undefined) {
  const sinceMs = sinceDays === undefined ? 0 : Date.now() - sinceDays * DAY_MS;
  return findLocalSessions(sessionPlaces(env), sinceMs);
}

export function findInputs(inputs: readonly string[]): RunInputs {
  if (inputs.includes(STDIN)) {
    throw badOption(
      `Expected files, folders or patterns, got '${STDIN}': standard input is read by 'sessions stats' alone, as its only input.`,
    );
  }
  const absent = inputs.length === 1 ? [] : inputs.flatMap(findUnread);
  const absentInputs = new Set(absent.map(({ file }) => file));
  const found = toInputs(discoverSessionFiles(inputs.filter((input) => !absentInputs.has(input))));
  return { ...found, unread: [...absent, ...found.unread], nameOf: asGiven, pathOf: asGiven };
}

export function localFiles(env: Environment): readonly string[] {
  return findOwnSessions(env, undefined).agents.flatMap(({ files }) => files);
}

export function noInput(unread: readonly { readonly reason?: string }[]): HarnessError {
  const reasons = unread.map(({ reason = '' }) => reason);
  const message = reasons.length === 1 ? reasons : ['No input could be read.', ...reasons];
  return new HarnessError('NO_INPUT', message.join('\n'));
}

export function nothingRead(unread: readonly { readonly reason: string }[]) {
  return new HarnessError('NO_INPUT', unread.map(({ reason }) => reason).join('\n'));
}

export function noteDropped(io: CliIo, dropped: readonly ImportReport['dropped'][]): void {
  const some = dropped.filter((reasons) => Object.keys(reasons).length > 0);
  if (some.length === 0) return;
  const where = countOf(some.length, 'session');
  printNotes(io, [
    `Left out on import, in ${where}: ${describeTallies(some)}. 'sessions import --explain' tells of each.`,
  ]);
}

export function asGiven(path: string) {
  return path;
}

function toInputs({ files, unread }: SearchResult) {
  return { files, unread: unread.map(({ path, reason }) => ({ file: path, reason })) };
}

function findUnread(input: string) {
  const found = unlessWrongInput(() => discoverSessionFiles([input]));
  return found instanceof HarnessError ? [{ file: input, reason: found.message }] : [];
}
