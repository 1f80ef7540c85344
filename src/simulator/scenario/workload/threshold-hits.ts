import { contextsOf } from '../../session/statistics/pool-sessions.ts';
import type { SessionSample } from '../../session/statistics/sample.ts';

/** Contexts at which sessions are said to be full, in tokens: what is usable of windows from 80k to 200k. */
export const HIT_THRESHOLDS = [60_000, 80_000, 120_000, 160_000] as const;
/** What a summary leaves besides the first request. */
const SUMMARY_TOKENS = 4_000;

/**
 * How often a session would hit each threshold if every hit left its first request and a summary, its recorded steps
 * growing as they did; absent where no usage was recorded.
 */
export function countThresholdHits(sample: SessionSample): readonly number[] | undefined {
  const [first] = contextsOf(sample);
  if (first === undefined) return undefined;
  const growth = sample.steps.map(({ growthTokens }) => withoutShrinking(growthTokens ?? 0));
  return HIT_THRESHOLDS.map((threshold) => countHits(growth, { first, threshold }));
}

/** What a step adds. What an agent took away of its context it would not have to take away under another policy. */
export function withoutShrinking(growthTokens: number): number {
  return Math.max(0, growthTokens);
}

function countHits(
  growth: readonly number[],
  { first, threshold }: { readonly first: number; readonly threshold: number },
): number {
  let [context, hits] = [first, 0];
  for (const tokens of growth) {
    context += tokens;
    if (context < threshold) continue;
    hits += 1;
    context = Math.min(context, first + SUMMARY_TOKENS);
  }
  return hits;
}
