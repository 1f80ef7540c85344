/** Usage whose input includes what was read from a cache. */

import { z } from 'zod';
import { markCache, type RecordedUsage } from './cache-mark.ts';
import { maybeObject, maybeTokens } from './lenient.ts';

/** A count whose input holds what was cached, and whose output holds the reasoning. */
export interface InclusiveCount {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

const chatUsageSchema = z.object({
  prompt_tokens: maybeTokens,
  completion_tokens: maybeTokens,
  prompt_tokens_details: maybeObject({ cached_tokens: maybeTokens }),
  completion_tokens_details: maybeObject({ reasoning_tokens: maybeTokens }),
  cache_read_input_tokens: maybeTokens,
  cache_creation_input_tokens: maybeTokens,
});

/**
 * The count by kinds; absent where no input is told, or nothing was counted, as in a step that never began.
 * More cached tokens than input mean that the input leaves them out; so does more reasoning than output.
 */
export function splitCount(count: InclusiveCount): RecordedUsage | undefined {
  if (count.input === undefined) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite } = clampAll(count);
  if (input + output + cacheRead + cacheWrite === 0) return undefined;
  const fresh = input - cacheRead - cacheWrite;
  const usage = {
    input: fresh < 0 ? input : fresh,
    output: output < reasoning ? output : output - reasoning,
    reasoning,
    cacheRead,
    cacheWrite,
  };
  return markCache(usage, count.cacheRead);
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

function clampAll(count: InclusiveCount): Required<Record<keyof InclusiveCount, number>> {
  return {
    input: Math.max(0, count.input ?? 0),
    output: Math.max(0, count.output ?? 0),
    reasoning: Math.max(0, count.reasoning ?? 0),
    cacheRead: Math.max(0, count.cacheRead ?? 0),
    cacheWrite: Math.max(0, count.cacheWrite ?? 0),
  };
}
