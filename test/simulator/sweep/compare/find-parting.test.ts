import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { findParting } from '../../../../src/simulator/sweep/compare/compare-sides.ts';
import { end, pivot, prune, step, summary } from '../../metrics/events.ts';

describe('findParting', () => {
  const first: readonly RunEvent[] = [step(), prune(), step({ step: 2 }), pivot()];

  it('is none where the same happens', () => {
    expect(findParting(first, first)).toBeUndefined();
    expect(findParting(first, [...first, step({ step: 3 })])).toBeUndefined();
  });

  it('is a summary request that was cut where the other was whole', () => {
    const whole = [step(), summary(), pivot()];
    const cut = [step(), summary({ keptTokens: 2_502 }), pivot()];
    expect(findParting(cut, whole)).toEqual({
      step: 1,
      a: 'silent cut of a summary request to 2502 tokens',
      b: 'pivot 100000 to 10000 tokens',
    });
  });

  it('is the first step at which something else happens, or nothing', () => {
    const other = [step(), prune(), step({ step: 2 }), step({ step: 3 }), pivot()];
    expect(findParting(first, other)).toEqual({
      step: 2,
      a: 'pivot 100000 to 10000 tokens',
      b: 'nothing',
    });
    expect(findParting(first.slice(0, 1), first)).toEqual({
      step: 1,
      a: 'nothing',
      b: 'prune of 20000 tokens',
    });
  });

  it.each<[words: string, act: RunEvent]>([
    ['overflow before-request', { type: 'overflow', path: 'before-request' }],
    ['prune of 20000 tokens', prune()],
    ['prune that added 12 tokens', prune({ prunedTokens: -12 })],
    ['pivot 100000 to 10000 tokens', pivot()],
    [
      'refusal of 9 tokens',
      { type: 'step-refused', step: 1, contextTokens: 9, windowTokens: 8, isRecognised: true },
    ],
    [
      'silent cut to 7 tokens',
      { type: 'step-truncated', step: 1, contextTokens: 9, keptTokens: 7 },
    ],
    ['2 messages moved out', { type: 'moved-out', messageIds: ['a', 'b'] }],
    ['summary rejected', { type: 'summary-rejected', reason: 'too long' }],
    ['refused', { ...end, state: 'refused' }],
  ])('says of what was done: %s', (words, act) => {
    expect(findParting([step(), act], [step()])).toEqual({ step: 1, a: words, b: 'nothing' });
  });

  it.each<RunEvent>([
    prune({ state: 'below-minimum' }),
    prune({ state: 'nothing' }),
    summary(),
    end,
    { type: 'turn-start', turn: 1 },
  ])('takes a $type in which nothing happened to the view for nothing', (event) => {
    expect(findParting([step(), event], [step()])).toBeUndefined();
  });
});
