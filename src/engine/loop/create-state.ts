import { expectForm } from '../form/check.ts';
import { limitsForm, tokens } from '../form/limits-form.ts';
import { policyForm } from '../form/policy-form.ts';
import { HEALTHY } from '../guards.ts';
import type { Limits } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { LoopState } from '../transition.ts';
import { WAITING } from './change-state.ts';

/** What a host knows of a session before its first message. */
export interface StateOptions {
  /** System prompt and tool definitions, in tokens; 0 where it is absent. */
  readonly overheadTokens?: number;
}

/** The state before the first message. Throws a `TypeError` at what is no policy, and at limits that are no numbers. */
export function createState(policy: Policy, limits: Limits, options: StateOptions = {}): LoopState {
  const { overheadTokens = 0 } = options;
  return {
    policy: expectForm('policy', policy, policyForm),
    limits: expectForm('limits', limits, limitsForm),
    overheadTokens: expectForm('overheadTokens', overheadTokens, tokens),
    history: [],
    phase: WAITING,
    health: HEALTHY,
    refusals: 0,
  };
}
