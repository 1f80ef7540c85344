import { finishSession } from '../reading/finish-session.ts';
import type { Session } from '../session.ts';
import { toSideSessions } from '../side-sessions.ts';
import type { Tally } from '../reading/tally.ts';
import { readHistory } from './history.ts';
import { parseInfo, parseMessage } from './record.ts';
import { countRedacted } from './redacted.ts';
import { withoutUndone } from './undone.ts';

/** A session of OpenCode as values of JSON, however it was stored. */
export interface StoredSession {
  readonly info: unknown;
  /** Messages with their parts, oldest first. */
  readonly messages: readonly unknown[];
}

/** The session without its name and format, or `undefined` if it holds no messages. */
export function toSession(
  { info, messages: values }: StoredSession,
  tally: Tally,
): Omit<Session, 'name' | 'format'> | undefined {
  const recorded = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - recorded.length);
  const { id: sessionId, parentID: parentSessionId, revert } = parseInfo(info);
  const { drafts, compactions, tasks, isPartial } = readHistory(
    withoutUndone(recorded, revert, tally),
    tally,
  );
  if (drafts.length === 0) return undefined;
  countRedacted(drafts, tally);
  const finished = finishSession(drafts, tally);
  return {
    ...(sessionId !== undefined && { sessionId }),
    isSide: parentSessionId !== undefined,
    ...(parentSessionId !== undefined && { parentSessionId }),
    ...toSideSessions({ drafts, messages: finished.messages, sessionId }, (part) =>
      tasks.get(part),
    ),
    isPartial,
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finished,
  };
}
