/** Writes reports and notes. */

import { accessSync, constants, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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
import type { CliIo } from './io.ts';

interface Wanted {
  readonly what: string;
  readonly kind: 'file' | 'folder';
}

/** Values of options that are no paths; a dash is standard output elsewhere. */
const NO_PATHS: ReadonlyMap<string, string> = new Map([
  ['', 'nothing'],
  ['-', "'-', which names none; './-' does"],
]);

/** A line on standard error. */
export function printNote({ stderr }: CliIo, message: string): void {
  stderr.write(`${shownLines(message)}\n`);
}

/** A note for those who are not quiet. */
export function printDone(io: CliIo, message: string): void {
  if (!io.isQuiet) printNote(io, message);
}

export function printNotes(io: CliIo, notes: readonly string[]): void {
  for (const note of notes) printDone(io, `Note: ${note}`);
}

/** Puts the report on standard output or in its file. Whether that worked. */
export function writeReport(io: CliIo, text: string, path?: string): boolean {
  if (path !== undefined) return writeDocument(io, text, { path, what: 'Report' });
  io.stdout.write(text);
  return true;
}

/** Puts a text whole in its file. Whether that worked. */
export function writeDocument(
  io: CliIo,
  text: string,
  { path, what }: { readonly path: string; readonly what: string },
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

/** Throws if a report cannot become a file at that path. */
export function checkOutPath(path: string | undefined, option = '--out'): void {
  if (path === undefined) return;
  const wanted = { what: `'${option}'`, kind: 'file' } as const;
  checkPlace(path, wanted);
  const place = realPathOf(path);
  const isOfSweep = basename(place) === HEADER_FILE || basename(place) === RESULTS_FILE;
  if (isOfSweep && hasHeader(dirname(place))) {
    throw badOut(wanted, `${quoted(path)}, which holds a sweep`);
  }
}

/** The files that settings are read from. */
export function settingFiles({
  config,
  catalog,
}: Readonly<Partial<Record<'config' | 'catalog', string | undefined>>>): readonly string[] {
  return [config, catalog].filter((file) => file !== undefined);
}

/** Throws if a file or folder cannot be written there. */
export function checkPlace(path: string, wanted: Wanted): void {
  let got: string | undefined;
  try {
    got = NO_PATHS.get(path) ?? describeObstacle(path, wanted.kind);
  } catch (error) {
    const cause = error instanceof HarnessError ? error.cause : error;
    throw badOut(wanted, `${quoted(path)}: ${describeFault(cause)}`, cause);
  }
  if (got !== undefined) throw badOut(wanted, got);
}

/** Throws if the output at a path, if any, would replace one of its inputs. */
export function checkNoInput(
  path: string | undefined,
  inputs: readonly string[],
  { what = "'--out'", kind = 'file' }: Partial<Wanted> = {},
): void {
  if (path === undefined) return;
  const place = realPathOf(path);
  if (inputs.some((input) => realPathOf(input) === place)) {
    throw badOut({ what, kind }, `${quoted(path)}, which is an input`);
  }
}

/** Throws if a report, if any, would lie in a folder of other files. */
export function checkNotIn(
  out: string | undefined,
  folder: string | undefined,
  what: string,
): void {
  if (out === undefined || folder === undefined) return;
  if (realPathOf(dirname(out)) !== realPathOf(folder)) return;
  throw badOut({ what: "'--out'", kind: 'file' }, `${quoted(out)}, which is in ${what}`);
}

/** Throws if the report would take the place of the events. */
export function checkApart(out: string, events: string): void {
  if (realPathOf(out) !== realPathOf(events)) return;
  throw badOption(`Expected '--events' and '--out' to be two files, got ${quoted(out)} for both.`);
}

export function badOut({ what, kind }: Wanted, got: string, cause?: unknown): HarnessError {
  return badOption(`Expected ${what} to be a writable ${kind}, got ${got}.`, { cause });
}

/** A file takes the place of a link to nothing; a folder cannot be made there. */
function describeObstacle(path: string, kind: Wanted['kind']): string | undefined {
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
