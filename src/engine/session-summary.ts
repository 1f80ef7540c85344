import type { Message, UserMessage } from './message.ts';

/** The files of each snapshot as `path → text`, by the id that steps name. */
export type Snapshots = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Sums over the files of a diff. */
export interface DiffTotals {
  readonly additions: number;
  readonly deletions: number;
  readonly files: number;
}

/** The changes of some messages to the files, or why they are unknown. */
export type SnapshotDiff =
  | { readonly state: 'known'; readonly files: readonly FileDiff[]; readonly totals: DiffTotals }
  | { readonly state: 'unknown'; readonly reason: 'no-start-snapshot' | 'no-finish-snapshot' }
  | { readonly state: 'unknown'; readonly reason: 'snapshot-not-given'; readonly snapshot: string };

/** The request of one user message, and its results. */
export interface MessageSummary {
  readonly messageId: string;
  /** From the user's own words; absent where there are none, as in a marker or a continue text. */
  readonly title?: string;
  /** The last text that the model wrote in the turn; absent where it wrote none. */
  readonly body?: string;
  readonly diff: SnapshotDiff;
}

/** The changes of a session to the files, as a whole and turn by turn. */
export interface SessionSummary {
  readonly diff: SnapshotDiff;
  /** One for each user message, oldest first. */
  readonly messages: readonly MessageSummary[];
}

/** How many lines a text gained and lost. */
export interface LineChanges {
  readonly additions: number;
  readonly deletions: number;
}

/** One file that two snapshots hold differently; a side that has no such file counts as empty. */
export interface FileDiff extends LineChanges {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

type Sides<Line> = readonly [before: readonly Line[], after: readonly Line[]];

const MAX_DIFFERING_LINES = 20_000;
const MAX_TITLE_LENGTH = 100;
const splitLines = (text: string) => (text === '' ? [] : text.split(/(?<=\n)/u));
/** UTF-16 units in which such a title is sure to end, so that a pasted megabyte is not read. */
const READ_LENGTH = 4 * MAX_TITLE_LENGTH;
/** The end of a sentence, but not that of `e.g.`, `v1.2` or the number of a list. */
const SENTENCE_END = /(?<=[\p{L}\p{Pe}\p{Pf}'"`])[.!?]+(?=\s+\P{Ll})|[。！？]/u;

/**
 * Sums up a history with the snapshots that its steps name: the files that differ between the first step-start and the
 * last step-finish, for the session and for each turn. Steps before the first user message count for the session only.
 * Source: design document 000, Session Summary.
 */
export function buildSessionSummary(
  history: readonly Message[],
  snapshots: Snapshots,
): SessionSummary {
  const turns: [UserMessage, ...Message[]][] = [];
  for (const message of history) {
    if (message.role === 'user') turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return {
    diff: diffSteps(history, snapshots),
    messages: turns.map(([prompt, ...steps]) => {
      const [title] = ownTexts([prompt]).flatMap((text) => toTitle(text) ?? []);
      const body = ownTexts(steps).findLast((text) => text.trim() !== '');
      return {
        messageId: prompt.id,
        ...(title !== undefined && { title }),
        ...(body !== undefined && { body }),
        diff: diffSteps(steps, snapshots),
      };
    }),
  };
}

/** The files that differ between two snapshots, each `path → text`, in order of their paths. */
export function diffFiles(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly FileDiff[] {
  const files = [...new Set([...before.keys(), ...after.keys()])];
  return files
    .filter((file) => before.get(file) !== after.get(file))
    .toSorted((left, right) => (left < right ? -1 : 1))
    .map((file) => {
      const [old, now] = [before.get(file) ?? '', after.get(file) ?? ''];
      return { file, before: old, after: now, ...countLineChanges(old, now) };
    });
}

/**
 * The fewest lines that must be added and deleted to make one text of another, as `git diff --numstat --minimal` counts
 * them: a line includes its ending, so another ending, or a missing one at the end of the text, is another line. Where
 * more than `MAX_DIFFERING_LINES` of the lines that both texts contain differ, everything between the common start and
 * end counts as deleted and added.
 */
export function countLineChanges(before: string, after: string): LineChanges {
  const [deleted, added] = trimCommonEnds([splitLines(before), splitLines(after)]);
  const [from, to] = numberShared([deleted, added]);
  const gap = to.length - from.length;
  const lost = gap < 0 ? countLost(to, from) : countLost(from, to);
  const kept = lost === undefined ? 0 : Math.min(from.length, to.length) - lost;
  return { additions: added.length - kept, deletions: deleted.length - kept };
}

/** The first sentence or line of a text, cut between words; `undefined` for a blank text. */
export function toTitle(text: string): string | undefined {
  const start = text.trimStart().slice(0, READ_LENGTH);
  const [line = ''] = start.split(/[\n\r]/u, 1);
  const end = SENTENCE_END.exec(line);
  const sentence = end === null ? line : line.slice(0, end.index + end[0].length);
  return cutBetweenWords(sentence.trim().replaceAll(/\s+/gu, ' ')) || undefined;
}

function diffSteps(messages: readonly Message[], snapshots: Snapshots): SnapshotDiff {
  const parts = messages.flatMap((message) => message.parts);
  // An empty name is none, as in the released program.
  const named = (type: 'step-start' | 'step-finish') =>
    parts.flatMap((part) => (part.type === type && part.snapshot ? [part.snapshot] : []));
  const [start, finish] = [named('step-start')[0], named('step-finish').at(-1)];
  if (start === undefined) return { state: 'unknown', reason: 'no-start-snapshot' };
  if (finish === undefined) return { state: 'unknown', reason: 'no-finish-snapshot' };
  const [before, after] = [snapshots.get(start), snapshots.get(finish)];
  if (before === undefined || after === undefined) {
    const snapshot = before === undefined ? start : finish;
    return { state: 'unknown', reason: 'snapshot-not-given', snapshot };
  }
  const files = diffFiles(before, after);
  const totals = {
    additions: files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
    files: files.length,
  };
  return { state: 'known', files, totals };
}

function ownTexts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'text' && !part.synthetic && !part.ignored ? [part.text] : [],
    ),
  );
}

function trimCommonEnds([before, after]: Sides<string>): Sides<string> {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
}

function numberShared([before, after]: Sides<string>): readonly [Int32Array, Int32Array] {
  const inAfter = new Set(after);
  const numbers = new Map<string, number>();
  for (const line of before) {
    if (inAfter.has(line) && !numbers.has(line)) numbers.set(line, numbers.size);
  }
  const toNumbers = (lines: readonly string[]) =>
    Int32Array.from(lines.flatMap((line) => numbers.get(line) ?? []));
  return [toNumbers(before), toNumbers(after)];
}

/** Lines of the shorter side that no common subsequence keeps. Source: Wu, Manber, Myers and Miller (1990). */
function countLost(shorter: Int32Array, longer: Int32Array): number | undefined {
  const gap = longer.length - shorter.length;
  const origin = shorter.length + 1;
  const reached = new Int32Array(shorter.length + longer.length + 3).fill(-1);
  const advance = (diagonal: number) => {
    const below = reached[origin + diagonal - 1] ?? 0;
    const above = reached[origin + diagonal + 1] ?? 0;
    let index = Math.max(below + 1, above);
    while (index < longer.length && longer[index] === shorter[index - diagonal]) index += 1;
    reached[origin + diagonal] = index;
    return index;
  };
  for (let lost = 0; gap + 2 * lost <= MAX_DIFFERING_LINES; lost += 1) {
    for (let diagonal = -lost; diagonal < gap; diagonal += 1) advance(diagonal);
    for (let diagonal = gap + lost; diagonal > gap; diagonal -= 1) advance(diagonal);
    if (advance(gap) >= longer.length) return lost;
  }
  return undefined;
}

function cutBetweenWords(sentence: string): string {
  const characters = Array.from(sentence);
  if (characters.length <= MAX_TITLE_LENGTH) return sentence;
  const lastSpace = characters.lastIndexOf(' ', MAX_TITLE_LENGTH);
  return characters.slice(0, lastSpace > 0 ? lastSpace : MAX_TITLE_LENGTH).join('');
}
