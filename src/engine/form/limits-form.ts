import { type Limits } from '../state.ts';
import { fields, finiteOf, optional } from './check.ts';

/** An amount of tokens that can be compared with others. */
export const tokens = finiteOf('tokens');

/** How much a model takes and gives, and nothing else: a limit under another name would be none. */
export const limitsForm = fields<Limits>({
  contextTokens: tokens,
  inputTokens: optional(tokens),
  outputTokens: optional(tokens),
});
