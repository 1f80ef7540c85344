import { setImmediate } from 'node:timers/promises';
import type { Message, Part } from '../../engine/index.ts';
import { groupBy, joinGroups, known, sum } from '../lib/collections.ts';
import { contentHash } from '../lib/json.ts';
import { compareTexts } from '../lib/text.ts';
import type { SessionFormat } from './format.ts';
import { sessionFormats } from './formats.ts';
import { loadSessions } from './load.ts';
import type { Session } from './session.ts';

/** Repeats among some sessions. */
export interface Repeats {
  /** Sessions that others contain whole; these are left out. */
  readonly copies: readonly GrowingCopy[];
  /** Sessions whose first messages others contain. */
  readonly shared: readonly SharedBeginning[];
  /** Sessions that are not independent, with the first name of their family; copies are absent. */
  readonly families: ReadonlyMap<string, string>;
}

/** Repeats among sessions, by name. */
export interface RepeatsByName {
  readonly copies: ReadonlyMap<string, GrowingCopy>;
  readonly shared: ReadonlyMap<string, SharedBeginning>;
  readonly families: Repeats['families'];
}

/** The data that shows one session to be an earlier state of another. */
export interface CopyCandidate extends MarkedSession {
  readonly format: string;
  readonly sessionId?: string;
  readonly isSide: boolean;
  readonly idMarks: Float64Array;
}

/** A session whose messages all begin a longer one. */
interface GrowingCopy {
  readonly name: string;
  readonly copyOf: string;
  readonly isShorter: boolean;
}

interface MarkedSession {
  readonly name: string;
  /** Messages before its first one are absent; the first may hold a summary of them. */
  readonly isPartial: boolean;
  readonly marks: {
    /** A number per message, equal in copies of the message. */
    readonly ofMessages: Float64Array;
    /** First messages that two sessions do not share by chance; infinite if unknown. */
    readonly least: number;
  };
  /** Characters of all content: of two sessions with the same messages, the larger one continues further. */
  readonly size: number;
}

/** A forked or resumed session, whose first messages are copies. */
interface SharedBeginning extends Readonly<Record<'name' | 'sharedWith', string>> {
  readonly messages: number;
}

interface Start {
  readonly session: MarkedSession;
  readonly index: number;
  readonly rank: number;
  end: number;
  sharedWith?: string;
}

interface Evidence {
  /** A text that no two messages share by chance; empty where there is none. */
  of(message: Message): string;
  describe(part: Part): string;
}

/** By time and size, not by text, so that redacted messages are recognized. */
const BY_TIME: Evidence = {
  of: ({ createdAt }) => (createdAt > 0 ? String(createdAt) : ''),
  describe: (part) => `${part.type} ${sizeOf(part)}`,
};

const BY_CALLS: Evidence = {
  of: ({ parts }) => parts.flatMap((part) => (part.type === 'tool' ? part.callId : [])).join('\n'),
  describe: (part) => (part.type === 'text' ? part.text : BY_TIME.describe(part)),
};

const MARK_DIGITS = 12;

/** Finds sessions that repeat others: earlier states, forks, and sessions resumed under another id. */
export function findRepeats(sessions: readonly CopyCandidate[]): Repeats {
  const growing = findGrowingCopies(sessions);
  const grown = new Set(growing.map(({ name }) => name));
  const others = sessions.filter(({ name }) => !grown.has(name));
  const named = new Map(others.map((session) => [session.name, session]));
  const beginnings = findSharedBeginnings(others);
  const whole = new Map<string, GrowingCopy>();
  for (const { name, sharedWith, messages } of beginnings) {
    const [session, holder] = [named.get(name), named.get(sharedWith)];
    // A sub-agent's session is no copy of its parent's.
    if (session === undefined || session.isSide !== holder?.isSide) continue;
    if (session.marks.ofMessages.length > messages) continue;
    whole.set(name, { name, copyOf: sharedWith, isShorter: session.size < holder.size });
  }
  const counted = (name: string) => whole.get(name)?.copyOf ?? name;
  const kept = growing.map((copy) => ({ ...copy, copyOf: counted(copy.copyOf) }));
  return {
    copies: [...kept, ...whole.values()],
    shared: beginnings
      .filter(({ name }) => !whole.has(name))
      .map((beginning) => ({ ...beginning, sharedWith: counted(beginning.sharedWith) })),
    families: findFamilies(others.filter(({ name }) => !whole.has(name))),
  };
}

/** Finds repeats in session files, one session in memory at a time; pipes are not read. */
export async function findFileRepeats(files: readonly string[], signal?: AbortSignal) {
  const candidates: CopyCandidate[] = [];
  for (const loaded of loadSessions(files, { pipes: 'leave' })) {
    if (loaded.state === 'read') candidates.push(toCopyCandidate(loaded.session));
    // Reading blocks; a signal is heard only between two sessions.
    await setImmediate();
    if (signal?.aborted) break;
  }
  return byName(findRepeats(candidates));
}

export function byName({ copies, shared, families }: Repeats): RepeatsByName {
  return {
    copies: new Map(copies.map((copy) => [copy.name, copy])),
    shared: new Map(shared.map((beginning) => [beginning.name, beginning])),
    families,
  };
}

/** Families that include copies. */
export function familiesWithCopies({
  copies,
  families,
}: Pick<RepeatsByName, 'copies' | 'families'>): ReadonlyMap<string, string> {
  const ofCopies = [...copies.values()].map(({ name, copyOf }) => [name, copyOf]);
  return joinGroups([...families, ...ofCopies]);
}

/** The data of a session for finding copies; it does not keep the session in memory. */
export function toCopyCandidate(session: Session): CopyCandidate {
  const { name, format, isSide, isPartial, messages } = session;
  // An id that was cut out of a text keeps the whole text in memory; a clone does not.
  // Several rows of a table may be tries at one task, whose id they share.
  const sessionId = format === 'parquet' ? undefined : structuredClone(session.sessionId);
  return {
    name,
    format,
    isSide,
    isPartial,
    idMarks: Float64Array.from(messages, ({ id }) => toMark(id)),
    marks: markMessages(session),
    size: sum(messages.flatMap(({ parts }) => parts.map(sizeOf))),
    ...known({ sessionId }),
  };
}

/** Sessions continued by another with the same recorder id. Of equal ones, the first by name is no copy. */
export function findGrowingCopies(sessions: readonly CopyCandidate[]): readonly GrowingCopy[] {
  const groups = groupBy(sessions, ({ format, isSide, sessionId }) =>
    sessionId === undefined ? undefined : JSON.stringify([format, isSide, sessionId]),
  );
  return [...groups.values()].flatMap((group) => {
    const longestFirst = group.toSorted(
      (a, b) => b.idMarks.length - a.idMarks.length || compareSizes(a, b),
    );
    return longestFirst.flatMap(({ name, idMarks, size }, index) => {
      const longer = longestFirst
        .slice(0, index)
        .find((other) => idMarks.every((mark, at) => mark === other.idMarks[at]));
      if (longer === undefined) return [];
      return [{ name, copyOf: longer.name, isShorter: size < longer.size }];
    });
  });
}

/** Explains why a copy is not used. */
export function describeCopy(
  { copyOf, isShorter }: GrowingCopy,
  nameOf: (name: string) => string = (name) => name,
): string {
  return `${isShorter ? 'a shorter copy' : 'a copy'} of ${nameOf(copyOf)}`;
}

/** Names of sessions that share first messages, directly or through others, with the first name of their family. */
export function findFamilies(sessions: readonly MarkedSession[]): ReadonlyMap<string, string> {
  const beginnings = new Map<string, { marks: Float64Array; holders: Set<string> }>();
  for (const session of sessions) {
    const { ofMessages, least } = session.marks;
    for (const start of startsOf(session)) {
      const marks = ofMessages.subarray(start, Math.max(least, start + 1));
      if (marks.length > 0) beginnings.set(marks.join(), { marks, holders: new Set() });
    }
  }
  // Thousands of sessions may begin with one prompt; the answer behind it tells them apart.
  const byAnswer = groupBy([...beginnings.values()], ({ marks }) => marks.at(-1));
  for (const { name, marks: own } of sessions) {
    for (const [answer, mark] of own.ofMessages.entries()) {
      const held = (byAnswer.get(mark) ?? []).filter(({ marks }) =>
        marks.every((one, index) => one === own.ofMessages[answer - marks.length + 1 + index]),
      );
      for (const { holders } of held) holders.add(name);
    }
  }
  const groups = [...beginnings.values()].map(({ holders }) => [...holders]);
  return joinGroups(groups.filter(({ length }) => length > 1));
}

/** Sessions that begin with messages of another; the longest of several holds them. */
export function findSharedBeginnings(sessions: readonly MarkedSession[]) {
  const ranked = sessions.toSorted(
    (a, b) => b.marks.ofMessages.length - a.marks.ofMessages.length || compareSizes(a, b),
  );
  const starts = ranked.flatMap((session, rank) =>
    startsOf(session).map((index): Start => ({ session, index, rank, end: index })),
  );
  const byAnswer = groupBy(starts, (start) => start.session.marks.ofMessages[answerOf(start)]);
  for (const [rank, session] of ranked.entries()) matchStarts(session, rank, byAnswer);
  const found = groupBy(
    starts.filter(({ sharedWith }) => sharedWith),
    ({ session }) => session,
  );
  return [...found].flatMap(([{ name }, own]) => {
    const [best] = own.toSorted((a, b) => b.end - a.end);
    if (best?.sharedWith === undefined) return [];
    return [{ name, sharedWith: best.sharedWith, messages: best.end }];
  });
}

/** Numbers that identify the messages of a session. */
export function markMessages({ format, messages }: Pick<Session, 'format' | 'messages'>) {
  const formats: ReadonlyMap<string, SessionFormat> = new Map(Object.entries(sessionFormats));
  const evidence = formats.get(format)?.datesCopies ? BY_CALLS : BY_TIME;
  const first = messages.findIndex(
    (message) => message.role === 'assistant' && evidence.of(message) !== '',
  );
  return {
    ofMessages: Float64Array.from(messages, (message) => {
      const parts = message.parts.map((part) => evidence.describe(part));
      return toMark([message.role, evidence.of(message), ...parts]);
    }),
    least: first === -1 ? Number.POSITIVE_INFINITY : first + 1,
  };
}

function sizeOf(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return 1 + part.text.length;
  if (part.type !== 'tool') return 1;
  if (part.state.status === 'completed') return 2 + part.state.output.length;
  return part.state.status === 'error' ? 2 + part.state.error.length : 1;
}

function toMark(value: unknown): number {
  return Number.parseInt(contentHash(value).slice(0, MARK_DIGITS), 16);
}

function compareSizes(a: MarkedSession, b: MarkedSession): number {
  return b.size - a.size || compareTexts(a.name, b.name);
}

function startsOf({ marks, isPartial }: Pick<MarkedSession, 'marks' | 'isPartial'>) {
  if (!Number.isFinite(marks.least)) return [];
  return isPartial ? [0, 1] : [0];
}

/** The index of the message that must match: many sessions share a prompt, none the answer. */
function answerOf({ session, index }: Start): number {
  return Math.max(session.marks.least - 1, index);
}

function matchStarts(
  holder: MarkedSession,
  rank: number,
  byAnswer: ReadonlyMap<number, readonly Start[]>,
): void {
  const starts = holder.isPartial ? 2 : 1;
  for (const [answer, mark] of holder.marks.ofMessages.entries()) {
    for (const start of byAnswer.get(mark) ?? []) {
      const position = answer - answerOf(start) + start.index;
      if (position < 0) continue;
      // Where both begin here, the one that ranks first holds it.
      const isHolder = position < starts ? start.rank > rank : start.rank !== rank;
      if (isHolder) matchStart(start, holder, position);
    }
  }
}

function matchStart(start: Start, { name, marks }: MarkedSession, position: number): void {
  const { ofMessages: own, least } = start.session.marks;
  const other = marks.ofMessages;
  const offset = position - start.index;
  // Checked first, because all pairs of a family are compared: a match must reach beyond the best.
  if (start.end === own.length || own[start.end] !== other[start.end + offset]) return;
  let end = start.index;
  while (end < own.length && own[end] === other[end + offset]) end += 1;
  if (end < least || end <= start.end) return;
  start.end = end;
  start.sharedWith = name;
}
