import { createHash } from 'node:crypto';
import { known } from '../../lib/collections.ts';
import { shortHash } from '../../lib/json.ts';
import type { UnreadInput } from '../../report/report.ts';
import type { Setup } from '../../setup/setup.ts';
import type { PlacedSession } from '../../session/format.ts';
import { loadSessions, type SessionPlace } from '../../session/load.ts';
import { toCopyCandidate } from '../../session/find-copies.ts';
import { evidenceOf } from '../../session/evidence.ts';
import type { Session } from '../../session/session.ts';
import { identifiedStoryOf } from '../../session/story.ts';
import type { Cell } from '../grid.ts';

export interface SessionRef extends SessionPlace {
  readonly name: string;
  readonly hash: string;
  /** The first by name of its family, as it is shown; absent where it stands alone. */
  readonly family?: string;
  /** Absent where nothing is known but the session. */
  readonly setup?: Setup;
}

export interface TaskRun {
  readonly cell: string;
  readonly seed: number;
  readonly place: number;
}

export type SweepTask = ReturnType<typeof taskOf>;

export interface FinishedRun {
  readonly place: number;
  readonly line: string;
}

export type CellsById = ReadonlyMap<string, Cell>;

/** A session of a file, under the name that the file gives it. */
export type FoundSession = ReturnType<typeof toFound>;

export interface Scan {
  readonly sessions: FoundSession[];
  readonly unread: UnreadInput[];
}

const HASH_LENGTH = 16;

export function taskOf(session: SessionRef, runs: readonly TaskRun[]) {
  const keys = runs.map(({ cell, seed }) => [cell, seed]);
  return { id: shortHash([session.name, session.hash, keys]), session, runs };
}

export function byId(cells: readonly Cell[]) {
  return new Map(cells.map((cell) => [cell.id, cell]));
}

/** Items that follow one another with the same key, as they come. */
export function* inStretches<Item>(items: Iterable<Item>, keyOf: (item: Item) => unknown) {
  let stretch: Item[] = [];
  for (const item of items) {
    if (stretch[0] !== undefined && keyOf(stretch[0]) !== keyOf(item)) {
      yield stretch;
      stretch = [];
    }
    stretch.push(item);
  }
  if (stretch.length > 0) yield stretch;
}

/** Adds what a file holds, session by session; nothing of it stays in memory. */
export function* scanFile(
  file: string,
  { sessions, unread }: Scan,
  onSession?: (session: Session, hash: string) => void,
): Generator<void, void, void> {
  let index = 0;
  for (const loaded of loadSessions([file], { pipes: 'refuse' })) {
    if (loaded.state === 'unread') unread.push({ file, reason: loaded.reason });
    else {
      const found = toFound(loaded, { file, index: index++ });
      sessions.push(found);
      onSession?.(loaded.session, found.hash);
    }
    yield;
  }
}

/** Hash of everything but the name and the folder, which are paths. */
export function hashSession({ messages, recordedCosts, ...rest }: Session) {
  const head = {
    ...rest,
    name: undefined,
    folder: undefined,
    recordedCosts: [...(recordedCosts ?? [])],
  };
  const hash = createHash('sha256').update(JSON.stringify(head));
  for (const message of messages) hash.update(JSON.stringify(message));
  return hash.digest('hex').slice(0, HASH_LENGTH);
}

function toFound({ session, range }: PlacedSession, place: SessionPlace) {
  return {
    place: { ...place, ...known({ range }) },
    hash: hashSession(session),
    candidate: toCopyCandidate(session),
    ...known({ recordedModel: structuredClone(session.model) }),
    // As of ids, a name that was cut out of a text keeps the whole text in memory.
    evidence: structuredClone(evidenceOf(session)),
    story: identifiedStoryOf(session),
    dropped: session.report.dropped,
  };
}
