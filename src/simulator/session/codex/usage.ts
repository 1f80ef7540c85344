import type { RecordedUsage } from '../reading/cache-mark.ts';
import { splitCount } from '../reading/inclusive-usage.ts';
import type { CodexUsage } from './record.ts';

/** The count of a request; absent where nothing was sent, as in the counts that follow a compaction. */
export function toUsage(recorded: CodexUsage): RecordedUsage | undefined {
  if (recorded?.input_tokens === undefined || recorded.input_tokens <= 0) return undefined;
  return splitCount({
    input: recorded.input_tokens,
    output: recorded.output_tokens,
    reasoning: recorded.reasoning_output_tokens,
    cacheRead: recorded.cached_input_tokens,
    cacheWrite: recorded.cache_write_input_tokens,
  });
}
