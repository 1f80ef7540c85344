import { expect, it } from 'vitest';
import { compareMetrics } from '../../../../src/simulator/sweep/compare/compare-pairs.ts';
import type { SessionPair } from '../../../../src/simulator/sweep/compare/pair-sides.ts';

const SESSIONS = 12;

/** Sessions with so many more compactions on the second side, give or take. */
function pairsWith(more: number): readonly SessionPair[] {
  return Array.from({ length: SESSIONS }, (_, index) => {
    const session = `s${index}`;
    const compactions = 1 + more + Math.sin(7.3 * index);
    return {
      session,
      family: session,
      a: { costUsd: 1, compactions: 1 },
      b: { costUsd: 1, compactions },
    };
  });
}

it('calls a difference within noise that is not certain among what was declared before', () => {
  const found = Array.from({ length: 30 }, (_, nth) => nth / 30).flatMap((more) =>
    compareMetrics(pairsWith(more), 1).filter(({ name }) => name === 'compactions'),
  );
  const uncertain = found.filter(({ pValue }) => (pValue ?? 1) > 0.05);
  expect(new Set(uncertain.map(({ verdict }) => verdict))).toEqual(new Set(['within noise']));
  const isCertainAlone = uncertain.filter(({ difference: { interval } }) => interval!.low > 0);
  expect(isCertainAlone.length).toBeGreaterThan(0);
  expect(found.some(({ verdict }) => verdict === 'higher')).toBe(true);
});
