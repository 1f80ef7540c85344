import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { badOption, HarnessError, messageOf } from '../../lib/errors.ts';
import { writeWhole } from '../../lib/files.ts';
import { describeIssue } from '../../lib/json.ts';
import { quoted } from '../../lib/names.ts';
import { fromFile, type Recording, RecordingFile, toFileText } from './recording.ts';

/** Which call a recording is of. */
export type CallId = Pick<Recording, 'repeat' | 'nth'> & { readonly key: string };

/** The recordings of a folder, one call a file. */
export interface Store {
  find(id: CallId): Recording | undefined;
  all(): readonly Recording[];
  /** Writes a recording whole or not at all, and gives it as it will be read. */
  write(recording: Recording): Recording;
}

const KEY_LENGTH = 16;
const EXTENSION = '.json';
const LONGEST_SHOWN = 300;

/** The store of a folder, which is read once and made with the first recording; what is not found is looked for again. */
export function openStore(folder: string, scrub: (text: string) => string): Store {
  let recordings: Map<string, Recording> | undefined;
  const read = () => {
    recordings ??= readFolder(folder);
    return recordings;
  };
  return {
    find: (id) => {
      const name = nameOf(id);
      // Others may have recorded it since.
      const found = read().get(name) ?? readFile(folder, name);
      if (found !== undefined) read().set(name, found);
      return found;
    },
    all: () => [...read().values()],
    write: (recording) => {
      const text = toFileText(recording, scrub);
      const name = nameOf({ ...recording, key: recording.request.key });
      inFolder(folder, () => writeWhole(join(folder, name), text));
      const stored = parse(text, name);
      read().set(name, stored);
      return stored;
    },
  };
}

/** The file of a call. */
export function nameOf({ key, repeat, nth }: CallId): string {
  const again = nth === 1 ? '' : `-${nth}`;
  return `${key.slice(0, KEY_LENGTH)}-${repeat}${again}${EXTENSION}`;
}

function readFolder(folder: string): Map<string, Recording> {
  const names = existsSync(folder) ? inFolder(folder, () => readdirSync(folder)) : [];
  const files = names.filter((name) => name.endsWith(EXTENSION)).toSorted();
  return new Map(
    files.map((name) => {
      const recording = parse(readText(folder, name), name);
      return [nameOf({ ...recording, key: recording.request.key }), recording];
    }),
  );
}

/** What is wrong with the folder is wrong for every call: nothing more is asked that could not be kept. */
function inFolder<Result>(folder: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw badOption(
      `Expected a folder for recorded calls, got ${quoted(folder)}: ${quoted(messageOf(error), LONGEST_SHOWN)}.`,
      { cause: error },
    );
  }
}

function readFile(folder: string, name: string): Recording | undefined {
  const recording = existsSync(join(folder, name))
    ? parse(readText(folder, name), name)
    : undefined;
  return recording && nameOf({ ...recording, key: recording.request.key }) === name
    ? recording
    : undefined;
}

function readText(folder: string, name: string): string {
  return inFolder(folder, () => readFileSync(join(folder, name), 'utf8'));
}

function parse(text: string, name: string): Recording {
  const checked = RecordingFile.safeParse(toJson(text, name));
  if (checked.success) return fromFile(checked.data);
  throw badRecording(name, `at ${describeIssue(checked.error.issues[0])}`, checked.error);
}

function toJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRecording(name, 'it is not JSON', error);
  }
}

function badRecording(name: string, why: string, cause: unknown): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected ${quoted(name)} to be a recorded call, but ${quoted(why, LONGEST_SHOWN)}. Record it again, or remove it.`,
    { cause },
  );
}
