import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HarnessError, messageOf } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import { shownLines, shownText } from '../simulator/report/shown-text.ts';
import { writeWhole } from '../simulator/write-whole.ts';
import type { CliIo } from './io.ts';

/** A line on standard error. */
export function printNote({ stderr }: CliIo, message: string): void {
  stderr.write(`${shownLines(message)}\n`);
}

/** A note of what went well, for those who want to know. */
export function printDone(io: CliIo, message: string): void {
  if (!io.isQuiet) printNote(io, message);
}

/** Puts the report on standard output, or whole in its file with a note of where that is. Whether that worked. */
export function writeReport(io: CliIo, text: string, path?: string): boolean {
  if (path === undefined) {
    io.stdout.write(text);
    return true;
  }
  try {
    writeWhole(path, text);
  } catch (error) {
    printNote(io, `Expected to write ${quoted(path)}, got ${quoted(messageOf(error))}.`);
    return false;
  }
  printDone(io, `Report: ${shownText(path)}`);
  return true;
}

/** Throws if a report cannot become a file at that path. */
export function checkOutPath(path: string, option = '--out'): void {
  try {
    const stats = statOf(path);
    if (path === '') throw badOut(option, 'nothing');
    if (stats && !stats.isFile()) throw badOut(option, `${quoted(path)}, which is none`);
    const parent = nearestParent(path);
    if (!statOf(parent)?.isDirectory()) throw badOut(option, `${quoted(path)} below a file`);
    accessSync(parent, constants.W_OK);
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    throw badOut(option, `${quoted(path)}: ${quoted(messageOf(error))}`, error);
  }
}

/** Throws if a report would take the place of a file that it is made from. */
export function checkNoInput(path: string, inputs: readonly string[], option = '--out'): void {
  const place = realPathOf(path);
  if (inputs.some((input) => realPathOf(input) === place)) {
    throw badOut(option, `${quoted(path)}, which is an input`);
  }
}

/** Throws if the report would take the place of the events. */
export function checkApart(out: string, events: string): void {
  if (realPathOf(out) !== realPathOf(events)) return;
  const message = `Expected '--events' and '--out' to be two files, got ${quoted(out)} for both.`;
  throw new HarnessError('BAD_OPTION', message);
}

function realPathOf(path: string): string {
  return statOf(path) ? realpathSync(path) : resolve(path);
}

/** The closest folder above a path that exists. */
export function nearestParent(path: string): string {
  const parent = dirname(path);
  return parent === path || statOf(parent) ? parent : nearestParent(parent);
}

/** What stands at a path; nothing also where a file stands in the place of a folder, as newer Node versions say. */
export function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function badOut(option: string, got: string, cause?: unknown): HarnessError {
  const message = `Expected '${option}' to be a file that can be written, got ${got}.`;
  return new HarnessError('BAD_OPTION', message, { cause });
}
