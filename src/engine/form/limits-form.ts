import type { Limits } from '../limits.ts';
import { being, having, optional } from './check.ts';

/** An amount of tokens that can be compared with others. */
export const tokens = being(
  'a finite number of tokens, 0 or more',
  (value) => Number.isFinite(value) && (value as number) >= 0,
);

/** How much a model takes and gives. */
export const limitsForm = having<Limits>({
  contextTokens: tokens,
  inputTokens: optional(tokens),
  outputTokens: optional(tokens),
});
