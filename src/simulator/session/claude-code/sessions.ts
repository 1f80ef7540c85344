import { finishSession } from '../reading/finish-session.ts';
import { withMessages } from '../reading/no-conversation.ts';
import { sessionName } from '../session-name.ts';
import type { Session } from '../session.ts';
import { findByCallId, type FindSideIds, toSideSessions } from '../side-sessions.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { readConversation } from './conversation.ts';
import { indexByUuid, type RecordIndex } from './parents.ts';
import type { ClaudeRecord } from './record.ts';
import { withoutRewound } from './rewinds.ts';
import { findSideSessions } from './side-sessions.ts';
import { type Chain, splitSidechains } from './sidechains.ts';
import { cacheTtlOf, isOutputFinal } from './usage.ts';

/** The recording that records come from. */
export interface ClaudeRecording {
  readonly name: string;
  readonly format: string;
  /** Whether a conversation goes on from something that the recording does not hold. */
  isPartial(records: readonly ClaudeRecord[], index: RecordIndex): boolean;
  readonly tally: Tally;
}

/** The conversations of a recording, the main one first. Throws `HarnessError` when there is none. */
export function toSessions(
  records: readonly ClaudeRecord[],
  recording: ClaudeRecording,
): readonly Session[] {
  const { name, tally } = recording;
  const index = indexByUuid(records);
  const chains = splitSidechains(records, index).map((chain) =>
    chain.isSide ? chain : { ...chain, records: withoutRewound(chain.records, index, tally) },
  );
  const findSideIds = findByCallId(findSideSessions(chains));
  const sessions = chains.map((chain, position) => ({
    name: sessionName(name, { index: position, count: chains.length }),
    format: recording.format,
    isPartial: recording.isPartial(chain.records, index),
    ...toConversation(chain, position === 0 ? tally : createTally(), findSideIds),
  }));
  return withMessages(sessions, name, 'a transcript without messages');
}

function toConversation(
  { records, isSide, agentId }: Chain,
  tally: Tally,
  findSideIds: FindSideIds,
): Omit<Session, 'name' | 'format' | 'isPartial'> {
  const { drafts, compactions } = readConversation(records, tally);
  const finished = finishSession(drafts, tally);
  const recordedId = records.find((record) => record.sessionId !== undefined)?.sessionId;
  const sessionId = agentId ?? recordedId;
  const cacheTtlMs = cacheTtlOf(records);
  return {
    ...(sessionId !== undefined && { sessionId }),
    isSide,
    ...(agentId !== undefined && recordedId !== undefined && { parentSessionId: recordedId }),
    ...toSideSessions({ drafts, messages: finished.messages, sessionId }, findSideIds),
    recordedCompactions: compactions,
    isOutputFinal: isOutputFinal(records),
    ...(cacheTtlMs !== undefined && { cacheTtlMs }),
    ...finished,
  };
}
