import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SourceFile } from '../format.ts';
import { flag, list, maybeId, maybeObject, maybeText, maybeTokens } from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart, RecordedUsage } from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';

/** A message with its recorder's own fields. */
export type ClineMessage = z.infer<typeof messageSchema>;

/** A content block of a message. */
export type ClineBlock = z.infer<typeof blockSchema>;

/** The newest compaction of a session, as the file beside its messages tells it. */
export interface KeptCompaction {
  /** Messages of the session when it was made. */
  readonly historyCount: number;
  readonly summary: ClineMessage;
  /** Id of the first message that stayed; absent where none did. */
  readonly firstKeptId?: string | undefined;
}

const metricsSchema = maybeObject({
  inputTokens: maybeTokens,
  outputTokens: maybeTokens,
  cacheReadTokens: maybeTokens,
  cacheWriteTokens: maybeTokens,
  tokens: maybeObject({ prompt: maybeTokens, completion: maybeTokens, cached: maybeTokens }),
});

const messageSchema = z.object({
  id: maybeId,
  role: z.enum(['user', 'assistant']),
  content: z.unknown().optional(),
  ts: z.unknown().optional(),
  modelInfo: maybeObject({
    id: maybeId,
    provider: maybeText,
    modelId: maybeText,
    providerId: maybeText,
  }),
  metrics: metricsSchema,
  metadata: maybeObject({
    kind: maybeText,
    compaction: maybeText,
    reason: maybeText,
    summary: maybeText,
    tokensBefore: maybeTokens,
  }),
  isSummary: flag,
  condenseId: maybeId,
  condenseParent: maybeId,
  isTruncationMarker: flag,
  truncationId: maybeId,
  truncationParent: maybeId,
});

const blockSchema = z.object({
  type: maybeText,
  text: maybeText,
  thinking: maybeText,
  id: maybeId,
  name: maybeText,
  input: z.unknown().optional(),
  tool_use_id: maybeId,
  is_error: z.unknown().optional(),
  content: z.unknown().optional(),
  path: maybeText,
  data: maybeText,
  mediaType: maybeText,
  source: maybeObject({ media_type: maybeText, data: maybeText, url: maybeText }),
});

const stateSchema = z.object({ source_message_count: maybeTokens, messages: list });

const MESSAGES = /([^/\\]+)\.messages\.json$/;

/** The start of a notice in a prompt about the compaction behind it. */
const NOTICE_START = '<SYSTEM_NOTICE>';

/** The start of what the program tells about the editor with each message. */
const ENVIRONMENT_START = '<environment_details>';

const TASK_START = '<task>';

/** A message, or `undefined` if it is none. */
export function parseMessage(value: unknown): ClineMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The usage of a step; absent if it has none. */
export function usageOf({ metrics }: ClineMessage): RecordedUsage | undefined {
  const tokens = metrics?.tokens;
  return splitCount({
    input: metrics?.inputTokens ?? tokens?.prompt,
    output: metrics?.outputTokens ?? tokens?.completion,
    cacheRead: metrics?.cacheReadTokens ?? tokens?.cached,
    cacheWrite: metrics?.cacheWriteTokens,
  });
}

/** `provider/model` of a step; absent if it names no model. */
export function modelNameOf({ modelInfo: info }: ClineMessage): string | undefined {
  const model = info?.id ?? info?.modelId;
  return model === undefined
    ? undefined
    : `${info?.provider ?? info?.providerId ?? 'unknown'}/${model}`;
}

/** Content blocks; a string is one block. */
export function blocksOf(content: unknown): readonly ClineBlock[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return list.parse(values).flatMap((value) => blockSchema.safeParse(value).data ?? []);
}

/** A result as text: a string, its texts line by line, or JSON. */
export function toOutput(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const isBlocks =
    Array.isArray(content) && content.every((each) => isObject(each) && each['type']);
  if (!isBlocks) return toJsonText(content);
  return blocksOf(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

/** Parts that a user or a model wrote or attached, without calls and results. */
export function toContentParts(blocks: readonly ClineBlock[], tally: Tally): DraftPart[] {
  return blocks.flatMap((block) => toPart(block, tally));
}

/** Images in a result. */
export function filesIn(blocks: readonly ClineBlock[]): readonly FilePart[] {
  return blocks.flatMap((block) => (block.type === 'image' ? [toImage(block)] : []));
}

/** Recognizes blocks that are neither calls nor results. */
export function isContent({ type }: ClineBlock): boolean {
  return type !== 'tool_use' && type !== 'tool_result';
}

/** Recognizes the prompt that begins a task. */
export function isTask({ role, content }: ClineMessage): boolean {
  return role === 'user' && blocksOf(content).some(({ text = '' }) => text.startsWith(TASK_START));
}

/** Recognizes texts that the program wrote beside a prompt or a result. */
export function isOfProgram(text: string): boolean {
  return text.startsWith(NOTICE_START) || text.startsWith(ENVIRONMENT_START);
}

/** The newest compaction of a session by Cline, whose messages stay whole; `undefined` where there was none. */
export function readKeptCompaction({ name, surroundings }: SourceFile): KeptCompaction | undefined {
  const [, stem] = MESSAGES.exec(name) ?? [];
  if (stem === undefined) return undefined;
  const beside = surroundings
    .filesIn({ up: 0, names: [] })
    .find((file) => file.name === `${stem}.compaction.json`);
  const state = stateSchema.safeParse(parseJson(beside?.readText() ?? '')).data;
  const messages = state?.messages.flatMap((value) => parseMessage(value) ?? []) ?? [];
  const summary = messages.find(({ metadata }) => metadata?.kind === 'compaction_summary');
  const historyCount = state?.source_message_count;
  if (summary === undefined || historyCount === undefined) return undefined;
  const firstKeptId = messages.find(({ id }) => id !== undefined)?.id;
  return { historyCount, summary, firstKeptId };
}

function toPart(block: ClineBlock, tally: Tally): readonly DraftPart[] {
  const { type, text = '', thinking = text, path = '', content } = block;
  if (type === 'text') return text === '' ? [] : [toText(text)];
  if (type === 'thinking' || type === 'reasoning') {
    return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  }
  if (type === 'image') return [toImage(block)];
  if (type === 'file' && typeof content === 'string') {
    return [{ type: 'text', text: `${path}\n${content}`, synthetic: true }];
  }
  if (type !== 'redacted_thinking') tally.drop('unknown content block');
  return [];
}

function toText(text: string): DraftPart {
  return { type: 'text', text, ...(isOfProgram(text) && { synthetic: true }) };
}

function toImage({ source, data = source?.data ?? '', mediaType }: ClineBlock): FilePart {
  const mime = mediaType ?? source?.media_type ?? 'image/png';
  return { type: 'file', id: '', mime, url: source?.url ?? `data:${mime};base64,${data}` };
}
