/** Usage whose input includes what was read from a cache. */

import { z } from 'zod';
import type { RecordedUsage } from './cache-mark.ts';
import { countKinds, type RecordedCount } from './count-kinds.ts';
import { maybeObject, maybeTokens } from './lenient.ts';

const chatUsageSchema = z.object({
  prompt_tokens: maybeTokens,
  completion_tokens: maybeTokens,
  prompt_tokens_details: maybeObject({ cached_tokens: maybeTokens }),
  completion_tokens_details: maybeObject({ reasoning_tokens: maybeTokens }),
  cache_read_input_tokens: maybeTokens,
  cache_creation_input_tokens: maybeTokens,
});

/**
 * The count by kinds, of one whose input holds what was cached and whose output holds the reasoning; unknown as
 * `countKinds` has it. More cached tokens than input mean that the input leaves them out; so does more reasoning
 * than output.
 */
export function splitCount(count: RecordedCount): RecordedUsage | undefined {
  const usage = countKinds(count);
  if (usage === undefined) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite } = usage;
  const fresh = input - cacheRead - cacheWrite;
  return {
    ...usage,
    input: fresh < 0 ? input : fresh,
    output: output < reasoning ? output : output - reasoning,
  };
}

/** The count of a chat completion by kinds; absent where it tells none. */
export function toChatUsage(recorded: unknown): RecordedUsage | undefined {
  const usage = chatUsageSchema.safeParse(recorded).data;
  return splitCount({
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
    cacheRead: usage?.prompt_tokens_details?.cached_tokens ?? usage?.cache_read_input_tokens,
    cacheWrite: usage?.cache_creation_input_tokens,
  });
}
