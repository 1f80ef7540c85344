/** The floor of a session: system prompt, tools and newest request, below which no compaction gets. */

import { overflowRules } from '../overflow.ts';
import { newestRequest } from '../request.ts';
import { historyOf, type LoopState } from '../state.ts';
import { estimateMessages } from '../render/weigh.ts';

/**
 * Why no compaction can bring a session below its limit, in words that name the sizes: system prompt,
 * tools and the newest request alone are over what is usable. Nothing while one can.
 */
export function irreducibleFloor(state: LoopState): string | undefined {
  const { policy, limits, overheadTokens } = state;
  if (!policy.guards.stopIrreducible || limits.contextTokens === 0) return undefined;
  const usableTokens = overflowRules[policy.trigger.overflow].usable(limits, policy.trigger);
  const request = newestRequest(historyOf(state));
  const requestTokens = request === undefined ? 0 : estimateMessages([request], policy);
  if (overheadTokens + requestTokens < usableTokens) return undefined;
  return `system and tools ${overheadTokens} + newest request ${requestTokens} ≥ usable ${usableTokens} tokens`;
}
