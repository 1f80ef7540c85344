import { fileReadBy, fileWrittenBy, PATH_KEYS } from '../file-calls.ts';
import { isStandIn, isSummary, type Message, type Part } from '../message.ts';
import { foldOver } from '../series/fold.ts';
import { foldTable } from '../series/fold-table.ts';
import { addUnder, itemUnder, type KeyedList, newestUnder } from '../series/keyed-list.ts';
import { itemsOf, push, type Stack } from '../series/stack.ts';
import { type Cleanup, type CleanupPolicy, type Found, isProtected } from './cleanup.ts';
import { hasTexts, withoutTexts } from './input-texts.ts';
import { rememberLast } from './remember-last.ts';

/** What was written to a file since it was last read. */
interface Writes {
  readonly path: string;
  readonly unread: Stack<Found> | undefined;
}

/** What was written so far, by file, and what of it was read since. */
interface Files {
  readonly newest: KeyedList<Writes>;
  readonly read: Stack<Found> | undefined;
}

const NO_FILES: Files = { newest: undefined, read: undefined };

/**
 * Takes out what was written to files that were read since: the read shows it. The path stays. Source: the plugin
 * "dynamic context pruning" for OpenCode, `supersedeWrites`.
 */
export const superseded: Cleanup = {
  find: (history, rules) => itemsOf(foldOver(history, filesFor(rules)).read),
  clear: rememberLast((part, { inputText = '' }, now) =>
    part.type === 'tool' ? withoutTexts(part, { staying: PATH_KEYS, text: inputText, now }) : part,
  ),
};

const filesFor = foldTable(
  ({ protectedTools }: CleanupPolicy) => protectedTools ?? null,
  (rules) => ({
    start: NO_FILES,
    add: (files: Files, message: Message, { index }) =>
      isSummary(message)
        ? NO_FILES
        : message.parts.reduce(
            (known, part) => (isProtected(part, rules) ? known : addPart(known, part, index)),
            files,
          ),
  }),
);

function addPart(files: Files, part: Part, index: number): Files {
  const read = fileReadBy(part);
  if (read !== undefined) return addRead(files, read.path);
  const written = fileWrittenBy(part);
  if (written === undefined || isStandIn(part) || !hasTexts(written.part, PATH_KEYS)) return files;
  const { path } = written;
  const unread = push(unreadOf(files, path), { part, index });
  return { ...files, newest: addUnder(files.newest, path, { path, unread }) };
}

function addRead(files: Files, path: string): Files {
  const unread = unreadOf(files, path);
  if (unread === undefined) return files;
  let { read } = files;
  for (const found of itemsOf(unread)) read = push(read, found);
  return { newest: addUnder(files.newest, path, { path, unread: undefined }), read };
}

function unreadOf({ newest }: Files, path: string): Writes['unread'] {
  const place = newestUnder(newest, path, (writes) => writes.path === path);
  return itemUnder(newest, place)?.unread;
}
