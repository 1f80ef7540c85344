import { z } from 'zod';
import type { RecordedUsage } from '../reading/cache-mark.ts';
import { splitCount } from '../reading/inclusive-usage.ts';
import { maybeObject, maybeTokens } from '../reading/lenient.ts';

const usageSchema = z.object({
  inputTokens: maybeTokens,
  outputTokens: maybeTokens,
  promptTokens: maybeTokens,
  completionTokens: maybeTokens,
  reasoningTokens: maybeTokens,
  cachedInputTokens: maybeTokens,
  inputTokenDetails: maybeObject({ cacheReadTokens: maybeTokens, cacheWriteTokens: maybeTokens }),
  outputTokenDetails: maybeObject({ reasoningTokens: maybeTokens }),
});

/** The count that an application keeps with a message, by kinds; absent where it keeps none. */
export function toUsage(recorded: unknown): RecordedUsage | undefined {
  const usage = usageSchema.safeParse(recorded).data;
  return splitCount({
    input: usage?.inputTokens ?? usage?.promptTokens,
    output: usage?.outputTokens ?? usage?.completionTokens,
    reasoning: usage?.outputTokenDetails?.reasoningTokens ?? usage?.reasoningTokens,
    cacheRead: usage?.inputTokenDetails?.cacheReadTokens ?? usage?.cachedInputTokens,
    cacheWrite: usage?.inputTokenDetails?.cacheWriteTokens,
  });
}
