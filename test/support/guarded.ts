import {
  type GuardsPolicy,
  type Limits,
  type LoopInput,
  NO_GUARDS,
  type Policy,
  type PolicyName,
  policies,
  resolvePolicy,
} from '../../src/engine/index.ts';
import { drive } from './drive.ts';
import { LIMITS, OVER, said, stepped } from './script.ts';

/** A preset with one guard, or without any. */
export function guarded(name: PolicyName, guards: Partial<GuardsPolicy> = {}): Policy {
  return resolvePolicy(policies[name], { guards: { ...NO_GUARDS, ...guards } });
}

/** What a policy does with each input, as lines. */
export const linesOf = (policy: Policy, inputs: readonly LoopInput[], limits: Limits = LIMITS) =>
  drive(policy, limits, inputs).lines;

/** What a policy does with the last input, as lines. */
export const lastLines = (...session: Parameters<typeof linesOf>) => linesOf(...session).at(-1);
/** A summary that was written. */
export const answered = (summary: string, finish = 'stop'): LoopInput => ({
  type: 'summary-finished',
  result: { text: summary, finish },
});
/** A turn of 24 tokens that overflows; with what its marker asks it is 30. */
export const overflown = [said('u1', 'x'.repeat(92)), stepped('s1', OVER)];
