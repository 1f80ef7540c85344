import { cacheMarkOf } from '../reading/cache-mark.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { readRecordLines } from '../reading/record-lines.ts';
import { isObject } from '../../is-object.ts';
import type { Session } from '../session.ts';
import { findByCallId, toSideSessions } from '../side-sessions.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { finishMessages } from '../reading/transcript.ts';
import { readConversation } from './conversation.ts';
import {
  type CodexPayload,
  type CodexRecord,
  isConversation,
  isRolloutLine,
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
  const { drafts, compactions, isPartial } = readConversation(records, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a rollout without messages');
  const messages = finishMessages(drafts, tally);
  const thread = describeThread(records, tally);
  const conversation = { drafts, messages, sessionId: thread.sessionId };
  return {
    name: file.name,
    format: 'codex',
    ...thread,
    ...toSideSessions(conversation, findByCallId(findSpawned(records))),
    isPartial,
    messages,
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...cacheMarkOf(drafts),
    report: tally.toReport(),
  };
}

/** The file's own settings come first; those that follow are of a thread that it was forked from, or of a resumption. */
function describeThread(
  records: readonly CodexRecord[],
  tally: Tally,
): Pick<Session, 'sessionId' | 'isSide' | 'parentSessionId' | 'model' | 'system'> {
  const meta = records.find(({ type }) => type === 'session_meta')?.payload;
  const { id: sessionId, parent_thread_id: parentSessionId } = meta ?? {};
  const model = modelOf(records);
  const system = createExpander(tally).toText(meta === undefined ? '' : systemOf(meta));
  return {
    ...(sessionId !== undefined && { sessionId }),
    isSide: meta !== undefined && isSpawned(meta),
    ...(parentSessionId !== undefined && { parentSessionId }),
    ...(model !== undefined && { model: `${meta?.model_provider ?? 'openai'}/${model}` }),
    ...(system !== '' && { system }),
  };
}

/** A thread that a person forked, as `forked_from_id` tells, is theirs and no sub-agent's. */
function isSpawned({ parent_thread_id: parentId, source }: CodexPayload): boolean {
  return parentId !== undefined || (isObject(source) && source['subagent'] !== undefined);
}

function modelOf(records: readonly CodexRecord[]): string | undefined {
  const told = records.find(({ type, payload }) => {
    const isTurn = type === 'turn_context' || type === 'response_item';
    return isTurn && payload.model !== undefined;
  });
  return told?.payload.model;
}

function systemOf({ base_instructions: base, instructions }: CodexPayload): string {
  return textOf(base) || (instructions ?? '');
}
