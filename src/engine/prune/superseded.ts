import { type FileCall, fileReadBy, fileWrittenBy, PATH_KEYS } from '../file-calls.ts';
import { type Part, storedPart } from '../message.ts';
import { perKey } from '../per-key.ts';
import { foldOver } from '../series/fold.ts';
import {
  type HashedKey,
  hashKey,
  itemUnderKey,
  type KeyTrie,
  withItem,
} from '../series/key-trie.ts';
import { itemsOf, push, type Stack } from '../series/stack.ts';
import type { Cleanup, Found } from './cleanup.ts';
import { hasTexts, withoutTexts } from './input-texts.ts';
import { partFold } from './part-fold.ts';
import { rememberLast } from './remember-last.ts';

/** What was written to a file since it was last read. */
type Unread = Stack<Found> | undefined;

/** What was written so far and not read, by file, and what of it was read since. */
interface Files {
  readonly unread: KeyTrie<Unread>;
  readonly read: Stack<Found> | undefined;
}

const NO_FILES: Files = { unread: undefined, read: undefined };

/**
 * Takes out what was written to files that were read since: the read shows it. The path stays. Source: the plugin
 * "dynamic context pruning" for OpenCode, `supersedeWrites`.
 */
export const superseded: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, filesFor(rules)).read),
  clear: rememberLast((part, { inputText }, now) =>
    part.type === 'tool' ? withoutTexts(part, { staying: PATH_KEYS, inputText, now }) : part,
  ),
};

const filesFor = partFold(NO_FILES, addPart);

/** The file that a call read or wrote. */
const touchOf = perKey((part: Part) => ({
  read: toKey(fileReadBy(part)),
  written: toKey(fileWrittenBy(part)),
}));

function addPart(files: Files, part: Part, index: number): Files {
  const { read, written } = touchOf(storedPart(part));
  if (read !== undefined) return addRead(files, read);
  if (written === undefined || part.type !== 'tool' || !hasTexts(part, PATH_KEYS)) return files;
  const older = itemUnderKey(files.unread, written);
  const unread = withItem(files.unread, written, push(older, { part, index }));
  return { unread, read: files.read };
}

function addRead({ unread, read: before }: Files, path: HashedKey): Files {
  const written = itemUnderKey(unread, path);
  if (written === undefined) return { unread, read: before };
  let read = before;
  for (const found of itemsOf(written)) read = push(read, found);
  return { unread: withItem(unread, path, undefined), read };
}

function toKey(call: FileCall | undefined): HashedKey | undefined {
  return call && hashKey(call.path);
}
