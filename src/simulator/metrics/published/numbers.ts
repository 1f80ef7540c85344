import { sum } from '../../lib/collections.ts';
import type { PublishedNumber } from '../../scenario/workload/workload.ts';
import { countFullCompactions } from '../../session/statistics/pool.ts';
import type { SessionSample, StepSample } from '../../session/statistics/sample.ts';
import { triggeredSteps } from './steps-by-trigger.ts';

/** The numbers that a published figure is a statistic of, as one session has them. */
export const numbersOf: Readonly<
  Record<PublishedNumber, (sample: SessionSample) => readonly number[]>
> = {
  requestsPerSession: ({ turns }) => [turns.length],
  toolStepsPerSession: (sample) => [
    triggeredSteps(sample).filter(({ trigger }) => trigger === 'tools').length,
  ],
  callsPerSession: ({ calls }) => [calls.length],
  toolStepsPerRequest: ({ turns }) => turns.map(({ steps }) => Math.max(0, steps - 1)),
  callsPerRequest: ({ turns }) => turns.map(({ toolCalls }) => toolCalls),
  callsPerStep: ({ steps }) => steps.map(({ toolCalls }) => toolCalls),
  prefixTokens: ({ steps }) => steps.flatMap(({ cacheReadTokens }) => cacheReadTokens ?? []),
  appendedTokens: ({ steps }) => steps.flatMap((step) => appendedTokensOf(step) ?? []),
  outputTokens: ({ steps }) => steps.flatMap(({ outputTokens }) => outputTokens ?? []),
  growthTokens: ({ steps }) =>
    steps.flatMap(({ growthTokens = 0 }) => (growthTokens > 0 ? growthTokens : [])),
  secondsBeforeUser: ({ gaps }) => gaps.beforeUser,
  compactionsWhereAny: (sample) => [countFullCompactions(sample)].filter((count) => count > 0),
};

/** What of the context was not read from the cache; absent where nothing tells. */
export function appendedTokensOf({
  contextTokens,
  cacheReadTokens,
}: StepSample): number | undefined {
  if (contextTokens === undefined || cacheReadTokens === undefined) return undefined;
  return contextTokens - cacheReadTokens;
}

/** Context and what of it was read from the cache, over steps that tell both. */
export function cachedOf(steps: readonly StepSample[]): {
  readonly read: number;
  readonly context: number;
} {
  const told = steps.filter((step) => appendedTokensOf(step) !== undefined);
  return {
    read: sum(told.map(({ cacheReadTokens = 0 }) => cacheReadTokens)),
    context: sum(told.map(({ contextTokens = 0 }) => contextTokens)),
  };
}
