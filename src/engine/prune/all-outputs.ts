import type { EstimatorOptions } from '../estimate.ts';
import { estimateTokens } from '../estimate.ts';
import type { Message } from '../message.ts';
import type { PrunePlan } from './plan.ts';

/** Chooses every tool output that is still sent, newest first. Source: design document 004, selective pruning. */
export function planAllOutputs(
  messages: readonly Message[],
  estimator: EstimatorOptions,
): PrunePlan {
  const outputs = messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) =>
      part.type === 'tool' &&
      part.state.status === 'completed' &&
      part.state.compactedAt === undefined
        ? [{ id: part.id, length: part.state.output.length }]
        : [],
    )
    .toReversed();
  const estimatedTokens = outputs.reduce(
    (total, { length }) => total + estimateTokens(length, estimator),
    0,
  );
  const partIds = outputs.map(({ id }) => id);
  return { state: partIds.length === 0 ? 'nothing' : 'fire', partIds, estimatedTokens };
}
