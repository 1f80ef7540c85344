import { basename, extname } from 'node:path';
import { HarnessError, unlessWrongInput } from '../../simulator/errors.ts';
import { quoted, quotedLong } from '../../simulator/names.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { fileAt, type FoundEntry, kindOf } from '../../simulator/session/files/folder.ts';
import { expandGlob, isGlob } from '../../simulator/session/files/glob.ts';
import { nothingThere } from '../../simulator/session/files/nothing-there.ts';
import { searchFolder, toSearchResult } from '../../simulator/session/files/search-folder.ts';
import { nothingRead } from '../inputs/no-input.ts';
import { nameInPackage, SHIPPED_SCENARIOS } from '../inputs/package-files.ts';

/** The scenario files to be checked. */
export interface CheckInputs {
  /** Sorted, each once. */
  readonly files: readonly string[];
  /** Inputs that stand for no file, and what lies below the others but cannot be read. */
  readonly unread: readonly UnreadInput[];
  /** How a path is shown. */
  nameOf(path: string): string;
}

const SCENARIO_FILE = /\.ya?ml$/i;

/** Whether a name is one that scenario files have. */
export function isScenarioFile(name: string): boolean {
  return SCENARIO_FILE.test(name);
}

/** The files that inputs stand for, or those that come with the package; with `only`, those whose name contains it. */
export function findScenarios(inputs: readonly string[], only?: string): CheckInputs {
  const isShipped = inputs.length === 0;
  const absent: UnreadInput[] = [];
  const expanded = (isShipped ? [SHIPPED_SCENARIOS] : inputs).map((one) => tryExpand(one, absent));
  const found = toSearchResult(expanded.flat());
  const below = found.unread.map(({ path, reason }) => ({ file: path, reason }));
  const unread = [...absent, ...below];
  if (found.files.length === 0) throw nothingRead(unread);
  const files = only === undefined ? found.files : selectNamed(found.files, only);
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

/** One bad input among several does not stop the others. */
function tryExpand(input: string, unread: UnreadInput[]): readonly FoundEntry[] {
  const found = unlessWrongInput(() => expandInput(input));
  if (!(found instanceof HarnessError)) return found;
  unread.push({ file: input, reason: found.message });
  return [];
}

function expandInput(input: string): readonly FoundEntry[] {
  const kind = kindOf(input);
  if (kind === 'file') return [fileAt(input)];
  const isFolder = kind === 'folder';
  const found = isFolder ? searchFolder(input, selectScenarios) : expandPattern(input);
  if (found.length > 0) return found;
  const shown = quotedLong(input);
  throw new HarnessError('NO_INPUT', `Expected scenario files (.yaml) at ${shown}, got none.`);
}

function expandPattern(input: string): readonly FoundEntry[] {
  if (isGlob(input)) return expandGlob(input);
  throw nothingThere(input);
}

function selectScenarios(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  return entries.filter(({ kind, name }) => kind !== 'file' || SCENARIO_FILE.test(name));
}

function selectNamed(files: readonly string[], only: string): readonly string[] {
  const selected = files.filter((file) => scenarioNameOf(file).includes(only));
  if (selected.length > 0) return selected;
  const message = `Expected '--only' to be part of a scenario's name, got ${quoted(only)}, which is in none of ${files.length}.`;
  throw new HarnessError('NO_INPUT', message);
}
