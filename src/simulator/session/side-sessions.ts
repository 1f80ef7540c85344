import type { Message } from '../../engine/index.ts';
import type { Session } from './session.ts';
import type { DraftMessage, DraftPart } from './reading/transcript.ts';

/** The recorder's ids of the sessions that a call was answered by; `undefined` where nothing tells. */
export type FindSideIds = (part: DraftPart) => readonly string[] | undefined;

/** A conversation before and after its parts got their ids. */
export interface FinishedConversation {
  readonly drafts: readonly DraftMessage[];
  /** What `finishMessages` made of the drafts. */
  readonly messages: readonly Message[];
  /** The recorder's own id of it; no session is a sub-agent of itself. */
  readonly sessionId?: string | undefined;
}

/** The links of a session to those of its sub-agents, in the order of its calls; nothing where none is told. */
export function toSideSessions(
  { drafts, messages, sessionId: ownId }: FinishedConversation,
  findSideIds: FindSideIds,
): Pick<Session, 'sideSessions'> {
  const idsAt = (index: number, partIndex: number) => {
    const draft = drafts[index]?.parts[partIndex];
    const ids = draft && findSideIds(draft);
    return [...new Set(ids)].filter((id) => id !== '' && id !== ownId);
  };
  const sideSessions = messages.flatMap(({ parts }, index) =>
    parts.flatMap((part, partIndex) => {
      if (part.type !== 'tool') return [];
      const { callId } = part;
      return idsAt(index, partIndex).map((sessionId) => ({ callId, sessionId }));
    }),
  );
  return sideSessions.length > 0 ? { sideSessions } : {};
}

/** Finds the ids by the recorded id of the call, where no two calls share one. */
export function findByCallId(sideIds: ReadonlyMap<string, readonly string[]>): FindSideIds {
  return (part) => (part.type === 'tool' ? sideIds.get(part.callId ?? '') : undefined);
}
