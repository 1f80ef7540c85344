import { contextTokensOf } from '../../session/session.ts';
import type { StepPair } from '../step-pairs.ts';
import type { Compared, Surprise } from './step.ts';

/** How much less than predicted is read from a cache that has lost a prefix, as a part of the input. */
const LOST_SHARE = 0.1;

/** What happened to a pair's second step that nothing foretells; nothing if all went as it should. */
export function surpriseOf(
  { from, to, cut, isOtherModel }: StepPair,
  cacheShare: Compared | undefined,
): Surprise | undefined {
  if (cut !== undefined) return cut.kind === 'full' ? 'after-compaction' : 'after-clearing';
  if (isOtherModel) return 'other-model';
  if (contextTokensOf(to.usage) < contextTokensOf(from.usage)) return 'context-shrank';
  const { predicted, recorded } = cacheShare ?? { predicted: 0, recorded: 0 };
  return predicted - recorded > LOST_SHARE ? 'cache-lost' : undefined;
}
