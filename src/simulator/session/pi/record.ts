import { z } from 'zod';
import {
  flag,
  list,
  maybeId,
  maybeMoment,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
} from '../reading/lenient.ts';
import { toLocalTime } from '../reading/time.ts';

/** What a user, a model, a tool or a shell said. */
export type PiMessage = NonNullable<PiRecord['message']>;

/** The provider's count for a step, and what it cost in dollars. */
export type PiUsage = PiMessage['usage'];

const usageSchema = maybeObject({
  input: maybeTokens,
  output: maybeTokens,
  cacheRead: maybeTokens,
  cacheWrite: maybeTokens,
  cost: maybeObject({
    input: maybeNumber,
    output: maybeNumber,
    cacheRead: maybeNumber,
    cacheWrite: maybeNumber,
  }),
});

const messageSchema = maybeObject({
  role: maybeText,
  content: z.unknown().optional(),
  timestamp: maybeMoment,
  provider: maybeText,
  model: maybeText,
  usage: usageSchema,
  stopReason: maybeText,
  errorMessage: maybeText,
  toolCallId: maybeId,
  isError: flag,
  command: maybeText,
  output: maybeText,
  excludeFromContext: flag,
});

const recordSchema = z.object({
  type: maybeText,
  id: maybeId,
  /** `null` at a root; absent in the first version, whose entries form a line. */
  parentId: z.string().nullish().catch(undefined),
  timestamp: maybeText,
  cwd: maybeText,
  provider: maybeText,
  modelId: maybeText,
  message: messageSchema,
  content: z.unknown().optional(),
  summary: maybeText,
  tokensBefore: maybeTokens,
  firstKeptEntryIndex: maybeNumber,
  firstKeptEntryId: maybeId,
});

const blockSchema = z.object({
  type: maybeText,
  id: maybeId,
  name: maybeText,
  text: maybeText,
  thinking: maybeText,
  arguments: z.unknown().optional(),
  data: maybeText,
  mimeType: maybeText,
});

/** One line of a session. */
export type PiRecord = z.infer<typeof recordSchema>;

/** One piece of a message's content. */
export type PiBlock = z.infer<typeof blockSchema>;

/** Types that the recorder keeps for itself, or that are read elsewhere. */
const KNOWN_TYPES = new Set<string | undefined>([
  'branch_summary',
  'compaction',
  'custom',
  'custom_message',
  'label',
  'model_change',
  'session',
  'session_info',
  'thinking_level_change',
]);

const ROLES = new Set<string | undefined>(['user', 'assistant', 'toolResult', 'bashExecution']);

/** What stands in the place of a line that is no record. */
export const NO_RECORD: PiRecord = recordSchema.parse({});

/** A line as a record, or `undefined` if it is no object. */
export function parseRecord(line: unknown): PiRecord | undefined {
  return recordSchema.safeParse(line).data;
}

/** The pieces of a content; a text is a single one. */
export function blocksOf(content: unknown): readonly PiBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }].flatMap(parseBlock);
  return list.parse(content).flatMap(parseBlock);
}

/** Whether the record is the one that a session begins with. */
export function isHeader({ type, id, cwd }: PiRecord): boolean {
  return type === 'session' && id !== undefined && cwd !== undefined;
}

/** Whether the record holds a message of a known role. */
export function isMessage({ type, message }: PiRecord): boolean {
  return type === 'message' && ROLES.has(message?.role);
}

/** Whether the record is neither a message nor of a known type. */
export function isUnknown(record: PiRecord): boolean {
  return !isMessage(record) && !KNOWN_TYPES.has(record.type);
}

/** When the message began, in ms; 0 if nothing says. */
export function timeOf({ message, timestamp }: PiRecord): number {
  return message?.timestamp ?? toLocalTime(timestamp);
}

function parseBlock(value: unknown): readonly PiBlock[] {
  const block = blockSchema.safeParse(value).data;
  return block === undefined ? [] : [block];
}
