import { isSentAsIs, type Message, type Part } from '../message.ts';
import { haveSameCalls, pairedCallsOf } from './pairing.ts';

/**
 * Messages in order by themselves, no two of which have an id in common or that of a call, as one session showed them
 * first. Sessions with the same messages go along one line, so that their ids are compared once.
 */
export interface Line {
  /** By the ids of their messages. */
  readonly entries: Map<string, Entry>;
  readonly callIds: Set<string>;
  readonly first: Entry;
  newest: Entry;
}

/** What is known of a message on a line. */
export interface Entry {
  readonly id: string;
  readonly role: Message['role'];
  /** Absent where they do not tell alone what it calls. */
  readonly parts: readonly Part[] | undefined;
  readonly calls: readonly string[];
  readonly place: number;
  next: Entry | undefined;
}

/** How far a session has come along a line. */
export interface Walk {
  /** Absent before its first message. */
  line: Line | undefined;
  /** The furthest message that it shows. */
  at: Entry | undefined;
  /** The furthest message that it showed before it started again. */
  reached: Entry | undefined;
}

/** Lines by the parts of their first messages; messages with the same parts are made anew for each run. */
const lines = new WeakMap<readonly Part[], Line>();

/** A walk that is at no message yet. */
export function startWalk(): Walk {
  return { line: undefined, at: undefined, reached: undefined };
}

/** Shows nothing of the line any more. */
export function startAgain(walk: Walk): void {
  walk.reached = furthestOf(walk);
  walk.at = undefined;
}

/** A message where it is on a line further than all that a session shows. */
export function findAhead(walk: Walk, message: Message): Entry | undefined {
  const next = walk.at?.next;
  if (next !== undefined && isEntryOf(next, message)) return next;
  const calls = pairedCallsOf(message);
  if (calls === undefined) return undefined;
  if (walk.line === undefined) {
    walk.line = lineFrom(message, calls);
    return walk.line.first;
  }
  const known = walk.line.entries.get(message.id);
  if (known === undefined || isBehind(walk, known)) return undefined;
  return known.role === message.role && haveSameCalls(known.calls, calls) ? known : undefined;
}

/** The entry of a message that no session has shown before at the end of a line, if that is where this one is. */
export function extendLine(walk: Walk, message: Message): Entry | undefined {
  const { line } = walk;
  const calls = pairedCallsOf(message);
  if (line === undefined || calls === undefined || furthestOf(walk) !== line.newest) {
    return undefined;
  }
  if (line.entries.has(message.id) || calls.some((call) => line.callIds.has(call))) {
    return undefined;
  }
  const entry = toEntry(message, calls, line.newest.place + 1);
  line.entries.set(entry.id, entry);
  for (const call of calls) line.callIds.add(call);
  line.newest.next = entry;
  line.newest = entry;
  return entry;
}

/** Whether an id, or that of a call, may be one of those on a line that a session shows. */
export function mayShow(walk: Walk, messageId: string, callIds: readonly string[]): boolean {
  const { line, at } = walk;
  if (line === undefined || at === undefined) return false;
  const known = line.entries.get(messageId);
  return (
    (known !== undefined && isBehind(walk, known)) ||
    callIds.some((callId) => line.callIds.has(callId))
  );
}

function furthestOf({ at, reached }: Walk): Entry | undefined {
  if (at === undefined || reached === undefined) return at ?? reached;
  return at.place > reached.place ? at : reached;
}

function lineFrom(message: Message, calls: readonly string[]): Line {
  const known = lines.get(message.parts);
  if (known !== undefined && isEntryOf(known.first, message)) return known;
  const first = toEntry(message, calls, 0);
  const entries = new Map([[first.id, first]]);
  const line = { entries, callIds: new Set(calls), first, newest: first };
  lines.set(message.parts, line);
  return line;
}

function toEntry(message: Message, calls: readonly string[], place: number): Entry {
  const { id, role, parts } = message;
  return {
    id,
    role,
    parts: isSentAsIs(message) ? parts : undefined,
    calls,
    place,
    next: undefined,
  };
}

function isEntryOf({ id, parts, role }: Entry, message: Message): boolean {
  if (message.id !== id || message.parts !== parts || message.role !== role) return false;
  return isSentAsIs(message);
}

function isBehind({ at }: Walk, { place }: Entry): boolean {
  return at !== undefined && place <= at.place;
}
