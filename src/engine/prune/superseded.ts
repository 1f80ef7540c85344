import { type FileCall, fileReadBy, fileWrittenBy, PATH_KEYS } from '../file-calls.ts';
import { type Part, storedPart } from '../message.ts';
import { foldOver } from '../history.ts';
import { type HashedKey, hashKey, itemUnderKey, type KeyTrie, withItem } from '../key-trie.ts';
import { itemsOf, push, type Stack } from '../stack.ts';
import type { Cleanup, Found } from './cleanup.ts';
import { hasTexts, withoutTexts } from './input-texts.ts';
import { partFold } from './part-fold.ts';

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
  clear: (part, { inputText }, now) =>
    part.type === 'tool' ? withoutTexts(part, { staying: PATH_KEYS, inputText, now }) : part,
};

const filesFor = partFold(NO_FILES, addPart);

function addPart(files: Files, part: Part, index: number): Files {
  const stored = storedPart(part);
  const read = toKey(fileReadBy(stored));
  if (read !== undefined) return addRead(files, read);
  const written = toKey(fileWrittenBy(stored));
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
