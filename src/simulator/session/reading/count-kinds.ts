import { markCache, type RecordedUsage } from './cache-mark.ts';
import { atLeastZero } from './lenient.ts';

/** Recorded tokens by kinds; a kind is absent where nothing tells it. */
export interface RecordedCount {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
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
