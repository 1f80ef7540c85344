import { markCache, type RecordedUsage } from './cache-mark.ts';
import { atLeastZero } from './lenient.ts';

/** A count whose input leaves out what was cached, as recorded; a kind that is not told is absent. */
export interface ExclusiveCount {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** The count of a step by kinds; absent where its input is not told, or where all kinds are zero, which no real request has. */
export function clampCount(count: ExclusiveCount): RecordedUsage | undefined {
  if (count.input === undefined) return undefined;
  const usage = {
    input: atLeastZero(count.input),
    output: atLeastZero(count.output),
    reasoning: 0,
    cacheRead: atLeastZero(count.cacheRead),
    cacheWrite: atLeastZero(count.cacheWrite),
  };
  const isEmpty = Object.values(usage).every((tokens) => tokens === 0);
  return isEmpty ? undefined : markCache(usage, count.cacheRead);
}
