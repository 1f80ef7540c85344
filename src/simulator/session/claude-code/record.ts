import { z } from 'zod';
import { flag, list, maybeNumber, maybeTokens, maybeObject, maybeText } from '../lenient.ts';

const usageSchema = maybeObject({
  input_tokens: maybeTokens,
  output_tokens: maybeTokens,
  cache_read_input_tokens: maybeTokens,
  cache_creation_input_tokens: maybeTokens,
});

const messageSchema = maybeObject({
  id: maybeText,
  model: maybeText,
  content: z
    .union([z.string(), z.array(z.unknown())])
    .optional()
    .catch(undefined),
  usage: usageSchema,
});

const recordSchema = z.object({
  type: maybeText,
  subtype: maybeText,
  uuid: maybeText,
  parentUuid: maybeText,
  sessionId: maybeText,
  agentId: maybeText,
  timestamp: maybeText,
  version: maybeText,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  message: messageSchema,
  attachment: z.unknown().optional(),
  compactMetadata: maybeObject({
    trigger: maybeText,
    preTokens: maybeTokens,
    postTokens: maybeTokens,
  }),
  microcompactMetadata: maybeObject({
    trigger: maybeText,
    preTokens: maybeTokens,
    tokensSaved: maybeNumber,
    compactedToolIds: list,
  }),
});

const blockSchema = z.object({
  type: maybeText,
  id: maybeText,
  name: maybeText,
  text: maybeText,
  thinking: maybeText,
  input: z.unknown().optional(),
  tool_use_id: maybeText,
  content: z.unknown().optional(),
  is_error: flag,
  source: maybeObject({ type: maybeText, media_type: maybeText, data: maybeText, url: maybeText }),
});

/** One line of a transcript. `toolUseResult`, a second copy of tool outputs, is not read. */
export type ClaudeRecord = z.infer<typeof recordSchema>;

/** The provider's count for a step. */
export type ClaudeUsage = z.infer<typeof usageSchema>;

/** One piece of a message's content. */
export type ClaudeBlock = z.infer<typeof blockSchema>;

const CONVERSATION = new Set(['user', 'assistant']);

/** Types that tell nothing that a model saw, besides the boundaries among `system` and the texts in `attachment`. */
const BOOKKEEPING = new Set([
  'agent-name',
  'ai-title',
  'atis-latch',
  'attachment',
  'bridge-session',
  'custom-title',
  'file-history-snapshot',
  'frame-link',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'relocated',
  'result',
  'started',
  'summary',
  'system',
  'worktree-state',
]);

/** A line as a record, or `undefined` if it is no object. */
export function parseRecord(line: unknown): ClaudeRecord | undefined {
  return recordSchema.safeParse(line).data;
}

/** The content of a record's message; a text is a single block. */
export function blocksOf({ message }: ClaudeRecord): readonly ClaudeBlock[] {
  const content = message?.content ?? [];
  return parseBlocks(typeof content === 'string' ? [{ type: 'text', text: content }] : content);
}

/** The blocks among some values; what is no object is left out. */
export function parseBlocks(values: readonly unknown[]): readonly ClaudeBlock[] {
  return values.flatMap((value) => blockSchema.safeParse(value).data ?? []);
}

/** Whether the record is one of a user or a model, whatever it holds. */
export function isConversation({ type, message }: ClaudeRecord): boolean {
  return CONVERSATION.has(type ?? '') && message?.content !== undefined;
}

/** Whether the record says that history before it was replaced by a summary. */
export function isBoundary({ type, subtype }: ClaudeRecord): boolean {
  return type === 'system' && subtype === 'compact_boundary';
}

/** Whether the record is of a type that is neither conversation nor known bookkeeping. */
export function isUnknown(record: ClaudeRecord): boolean {
  return !isConversation(record) && !BOOKKEEPING.has(record.type ?? '');
}

/** When the record was written, in ms; 0 if it does not say. */
export function timeOf({ timestamp }: ClaudeRecord): number {
  const time = Date.parse(timestamp ?? '');
  return Number.isNaN(time) ? 0 : time;
}
