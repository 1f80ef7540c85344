import type { RecordedUsage } from '../reading/cache-mark.ts';
import { splitCount } from '../reading/inclusive-usage.ts';
import type { AtifMetrics } from './record.ts';

/** The count of a step by kinds; absent where the step has none. */
export function toUsage(metrics: AtifMetrics): RecordedUsage | undefined {
  return splitCount({
    input: metrics?.prompt_tokens,
    output: metrics?.completion_tokens,
    cacheRead: metrics?.cached_tokens,
    cacheWrite: metrics?.extra?.cache_creation_input_tokens,
    reasoning: metrics?.extra?.reasoning_tokens,
  });
}
