import type { ByteRange } from '../format.ts';
import { type LoadedSession, type LoadOptions, loadSessions } from '../load.ts';

/** Where a session stands; plain data. */
export interface SessionPlace {
  readonly file: string;
  /** Of several sessions in one file, from 0. */
  readonly index: number;
  /** The part of the file that gives it by itself; absent where only the whole file does. */
  readonly range?: ByteRange;
}

/** Opens sessions by their places. */
export interface SessionOpener {
  open(place: SessionPlace): LoadedSession;
  /** Has the next session read again, whatever was read before. */
  forget(): void;
}

/** Whoever knows where a session stands has read its file before. */
const AGAIN: LoadOptions = { pipes: 'leave' };

/** An opener with which a file that had to be read as a whole stays, for its next session. */
export function createOpener(): SessionOpener {
  let last: { readonly file: string; readonly sessions: readonly LoadedSession[] } | undefined;
  const forget = () => {
    last = undefined;
  };
  const openInWhole = ({ file, index }: SessionPlace): LoadedSession => {
    if (last?.file !== file) last = { file, sessions: [...loadSessions([file], AGAIN)] };
    const opened = last.sessions[index] ?? last.sessions.find(({ state }) => state === 'unread');
    if (opened?.state === 'read') return opened;
    forget();
    return opened ?? nothingAt(file, index);
  };
  return {
    forget,
    open: (place) => {
      const { file, index, range } = place;
      if (range === undefined) return openInWhole(place);
      const [opened = nothingAt(file, index)] = loadSessions([file], { ...AGAIN, range });
      return opened;
    },
  };
}

function nothingAt(file: string, index: number): LoadedSession {
  return { state: 'unread', file, reason: `the file no longer has its session ${index}` };
}
