import { describe, expect, it } from 'vitest';
import { policies, replaceEviction, resolvePolicy } from '../../../src/engine/index.ts';
import { planPrune } from '../../../src/engine/prune/prune.ts';
import { frozen } from '../../support/frozen.ts';
import { step, tool, user } from '../../support/history.ts';

describe('an order of its own over a pass that keeps a number of outputs', () => {
  it('clears as much as the pass would, and only of its tools', () => {
    const policy = replaceEviction(
      resolvePolicy(policies['claude-code'], {
        prune: { keepLast: { outputs: 1, tools: ['bash'] } },
      }),
      'largest-first',
    );
    const history = [
      user('u1'),
      step('s1', [tool('a', 40), tool('b', 800, { tool: 'read' }), tool('c', 60)]),
    ];
    const { plan } = planPrune(policy, frozen(history));
    expect(plan).toEqual({ state: 'fire', partIds: ['c'], estimatedTokens: 20 });
  });
});
