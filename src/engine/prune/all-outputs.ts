import { type EstimatorOptions } from '../policy.ts';
import { estimateTokens } from '../estimate.ts';
import type { Message, ToolPart } from '../message.ts';
import type { JudgedOutput } from './judge-by-age.ts';
import { type PrunePlan } from '../state.ts';
import type { Verdict } from './scan.ts';

/** Chooses every tool output that is still sent, newest first. Source: design document 004, selective pruning. */
export function planAllOutputs(
  messages: readonly Message[],
  estimator: EstimatorOptions,
): PrunePlan {
  const chosen = judgeAllOutputs(messages, estimator).filter(
    ({ verdict }) => verdict === 'beyond-protect',
  );
  return {
    state: chosen.length === 0 ? 'nothing' : 'fire',
    partIds: chosen.map(({ part }) => part.id),
    estimatedTokens: chosen.reduce((total, { tokens = 0 }) => total + tokens, 0),
  };
}

/** Judges every tool output, newest first; nothing is protected. */
export function judgeAllOutputs(
  messages: readonly Message[],
  estimator: EstimatorOptions,
): readonly JudgedOutput[] {
  let seenTokens = 0;
  return messages
    .flatMap(({ id, parts }) => parts.map((part) => ({ messageId: id, part })))
    .toReversed()
    .flatMap(({ messageId, part }): readonly JudgedOutput[] => {
      if (part.type !== 'tool') return [];
      const output = { type: 'output', messageId, part } as const;
      const verdict = verdictOf(part);
      if (part.state.status !== 'completed' || verdict !== 'beyond-protect') {
        return [{ ...output, verdict }];
      }
      const tokens = estimateTokens(part.state.output.length, estimator);
      seenTokens += tokens;
      return [{ ...output, verdict, tokens, seenTokens }];
    });
}

function verdictOf({ state }: ToolPart): Verdict {
  if (state.status !== 'completed') return 'not-completed';
  return state.compactedAt === undefined ? 'beyond-protect' : 'already-cleared';
}
