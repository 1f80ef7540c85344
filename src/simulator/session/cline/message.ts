import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/nesting.ts';
import type { RecordedUsage } from '../reading/cache-mark.ts';
import { splitCount } from '../reading/inclusive-usage.ts';
import { list, maybeId, maybeObject, maybeText, maybeTokens } from '../reading/lenient.ts';

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

/** A message of a session. */
export type ClineMessage = z.infer<typeof messageSchema>;

/** One piece of a message's content. */
export type ClineBlock = z.infer<typeof blockSchema>;

/** A message, or `undefined` if it is none. */
export function parseMessage(value: unknown): ClineMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The pieces of a content; a text is a single one. */
export function blocksOf(content: unknown): readonly ClineBlock[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return list.parse(values).flatMap((value) => blockSchema.safeParse(value).data ?? []);
}

/** A result as text: itself, its texts one below the other, or its JSON where it is neither. */
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

/** `provider/model` of a step; absent where it names no model. */
export function modelNameOf({ modelInfo: info }: ClineMessage): string | undefined {
  const model = info?.id ?? info?.modelId;
  return model === undefined
    ? undefined
    : `${info?.provider ?? info?.providerId ?? 'unknown'}/${model}`;
}

/** The count of a step by kinds; absent where the step has none. */
export function usageOf({ metrics }: ClineMessage): RecordedUsage | undefined {
  const tokens = metrics?.tokens;
  return splitCount({
    input: metrics?.inputTokens ?? tokens?.prompt,
    output: metrics?.outputTokens ?? tokens?.completion,
    cacheRead: metrics?.cacheReadTokens ?? tokens?.cached,
    cacheWrite: metrics?.cacheWriteTokens,
  });
}
