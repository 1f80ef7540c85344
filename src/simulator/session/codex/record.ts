import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import {
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  toText,
} from '../reading/lenient.ts';
import { toLocalTime } from '../reading/time.ts';

/** One line of a rollout. */
export interface CodexRecord {
  /** Absent where the line does not say. */
  readonly type: string | undefined;
  /** When it was written, in ms; 0 if it does not say. */
  readonly time: number;
  readonly payload: CodexPayload;
}

const usageSchema = maybeObject({
  input_tokens: maybeTokens,
  cached_input_tokens: maybeTokens,
  cache_write_input_tokens: maybeTokens,
  output_tokens: maybeTokens,
  reasoning_output_tokens: maybeTokens,
  total_tokens: maybeTokens,
});

const payloadSchema = z.object({
  type: maybeText,
  role: maybeText,
  id: maybeId,
  call_id: maybeId,
  name: maybeText,
  function: maybeObject({ name: maybeText }),
  content: z.unknown().optional(),
  message: maybeText,
  summary: z.unknown().optional(),
  arguments: z.unknown().optional(),
  input: z.unknown().optional(),
  action: z.unknown().optional(),
  output: z.unknown().optional(),
  tools: z.unknown().optional(),
  result: maybeText,
  model: maybeText,
  model_provider: maybeText,
  parent_thread_id: maybeId,
  source: z.unknown().optional(),
  new_thread_id: maybeId,
  num_turns: maybeNumber,
  instructions: maybeText,
  base_instructions: z.unknown().optional(),
  replacement_history: z.unknown().optional(),
  info: maybeObject({ total_token_usage: usageSchema, last_token_usage: usageSchema }),
});

const pieceSchema = z.object({ type: maybeText, text: maybeText, image_url: maybeText });

/** What a line holds: an item that the model saw, an event, or the settings of a session or a turn. */
export type CodexPayload = z.infer<typeof payloadSchema>;

/** The provider's counts, of one request or of all so far. */
export type CodexUsage = z.infer<typeof usageSchema>;

/** One piece of a message's content, of a thought or of an output. */
export type CodexPiece = z.infer<typeof pieceSchema>;

/** Types of lines that hold their content in `payload`. */
const ENVELOPES = new Set<unknown>([
  'compacted',
  'event_msg',
  'inter_agent_communication_metadata',
  'response_item',
  'session_meta',
  'turn_context',
  'world_state',
]);

/** A line as a record, or `undefined` if it is no object. Before there were envelopes, lines were items. */
export function parseRecord(line: unknown): CodexRecord | undefined {
  if (!isObject(line)) return undefined;
  const time = toLocalTime(toText(line['timestamp'] ?? line['created_at']));
  const { type, payload } = line;
  if (isObject(payload)) {
    return { type: toText(type), time, payload: payloadSchema.parse(payload) };
  }
  const item = payloadSchema.parse(line);
  return { type: bareType(line, item), time, payload: item };
}

/** Whether the line is one that no other recorder writes. */
export function isRolloutLine(line: unknown): boolean {
  if (!isObject(line)) return false;
  if (isObject(line['payload'])) return ENVELOPES.has(line['type']);
  return line['type'] === 'message' && piecesOf(line['content']).some(isPieceOfMessage);
}

/** Whether the record is an item that somebody said. */
export function isConversation({ type, payload }: CodexRecord): boolean {
  if (type !== 'response_item') return false;
  const { role } = payload;
  return role === 'user' || role === 'assistant' || payload.type?.endsWith('_call') === true;
}

/** The file's own settings; those that follow are of a thread that it was forked from, or of a resumption. */
export function metaOf(records: readonly CodexRecord[]): CodexPayload | undefined {
  return records.find(({ type }) => type === 'session_meta')?.payload;
}

/** Whether the type of the line itself is known, whatever it holds. */
export function isKnownLine({ type }: CodexRecord): boolean {
  return ENVELOPES.has(type) || type === 'state';
}

/** The pieces of a content; a text is a single one. */
export function piecesOf(content: unknown): readonly CodexPiece[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, image_url: undefined }];
  const values = Array.isArray(content) ? content : [content];
  return values.flatMap((value) => pieceSchema.safeParse(value).data ?? []);
}

/** The texts of a content, one below the other. */
export function textOf(content: unknown): string {
  return piecesOf(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

function bareType(line: Readonly<Record<string, unknown>>, item: CodexPayload): string {
  if (typeof line['record_type'] === 'string') return line['record_type'];
  const isHeader = item.type === undefined && item.role === undefined && item.id !== undefined;
  return isHeader ? 'session_meta' : 'response_item';
}

function isPieceOfMessage({ type }: CodexPiece): boolean {
  return type === 'input_text' || type === 'output_text';
}
