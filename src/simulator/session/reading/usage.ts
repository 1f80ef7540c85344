/** Recorded token counts. */

import { z } from 'zod';
import { atLeastZero, maybeObject, maybeTokens } from './lenient.ts';
import { markCache, type RecordedUsage } from './transcript.ts';

/** Recorded tokens by kind; unknown kinds are absent. */
interface RecordedCount {
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
 * Splits a count whose input includes cached tokens and whose output includes reasoning; unknown as in `countKinds`. Larger parts
 * mean that the whole excludes them.
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

/** The usage of a chat completion; absent if it has none. */
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

/** The usage of a step; unknown without an input, or if all kinds are zero, which no real request has. */
export function countKinds(recorded: RecordedCount): RecordedUsage | undefined {
  if (recorded.input === undefined) return undefined;
  const usage = {
    input: atLeastZero(recorded.input),
    output: atLeastZero(recorded.output),
    reasoning: atLeastZero(recorded.reasoning),
    cacheRead: atLeastZero(recorded.cacheRead),
    cacheWrite: atLeastZero(recorded.cacheWrite),
  };
  const isEmpty = Object.values(usage).every((tokens) => tokens === 0);
  return isEmpty ? undefined : markCache(usage, recorded.cacheRead);
}
