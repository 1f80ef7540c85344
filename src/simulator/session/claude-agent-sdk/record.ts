import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { blocksOf, type ClaudeRecord, parseRecord } from '../claude-code/record.ts';
import { flag, maybeId, maybeObject, maybeText, maybeTokens, toText } from '../reading/lenient.ts';

/** One record of a stream, as the transcript of the same program would have it. */
export interface StreamRecord {
  readonly record: ClaudeRecord;
  readonly isInit: boolean;
  readonly isResult: boolean;
  readonly isBoundary: boolean;
  /** Whether a compaction is under way. */
  readonly isCompacting: boolean;
  /** Whether a program wrote it in the user's place. */
  readonly isSynthetic: boolean;
  /** The release that writes from here on; absent where the record names none. */
  readonly release: string | undefined;
  /** Whether only the streams of the Agent SDK have such a record. */
  readonly isTelling: boolean;
}

const recordSchema = z.object({
  type: maybeText,
  subtype: maybeText,
  status: maybeText,
  uuid: maybeId,
  timestamp: maybeText,
  session_id: maybeText,
  parent_tool_use_id: maybeId,
  claude_code_version: maybeText,
  isSynthetic: flag,
  message: z.unknown().optional(),
  compact_metadata: maybeObject({
    trigger: maybeText,
    pre_tokens: maybeTokens,
    post_tokens: maybeTokens,
  }),
});

const CONVERSATION = new Set(['user', 'assistant']);
const SUBTYPES = new Set(['init', 'status', 'compact_boundary']);

/** Types of records that hold nothing that a model saw; deltas are told again by the whole message. */
const BOOKKEEPING = new Set([
  'auth_status',
  'control_cancel_request',
  'control_request',
  'control_response',
  'keep_alive',
  'prompt_suggestion',
  'rate_limit_event',
  'result',
  'stream_event',
  'system',
  'tool_progress',
  'tool_use_summary',
]);

/** A line as a record, or `undefined` if it is no object. What a logger wrapped is unwrapped. */
export function parseLine(line: unknown): StreamRecord | undefined {
  const { data } = recordSchema.safeParse(unwrap(line));
  const record = data && toClaudeRecord(data);
  if (data === undefined || record === undefined) return undefined;
  const { type, subtype = '' } = data;
  const isSystem = type === 'system';
  const isBoundary = isSystem && subtype === 'compact_boundary';
  return {
    record,
    isInit: isSystem && subtype === 'init',
    isResult: type === 'result',
    isBoundary,
    isCompacting: isBoundary || (isSystem && data.status === 'compacting'),
    isSynthetic: data.isSynthetic,
    release: data.claude_code_version,
    isTelling: isTelling(record, subtype),
  };
}

/** Whether the record is of a type that streams of this program are not known to have. */
export function isUnknown({ record }: StreamRecord): boolean {
  return !CONVERSATION.has(record.type ?? '') && !BOOKKEEPING.has(record.type ?? '');
}

/** The text of a record of a user. */
export function textOf({ record }: StreamRecord): string {
  return blocksOf(record)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

function isTelling({ type = '', sessionId }: ClaudeRecord, subtype: string): boolean {
  if (sessionId === undefined) return false;
  return (
    CONVERSATION.has(type) || type === 'result' || (type === 'system' && SUBTYPES.has(subtype))
  );
}

function toClaudeRecord(data: z.infer<typeof recordSchema>): ClaudeRecord | undefined {
  const { session_id: sessionId, parent_tool_use_id: agentId, compact_metadata: metadata } = data;
  return parseRecord({
    ...data,
    sessionId,
    isSidechain: agentId !== undefined,
    agentId,
    isMeta: data.isSynthetic,
    compactMetadata: metadata && {
      trigger: metadata.trigger,
      preTokens: metadata.pre_tokens,
      postTokens: metadata.post_tokens,
    },
  });
}

/** What a logger put around records that are no messages stands outside of them. */
function unwrap(line: unknown): unknown {
  if (!isObject(line) || CONVERSATION.has(toText(line['type']) ?? '')) return line;
  const inner = line['message'];
  if (!isObject(inner)) return line;
  return { ...inner, type: line['type'], timestamp: line['timestamp'] };
}
