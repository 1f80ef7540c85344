import type { Tally } from '../reading/tally.ts';
import { opensTurn } from './blocks.ts';
import { isStep } from './conversation.ts';
import { parentOf, type RecordIndex } from './parents.ts';
import { type ClaudeRecord, isBoundary } from './record.ts';

/** What tells whether a branch was left for another one. */
interface Tree {
  readonly records: readonly ClaudeRecord[];
  /** What each record follows; absent where the file does not hold or tell it. */
  readonly forks: readonly (string | undefined)[];
  /** The place of the last prompt that follows something. */
  readonly lastPrompts: ReadonlyMap<string, number>;
  /** The place where somebody last spoke in a branch, by the uuid of the record that it begins with. */
  readonly lastWords: ReadonlyMap<string, number>;
}

/** Stands for what the first record of a session follows; no uuid is like it. */
const BEGINNING = ' beginning';

/**
 * The records of a conversation without the branches that a person left by a rewind. The program keeps them: it only
 * lets the new prompt follow what the old one followed. Results of tools and notes fork the tree as well; a branch was
 * left where somebody spoke in it before the new prompt, and nobody did any more from then on.
 */
export function withoutRewound(
  records: readonly ClaudeRecord[],
  index: RecordIndex,
  tally: Tally,
): readonly ClaudeRecord[] {
  const tree = toTree(records, index);
  const left = new Set<string | undefined>();
  const kept = records.filter((record, place) => {
    const isLeft = left.has(record.parentUuid) || wasLeft(tree, record, place);
    if (isLeft && record.uuid !== undefined) left.add(record.uuid);
    return !isLeft;
  });
  tally.drop('message of another branch', countMessages(records) - countMessages(kept));
  return kept;
}

/** A record whose parent the file does not hold is in no branch. */
function toTree(records: readonly ClaudeRecord[], index: RecordIndex): Tree {
  const lastPrompts = new Map<string, number>();
  const lastWords = new Map<string, number>();
  const forks = findForks(records, index);
  for (const [place, record] of [...records.entries()].toReversed()) {
    const fork = forks[place];
    const isNew = opensTurn(record);
    if (isNew || isStep(record)) raise(lastWords, record.uuid, place);
    raise(lastWords, fork, lastWords.get(record.uuid ?? ''));
    if (isNew) raise(lastPrompts, fork, place);
  }
  return { records, forks, lastPrompts, lastWords };
}

/**
 * The uuid of what each record follows. What follows nothing follows the beginning, or the last compaction, which is a
 * beginning of its own; where even steps follow nothing, their recorder does not tell what follows what.
 */
function findForks(
  records: readonly ClaudeRecord[],
  index: RecordIndex,
): readonly (string | undefined)[] {
  const tellsRoots = !records.some((record) => record.isRoot && isStep(record));
  let beginning = BEGINNING;
  return records.map((record) => {
    if (isBoundary(record)) beginning = `${BEGINNING} ${record.uuid}`;
    else if (record.isRoot && tellsRoots) return beginning;
    return parentOf(record, index)?.uuid;
  });
}

function raise(places: Map<string, number>, uuid: string | undefined, place = -1): void {
  if (uuid !== undefined) places.set(uuid, Math.max(places.get(uuid) ?? -1, place));
}

/** What a session goes on from is no branch of it: only a prompt of the same session leaves one. */
function wasLeft(tree: Tree, record: ClaudeRecord, place: number): boolean {
  const { records, forks, lastPrompts, lastWords } = tree;
  const { uuid = '', sessionId } = record;
  const next = lastPrompts.get(forks[place] ?? '') ?? -1;
  const lastWord = lastWords.get(uuid) ?? -1;
  const isOver = place <= lastWord && lastWord < next;
  return isOver && records[next]?.sessionId === sessionId;
}

/** Records with one message id are one step. */
function countMessages(records: readonly ClaudeRecord[]): number {
  const stepIds = records.filter(isStep).map(({ message, uuid }) => message?.id ?? uuid);
  return records.filter(opensTurn).length + new Set(stepIds).size;
}
