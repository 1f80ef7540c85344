import { type LoadedSession, loadSessions } from './load.ts';

/** Where a session stands; plain data. */
export interface SessionPlace {
  readonly file: string;
  /** Of several sessions in one file, from 0. */
  readonly index: number;
}

/** Opens sessions by their places. */
export interface SessionOpener {
  open(place: SessionPlace): LoadedSession;
  /** Has the next session read again, whatever was read before. */
  forget(): void;
}

/** An opener with which the file that was read last stays, for its next session. */
export function createOpener(): SessionOpener {
  let last: { readonly file: string; readonly sessions: readonly LoadedSession[] } | undefined;
  const forget = () => {
    last = undefined;
  };
  return {
    forget,
    open: ({ file, index }) => {
      if (last?.file !== file) last = { file, sessions: [...loadSessions([file])] };
      const opened = last.sessions[index] ?? last.sessions.find(({ state }) => state === 'unread');
      if (opened?.state === 'read') return opened;
      forget();
      return (
        opened ?? { state: 'unread', file, reason: `the file no longer has its session ${index}` }
      );
    },
  };
}
