import { accessSync, constants, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Environment } from '../../simulator/env.ts';
import { badOption, HarnessError, messageOf } from '../../simulator/lib/errors.ts';
import {
  describeFault,
  HEADER_FILE,
  hasHeader,
  linkStatOf,
  RESULTS_FILE,
  statOf,
  toWriteError,
  writeWhole,
} from '../../simulator/lib/files.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { shownLines, shownText } from '../../simulator/report/markup.ts';
import type { Terminal } from '../../simulator/report/layout.ts';

export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

export type Input = AsyncIterable<Uint8Array | string> & {
  readonly isTTY?: boolean;
  readonly fd?: number;
  destroy(): unknown;
};

/** `false` for none. */
export interface CacheOptions {
  readonly cache?: string | boolean | undefined;
}

export interface CliIo {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cache?: CacheOptions | undefined;
  readonly isQuiet?: boolean | undefined;
  readonly signal: AbortSignal;
  now(): number;
}

export const EXIT = { done: 0, failed: 1, wrongUse: 2, inconclusive: 3, interrupted: 130 } as const;

const FLAGS = [
  // V8 takes what a session holds to its end for what stays for good, as soon as some sessions were long, and then has to
  // go through all memory for it; but of a run nothing stays.
  '--no-allocation-site-pretenuring',
  // So little outlives a replay's young objects that threads cost more to wake for them than they collect.
  '--no-parallel-scavenge',
];

interface Wanted {
  readonly what: string;
  readonly kind: 'file' | 'folder';
}

/** Values of options that are no paths; a dash is standard output elsewhere. */
const NO_PATHS: ReadonlyMap<string, string> = new Map([
  ['', 'nothing'],
  ['-', "'-', which names none; './-' does"],
]);

export function terminalOf(io: CliIo, out?: string): Terminal {
  if (out !== undefined) return { colors: false };
  return { colors: hasColors(io), terminalColumns: columnsOf(io.stdout) };
}

export function columnsOf({ isTTY, columns = 0 }: Output) {
  // Some terminals say that they have none.
  return isTTY === true && columns > 0 ? columns : undefined;
}

/** True if standard output takes colours: NO_COLOR, FORCE_COLOR, then the terminal decide. */
export function hasColors({ stdout, env }: CliIo) {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return !/^(?:0|false)$/i.test(forced);
  return stdout.isTTY === true && env['TERM'] !== 'dumb';
}

/** True if the user wants to stop; lets signals be heard. */
export async function isStopped({ signal }: Pick<CliIo, 'signal'>): Promise<boolean> {
  await setImmediate();
  return signal.aborted;
}

export async function takeInTurn<Item>(
  items: Iterable<Item>,
  io: Pick<CliIo, 'signal'>,
): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (await isStopped(io)) break;
  }
  return taken;
}

/** Writes pieces as fast as they are taken until the user wants to stop. Whether all were. */
export async function writePieces(io: CliIo, pieces: Iterable<string>) {
  for (const piece of pieces) {
    if (io.signal.aborted) return false;
    if (!io.stdout.write(piece)) await untilTaken(io);
  }
  return true;
}

/** Ends a program that cannot write: quietly where nobody reads, as in `… | head`. */
export function endEarly(error: NodeJS.ErrnoException) {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Expected to write to standard output, got ${quoted(error.message)}.\n`);
  process.exit(EXIT.failed);
}

/** Has V8 expect that nearly all objects of a run are thrown away; for good. */
export function setMemoryFlags() {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

export function printNote({ stderr }: Pick<CliIo, 'stderr'>, message: string): void {
  stderr.write(`${shownLines(message)}\n`);
}

export function printDone(io: CliIo, message: string): void {
  if (!io.isQuiet) printNote(io, message);
}

export function printNotes(io: CliIo, notes: readonly string[]): void {
  for (const note of notes) printDone(io, `Note: ${note}`);
}

export function writeReport(io: CliIo, text: string, path?: string): boolean {
  if (path !== undefined) return writeDocument(io, text, { path, what: 'Report' });
  io.stdout.write(text);
  return true;
}

export function writeDocument(
  io: CliIo,
  text: string,
  { path, what }: { path: string; what: string },
): boolean {
  try {
    writeWhole(path, text);
  } catch (error) {
    printNote(io, messageOf(toWriteError(path, error)));
    return false;
  }
  printDone(io, `${what}: ${shownText(path)}`);
  return true;
}

export function checkOutPath(path: string | undefined, option = '--out'): void {
  if (path === undefined) return;
  const wanted = { what: `'${option}'`, kind: 'file' } as const;
  checkPlace(path, wanted);
  const place = realPathOf(path);
  const isOfSweep = basename(place) === HEADER_FILE || basename(place) === RESULTS_FILE;
  if (isOfSweep && hasHeader(dirname(place)))
    throw badOut(wanted, `${quoted(path)}, which holds a sweep`);
}

export function settingFiles({
  config,
  catalog,
}: Readonly<Partial<Record<'config' | 'catalog', string | undefined>>>): readonly string[] {
  return [config, catalog].filter((file) => file !== undefined);
}

export function checkPlace(path: string, wanted: Wanted) {
  let got: string | undefined;
  try {
    got = NO_PATHS.get(path) ?? describeObstacle(path, wanted.kind);
  } catch (error) {
    const cause = error instanceof HarnessError ? error.cause : error;
    throw badOut(wanted, `${quoted(path)}: ${describeFault(cause)}`, cause);
  }
  if (got !== undefined) throw badOut(wanted, got);
}

export function checkNoInput(
  path: string | undefined,
  inputs: readonly string[],
  { what = "'--out'", kind = 'file' }: Partial<Wanted> = {},
): void {
  if (path === undefined) return;
  const place = realPathOf(path);
  if (inputs.some((input) => realPathOf(input) === place))
    throw badOut({ what, kind }, `${quoted(path)}, which is an input`);
}

export function checkNotIn(out: string | undefined, folder: string | undefined, what: string) {
  if (out === undefined || folder === undefined) return;
  if (realPathOf(dirname(out)) !== realPathOf(folder)) return;
  throw badOut({ what: "'--out'", kind: 'file' }, `${quoted(out)}, which is in ${what}`);
}

export function checkApart(out: string, events: string) {
  if (realPathOf(out) !== realPathOf(events)) return;
  throw badOption(`Expected '--events' and '--out' to be two files, got ${quoted(out)} for both.`);
}

export function badOut({ what, kind }: Wanted, got: string, cause?: unknown) {
  return badOption(`Expected ${what} to be a writable ${kind}, got ${got}.`, { cause });
}

async function untilTaken({ stdout, signal }: CliIo) {
  await new Promise<void>((resolve) => {
    const go = () => {
      stdout.removeListener('drain', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    stdout.once('drain', go);
    signal.addEventListener('abort', go, { once: true });
    // The call that writes may have stopped it at once.
    if (signal.aborted) go();
  });
}

/** A file takes the place of a link to nothing; a folder cannot be made there. */
function describeObstacle(path: string, kind: Wanted['kind']) {
  const stats = statOf(path);
  const isThere = stats !== undefined || (kind === 'folder' && isTaken(path));
  const isOfKind = kind === 'file' ? stats?.isFile() : stats?.isDirectory();
  if (isThere && isOfKind !== true) return `${quoted(path)}, which is not one`;
  const place = stats?.isDirectory() ? path : nearestParent(path);
  if (!statOf(place)?.isDirectory()) return `${quoted(path)} inside a file`;
  accessSync(place, constants.W_OK);
  return undefined;
}

function realPathOf(path: string): string {
  const parent = dirname(path);
  if (statOf(path)) return realpathSync(path);
  return parent === path ? resolve(path) : join(realPathOf(parent), basename(path));
}

function nearestParent(path: string): string {
  const parent = dirname(path);
  return parent === path || isTaken(parent) ? parent : nearestParent(parent);
}

function isTaken(path: string): boolean {
  return linkStatOf(path) !== undefined;
}
