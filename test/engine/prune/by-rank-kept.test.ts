import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  policies,
  replaceEviction,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { standIn } from '../../../src/engine/message.ts';
import { planPrune } from '../../../src/engine/prune/prune.ts';
import { frozen } from '../../../src/engine/values.ts';
import { step, tool, user } from '../../support/history.ts';

const HISTORY = [
  user('u1'),
  step('s1', [tool('a', 40), tool('b', 800, { tool: 'read' }), tool('c', 60)]),
];

describe('an order of its own over a pass that does not go by age', () => {
  it.each(['claude-code', 'last-n-observations', 'selective-pruning'] as const)(
    'clears the same whatever a pass by age would leave alone: %s',
    (name) => {
      const planUnder = (byAge: Partial<ByAgeOptions>) => {
        const rules = { byAge, keepLast: { outputs: 1 } };
        const base = resolvePolicy(policies[name], { prune: rules });
        return planPrune(replaceEviction(base, 'largest-first'), frozen(HISTORY)).plan;
      };
      const restricted = { guardTurns: 99, protectedTools: ['read'], skipNewestMessages: 9 };
      expect(planUnder(restricted)).toEqual(planUnder({}));
      expect(planUnder({}).partIds).toContain('b');
    },
  );

  it('takes what a clean-up took out for gone under any order', () => {
    const cleaned = standIn(tool('d', 4_000, { compactedAt: 1 }), tool('d', 4_000), {
      what: 'output',
      now: 1,
    });
    const history = [user('u1'), step('s1', [tool('a', 40), cleaned, tool('c', 60)])];
    const policy = resolvePolicy(policies['opencode-1.2.16'], {
      prune: { byAge: { protectTokens: 15, minimumTokens: 0, guardTurns: 0 } },
    });
    const ranked = replaceEviction(policy, 'largest-first');
    // As after a prune before the clean-up.
    const { plan } = planPrune(ranked, frozen(history), { baseCleared: new Set() });
    expect(plan).toEqual({ state: 'fire', partIds: ['c'], estimatedTokens: 15 });
  });

  it('clears as much as the pass would, and only of its tools', () => {
    const policy = replaceEviction(
      resolvePolicy(policies['claude-code'], {
        estimator: { charsPerToken: 3, rounding: 'ceil' },
        prune: { keepLast: { outputs: 1, tools: ['bash'] } },
      }),
      'largest-first',
    );
    const { plan } = planPrune(policy, frozen(HISTORY));
    expect(plan).toEqual({ state: 'fire', partIds: ['c'], estimatedTokens: 20 });
  });
});
