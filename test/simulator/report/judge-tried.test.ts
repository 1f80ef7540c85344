import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import { type ArmRun, armRunOf } from '../../../src/simulator/report/arms.ts';
import { judgeTried, spentOf, type TriedChange } from '../../../src/simulator/report/verdict.ts';

interface Pairing {
  readonly a: ArmRun;
  readonly b: ArmRun;
}

function run(session: string, costUsd: number, misses: number, others = {}): ArmRun {
  const lost = { misses, unrecoverableMisses: misses };
  const metrics = { ...UNKNOWN_METRICS, costUsd, ...lost, ...others };
  return armRunOf(session, { session, state: 'completed', metrics });
}

/** Sessions of growing cost, each times a factor under the change, and with more misses; a shift is of the misses of one. */
function pairs(
  factors: readonly number[],
  [before, after]: readonly [before: number, after: number] = [0, 0],
  shiftOf: (index: number) => number = () => 0,
): readonly Pairing[] {
  return factors.map((factor, index) => {
    const costUsd = 1 + index / 10;
    const misses = after + index + shiftOf(index);
    return {
      a: run(`s${index}`, costUsd, before + index),
      b: run(`s${index}`, costUsd * factor, misses),
    };
  });
}

/** The same, with three losses more in the first session and two fewer in the second. */
const noisy = (factors: readonly number[]) =>
  pairs(factors, [0, 0], (index) => [3, -2][index] ?? 0);
const times = (count: number, ...factors: readonly number[]) =>
  Array.from({ length: count }, (_, index) => factors[index % factors.length] ?? 1);
const decideAll = (all: readonly (readonly Pairing[])[]) =>
  judgeTried(all.map((matched) => ({ name: 'change', failed: 0, matched })));
/** The state, and that more is certainly lost for good. */
const stateOf = (judged: TriedChange | undefined) =>
  judged?.losesMore ? `${judged.state}, loses more` : judged?.state;
const decide = (pairings: readonly Pairing[]) => decideAll([pairings])[0];

describe('judgeTried', () => {
  it.each<[string, readonly Pairing[], string]>([
    ['a sure saving', pairs(times(20, 0.8, 0.85)), 'better'],
    ['a sure loss of money', pairs(times(20, 1.2, 1.15)), 'worse'],
    ['a difference of less than 5 %', pairs(times(20, 0.99, 0.98)), 'no difference that matters'],
    ['fewer losses at the same cost', pairs(times(20, 0.99), [5, 3]), 'no difference that matters'],
    [
      'more losses at the same cost',
      pairs(times(20, 0.99), [3, 5]),
      'no difference that matters, loses more',
    ],
    [
      'a saving whose losses surely grow',
      pairs(times(20, 0.8, 0.85), [1, 3]),
      'better, loses more',
    ],
    ['a saving whose losses grow by chance', noisy(times(20, 0.8, 0.85)), 'better'],
    ['a sure loss of money with fewer losses', pairs(times(20, 1.2, 1.15), [5, 3]), 'worse'],
    [
      'a sure loss of money with more losses',
      pairs(times(20, 1.2, 1.15), [3, 5]),
      'worse, loses more',
    ],
    ['runs that are the same', pairs(times(20, 1)), 'no effect'],
    ['a saving and a loss in turn', pairs(times(20, 0.5, 1.6)), 'not enough data'],
    ['a saving in nine sessions', pairs(times(9, 0.8)), 'not enough data'],
    [
      'a saving in nine sessions among many that it does not reach',
      pairs([...times(9, 0.2), ...times(9, 1)]),
      'not enough data',
    ],
  ])('judges %s', (_, pairings, state) => {
    expect(stateOf(decide(pairings))).toBe(state);
  });

  it('says how many sessions like these would have enough that differ', () => {
    const decision = decide(pairs([...times(5, 0.8), ...times(9, 1)]));
    expect(decision).toMatchObject({ sessions: 14, differing: 5, sessionsNeeded: 32 });
    expect(decide(pairs(times(20, 0.8, 0.85)))?.sessionsNeeded).toBeUndefined();
  });

  it('asks more of each change the more are tried', () => {
    const one = pairs(times(21, 0.6, 0.8, 1.1));
    const alone = decideAll([one])[0]?.state;
    const among = decideAll([one, ...times(30, 1).map(() => pairs(times(12, 0.5, 1.6)))])[0]?.state;
    expect([alone, among]).toEqual(['better', 'not enough data']);
  });

  it('sees harm that grows beside many other changes', () => {
    const one = pairs(times(20, 0.6, 0.7), [0, 0], (index) => (index % 4 === 0 ? 1 : 0));
    const others = times(9, 1).map(() => pairs(times(20, 0.5, 1.6), [3, 3]));
    expect(stateOf(decideAll([one, ...others])[0])).toBe('better, loses more');
  });

  it('asks for more sessions the more changes are tried', () => {
    const one = pairs(times(20, 0.4, 1.2));
    const alone = decideAll([one])[0]?.sessionsNeeded;
    const among = decideAll(times(3, 1).map(() => one))[0]?.sessionsNeeded;
    expect(among).toBeGreaterThan(alone!);
  });

  it('gives sums of dollars with the interval of the second', () => {
    const { from, to, low, high } = spentOf(decide(pairs(times(20, 0.8)))!);
    for (const total of [to, low, high]) expect(total).toBeCloseTo(0.8 * from!);
  });

  it('counts the tokens that are processed where there is no price', () => {
    const tokens = { uncachedTokens: 1, cacheWriteTokens: 20, cacheReadTokens: 9_000 };
    const unpriced = run('s', 3, 0, { ...tokens, outputTokens: 300, costUsd: null });
    const priced = run('s', 3, 0);
    expect(spentOf(decide([{ a: unpriced, b: unpriced }])!)).toMatchObject({
      isTokens: true,
      from: 321,
    });
    expect(spentOf(decide([{ a: priced, b: priced }])!)).toMatchObject({
      isTokens: false,
      from: 3,
    });
  });

  it('counts sessions that nothing acts on, and those whose losses have no price', () => {
    const still = run('still', 1, 0, { compactions: 0, prunes: 0 });
    const told = decide([
      { a: still, b: still },
      { a: run('s0', 1, 0), b: run('s0', 0.8, 0, { misses: 2 }) },
    ]);
    expect(told).toMatchObject({ sessions: 2, differing: 1, idleSessions: 1, withoutRereads: 1 });
  });
});
