import { basename, extname, resolve } from 'node:path';
import { HarnessError } from '../simulator/errors.ts';
import { quoted, quotedLong } from '../simulator/names.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import { isSkipped, kindOf, readFolder, toSlashes } from '../simulator/session/folder.ts';
import { expandGlob, isGlob } from '../simulator/session/glob.ts';
import { nameInPackage, SHIPPED_SCENARIOS } from './package-files.ts';

/** The scenario files to be checked. */
export interface CheckInputs {
  /** Sorted, each once. */
  readonly files: readonly string[];
  /** Inputs that stand for no file. */
  readonly unread: readonly UnreadInput[];
  /** How a path is shown. */
  nameOf(path: string): string;
}

const SCENARIO_FILE = /\.ya?ml$/i;

/** The files that inputs stand for, or those that come with the package; with `only`, those whose name contains it. */
export function findScenarios(inputs: readonly string[], only?: string): CheckInputs {
  const isShipped = inputs.length === 0;
  const unread: UnreadInput[] = [];
  const byPlace = new Map<string, string>();
  for (const input of isShipped ? [SHIPPED_SCENARIOS] : inputs) {
    for (const file of tryExpand(input, unread)) {
      if (!byPlace.has(resolve(file))) byPlace.set(resolve(file), file);
    }
  }
  const found = [...byPlace.values()].toSorted();
  if (found.length === 0) throw nothingRead(unread);
  const files = only === undefined ? found : selectNamed(found, only);
  return { files, unread, nameOf: isShipped ? nameInPackage : (path) => path };
}

/** Whether somebody named files and nothing else; folders and patterns stand for all that there are. */
export function namesFilesAlone(inputs: readonly string[]): boolean {
  return inputs.length > 0 && inputs.every((input) => kindOf(input) === 'file');
}

/** The name of the scenario that a file holds. */
export function scenarioNameOf(file: string): string {
  return basename(file, extname(file));
}

/** What is wrong where nothing could be read. */
export function nothingRead(unread: readonly UnreadInput[]): HarnessError {
  return new HarnessError('NO_INPUT', unread.map(({ reason }) => reason).join('\n'));
}

/** One bad input among several does not stop the others. */
function tryExpand(input: string, unread: UnreadInput[]): readonly string[] {
  try {
    return expandInput(input);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    unread.push({ file: input, reason: error.message });
    return [];
  }
}

function expandInput(input: string): readonly string[] {
  const kind = kindOf(input);
  if (kind === 'file') return [toSlashes(input)];
  const files = kind === 'folder' ? [...filesBelow(toSlashes(input))] : expandPattern(input);
  if (files.length > 0) return files;
  const shown = quotedLong(input);
  throw new HarnessError('NO_INPUT', `Expected scenario files (.yaml) at ${shown}, got none.`);
}

function expandPattern(input: string): readonly string[] {
  if (isGlob(input)) return expandGlob(input);
  const shown = quotedLong(input);
  const message = `Expected ${shown} to be a file, folder or pattern, got nothing at that path.`;
  throw new HarnessError('UNREADABLE', message);
}

function* filesBelow(folder: string): Generator<string, void, undefined> {
  for (const entry of readFolder(folder)) {
    if (isSkipped(entry)) continue;
    if (entry.kind === 'folder') yield* filesBelow(entry.path);
    else if (SCENARIO_FILE.test(entry.name)) yield entry.path;
  }
}

function selectNamed(files: readonly string[], only: string): readonly string[] {
  const selected = files.filter((file) => scenarioNameOf(file).includes(only));
  if (selected.length > 0) return selected;
  const message = `Expected '--only' to be part of a scenario's name, got ${quoted(only)}, which none of ${files.length} has.`;
  throw new HarnessError('NO_INPUT', message);
}
