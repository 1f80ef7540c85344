import { expectForm, fields, optional } from '../form/check.ts';
import { limitsForm, tokens } from '../form/limits-form.ts';
import { policyForm } from '../form/policy-form.ts';
import { HEALTHY } from '../guards.ts';
import { type Limits, type LoopState, WAITING } from '../state.ts';
import type { Policy } from '../policy.ts';

/** What a host knows of a session before its first message. */
export interface StateOptions {
  /** System prompt and tool definitions, in tokens; 0 where it is absent. */
  readonly overheadTokens?: number;
}

const optionsForm = fields<StateOptions>({ overheadTokens: optional(tokens) });

/** The state before the first message. Throws a `TypeError` at what is no policy, and at limits that are no numbers or that nothing reads. */
export function createState(policy: Policy, limits: Limits, options: StateOptions = {}): LoopState {
  const { overheadTokens = 0 } = expectForm('options', options, optionsForm);
  return {
    policy: expectForm('policy', policy, policyForm),
    limits: expectForm('limits', limits, limitsForm),
    overheadTokens,
    history: [],
    phase: WAITING,
    health: HEALTHY,
    refusals: 0,
  };
}
