import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { readRecordLines } from '../reading/record-lines.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import type { Session } from '../session.ts';
import { findByCallId, toSideSessions } from '../side-sessions.ts';
import { readConversation } from './conversation.ts';
import {
  type CodexPayload,
  type CodexRecord,
  isConversation,
  isRolloutLine,
  metaOf,
  parseRecord,
  textOf,
} from './record.ts';
import { createExpander } from './redacted.ts';
import { findSpawned } from './side-sessions.ts';

/** Rollouts of Codex: what the model saw, with events and settings between. */
export const codex: SessionFormat = {
  label: 'Codex rollout (JSON lines)',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isRolloutLine) && records.some(isSaid);
  },
  read: (file) => [readRollout(file)],
};

function isSaid(line: unknown): boolean {
  const record = parseRecord(line);
  return record !== undefined && isConversation(record);
}

function readRollout(file: SourceFile): Session {
  const tally = createTally();
  const records = readRecordLines(file.lines(), parseRecord, tally);
  const conversation = readConversation(records, tally);
  const { drafts, compactions, isPartial } = conversation;
  if (drafts.length === 0) throw noConversation(file.name, 'a rollout without messages');
  const thread = describeThread(records, tally);
  const finished = finishSession(drafts, tally, conversation.model);
  return {
    name: file.name,
    format: 'codex',
    ...thread,
    ...toSideSessions(
      { drafts, messages: finished.messages, sessionId: thread.sessionId },
      findByCallId(findSpawned(records)),
    ),
    isPartial,
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finished,
  };
}

function describeThread(
  records: readonly CodexRecord[],
  tally: Tally,
): Pick<Session, 'sessionId' | 'isSide' | 'parentSessionId' | 'system'> {
  const meta = metaOf(records);
  const { id: sessionId, parent_thread_id: parentSessionId } = meta ?? {};
  const system = createExpander(tally).toText(meta === undefined ? '' : systemOf(meta));
  return {
    ...(sessionId !== undefined && { sessionId }),
    isSide: meta !== undefined && isSpawned(meta),
    ...(parentSessionId !== undefined && { parentSessionId }),
    ...(system !== '' && { system }),
  };
}

/** A thread that a person forked, as `forked_from_id` tells, is theirs and no sub-agent's. */
function isSpawned({ parent_thread_id: parentId, source }: CodexPayload): boolean {
  return parentId !== undefined || (isObject(source) && source['subagent'] !== undefined);
}

function systemOf({ base_instructions: base, instructions }: CodexPayload): string {
  return textOf(base) || (instructions ?? '');
}
