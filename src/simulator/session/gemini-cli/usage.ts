import type { RecordedUsage } from '../reading/cache-mark.ts';
import { splitCount } from '../reading/inclusive-usage.ts';
import { atLeastZero } from '../reading/lenient.ts';
import type { GeminiTokens } from './record.ts';

/** The count of a step; absent where nothing was sent. Thoughts, and what tools added to the prompt, are told apart. */
export function toUsage(recorded: GeminiTokens): RecordedUsage | undefined {
  const sent = splitCount({ input: recorded?.input, cacheRead: recorded?.cached });
  if (sent === undefined) return undefined;
  return {
    ...sent,
    input: sent.input + atLeastZero(recorded?.tool),
    output: atLeastZero(recorded?.output),
    reasoning: atLeastZero(recorded?.thoughts),
  };
}
