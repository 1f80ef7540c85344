/** Usage whose input includes what was read from a cache. */

import { z } from 'zod';
import { atLeastZero, maybeObject, maybeTokens } from './lenient.ts';
import { markCache, type RecordedUsage } from './transcript.ts';

/** Recorded tokens by kinds; a kind is absent where nothing tells it. */
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

/** The count of a step; unknown where its input is not told, or where all kinds are zero, which no real request has. */
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
