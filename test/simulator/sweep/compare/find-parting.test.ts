import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { findParting } from '../../../../src/simulator/sweep/compare/find-parting.ts';
import { pivot, prune, step, summary } from '../../metrics/events.ts';

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
});
