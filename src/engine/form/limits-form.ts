import type { Limits } from '../limits.ts';
import { being, fields, optional } from './check.ts';

/** An amount of tokens that can be compared with others. */
export const tokens = being(
  'a finite number of tokens, 0 or more',
  (value) => Number.isFinite(value) && (value as number) >= 0,
);

/** How much a model takes and gives, and nothing else: a limit under another name would be none. */
export const limitsForm = fields<Limits>({
  contextTokens: tokens,
  inputTokens: optional(tokens),
  outputTokens: optional(tokens),
});
