import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/simulator/env.ts';
import {
  MOST_NEEDED,
  judgeArms,
  type JudgedArm,
  type PairedSpend,
} from '../../../../src/simulator/metrics/statistics/judge-arms.ts';

/** So many sessions that cost 10 each, and under the arm as many times that as each factor says, in turns; or as much. */
function sessions(all: number, differing: number, factors: readonly number[]): PairedSpend[] {
  return Array.from({ length: all }, (_, index) => ({
    cluster: `session ${index}`,
    base: 10,
    arm: index < differing ? 10 * (factors[index % factors.length] ?? 1) : 10,
    differs: index < differing,
  }));
}

/** Pairs of which every so many in a row are of one family. */
const inFamilies = (every: number, pairs: readonly PairedSpend[]) =>
  pairs.map((pair, index) => ({ ...pair, cluster: `family ${Math.floor(index / every)}` }));
const whole = (pairs: readonly PairedSpend[]): JudgedArm => ({ pairs, failed: 0 });
const judgeOne = (pairs: readonly PairedSpend[], failed = 0) => judgeArms([{ pairs, failed }])[0]!;
const statesOf = (arms: readonly JudgedArm[]) => judgeArms(arms).map(({ state }) => state);
const CHEAP = [0.6, 0.7, 0.8];
const DEAR = [1.2, 1.3, 1.4];
const NEAR = [0.99, 1, 1.01];
/** As much in all, by very different amounts. */
const WILD = [0.05, 4, 0.1, 0.3, 0.55];
/** Of fourteen sessions just enough to be better. */
const LIKELY = [0.9, 0.7, 1.1, 0.8, 0.9, 1.02, 0.7];
/** Of as many not enough. */
const STRAYING = [0.5, 1.3, 0.8, 1.1, 0.4, 1.2, 0.9];

describe('judgeArms', () => {
  it.each<[string, readonly PairedSpend[], string]>([
    ['cheaper in ten sessions', sessions(10, 10, CHEAP), 'better'],
    ['cheaper in ten of twenty sessions', sessions(20, 10, CHEAP), 'better'],
    [
      'cheaper by the same in all but one session',
      sessions(10, 10, [0.8, ...Array<number>(9).fill(0.6)]),
      'better',
    ],
    ['dearer in ten sessions', sessions(10, 10, DEAR), 'worse'],
    ['within 5 % in ten sessions', sessions(10, 10, NEAR), 'no difference that matters'],
    ['cheaper by 3 %', sessions(10, 10, [0.96, 0.97, 0.98]), 'no difference that matters'],
    [
      'cheaper by a few hundredths of what matters',
      sessions(60, 10, [0.9]),
      'no difference that matters',
    ],
    ['cheaper here and dearer there', sessions(12, 12, STRAYING), 'not enough data'],
    ['cheaper in nine sessions', sessions(9, 9, CHEAP), 'not enough data'],
    ['cheaper in nine of fifty sessions', sessions(50, 9, CHEAP), 'not enough data'],
    ['within 5 % in nine sessions', sessions(9, 9, NEAR), 'not enough data'],
    ['completed with the baseline nowhere', [], 'not enough data'],
    ['the same in one session', sessions(1, 0, []), 'no effect'],
    ['the same in 59 sessions', sessions(59, 0, []), 'no effect'],
    ['the same in 60 sessions', sessions(60, 0, []), 'does nothing'],
    // Upper ends of 5.01 % and 4.97 %.
    ['different in one of 109 sessions', sessions(109, 1, CHEAP), 'not enough data'],
    ['different in one of 110 sessions', sessions(110, 1, CHEAP), 'does nothing'],
    ['cheaper in 20 of 640 sessions', sessions(640, 20, CHEAP), 'does nothing'],
    ['cheaper in 20 of 400 sessions', sessions(400, 20, [0.1]), 'better'],
  ])('tells what is %s', (_, pairs, state) => {
    expect(judgeOne(pairs).state).toBe(state);
  });

  it('judges and guesses alike in whatever order sessions come, and whatever they are called', () => {
    const pairs = sessions(14, 14, STRAYING).map((pair, index) => ({
      ...pair,
      base: pair.base * (1 + index),
      arm: pair.arm * (1 + index),
    }));
    const { needed, interval } = judgeOne(pairs);
    expect(needed).toBeTypeOf('number');
    const others = pairs
      .toReversed()
      .map((pair, index) => ({ ...pair, cluster: `other ${index}` }));
    expect(judgeOne(others)).toMatchObject({ needed, interval });
  });

  it.each([
    ['better', sessions(20, 20, CHEAP)],
    ['the same', sessions(60, 0, [])],
    ['different in too few', sessions(9, 9, CHEAP)],
    ['never completed', []],
  ])('says that an arm fails that is %s but for one session', (_, pairs) => {
    expect(judgeOne(pairs, 1)).toMatchObject({ state: 'fails', needed: null });
  });

  it('counts a family once, however many sessions it has', () => {
    const related = (every: number) => inFamilies(every, sessions(40, 40, CHEAP));
    const counted = { sessions: 40, differing: 40 };
    expect(judgeOne(related(5))).toMatchObject({
      ...counted,
      state: 'not enough data',
      interval: null,
      families: 8,
      differingFamilies: 8,
    });
    expect(judgeOne(related(4))).toMatchObject({ ...counted, state: 'better', families: 10 });
  });

  it('takes a family for different where one of its sessions is', () => {
    const paired = sessions(20, 10, CHEAP).map((pair, index) => ({
      ...pair,
      cluster: `family ${index % 10}`,
    }));
    expect(judgeOne(paired)).toMatchObject({ differing: 10, families: 10, differingFamilies: 10 });
    expect(judgeOne(inFamilies(2, sessions(118, 0, [])))).toMatchObject({
      state: 'no effect',
      families: 59,
    });
  });

  it('tells both totals, and an interval of the second one around it', () => {
    const { from, to, interval } = judgeOne(sessions(30, 20, [0.5, 0.7]));
    expect([from, to]).toEqual([300, expect.closeTo(220)]);
    expect(interval!.low).toBeLessThan(220);
    expect(interval!.low).toBeGreaterThan(180);
    expect(interval!.high).toBeGreaterThan(220);
    expect(interval!.high).toBeLessThan(260);
  });

  it('gives no interval that begins below nothing', () => {
    const { interval } = judgeOne(sessions(10, 10, [0.01, 0.01, 4]));
    expect(interval!.low).toBeGreaterThanOrEqual(0);
    const same = judgeOne(sessions(10, 10, [0.5]));
    expect(same.interval).toEqual({ low: expect.closeTo(50), high: expect.closeTo(50) });
  });

  it('says that what comes out the same for nothing is nothing', () => {
    const free = sessions(12, 12, [1]).map((pair) => ({ ...pair, base: 0, arm: 0 }));
    expect(judgeOne(free)).toMatchObject({ state: 'not enough data', interval: null });
  });
});

describe('judgeArms of several arms', () => {
  const likely = whole(sessions(14, 14, LIKELY));
  const others = Array.from({ length: 19 }, () => whole(sessions(21, 21, DEAR)));

  it('is surer of each the more of them differ', () => {
    expect(statesOf([likely])).toEqual(['better']);
    expect(statesOf([likely, ...others])[0]).toBe('not enough data');
    expect(statesOf([...others, likely]).at(-1)).toBe('not enough data');
  });

  it('counts no arm in which nothing differs', () => {
    const same = others.map(() => whole(sessions(21, 0, [])));
    expect(statesOf([likely, ...same])[0]).toBe('better');
  });

  it('changes no totals and no interval of any', () => {
    const { state, needed, ...alone } = judgeOne(likely.pairs);
    expect([state, needed]).toEqual(['better', null]);
    expect(judgeArms([likely, ...others])[0]).toMatchObject(alone);
  });

  it('needs more sessions where more of them differ', () => {
    const few = whole(sessions(9, 9, STRAYING));
    const [alone] = judgeArms([few]);
    const [among] = judgeArms([few, ...others]);
    expect(among!.needed).toBeGreaterThan(Number(alone!.needed));
  });
});

describe('the number of sessions that would decide', () => {
  it.each([
    ['better', sessions(12, 12, CHEAP)],
    ['worse', sessions(12, 12, DEAR)],
    ['no difference that matters', sessions(12, 12, NEAR)],
    ['does nothing', sessions(60, 0, [])],
    ['no effect', sessions(2, 0, [])],
  ])('is none of what is decided: %s', (state, pairs) => {
    expect(judgeOne(pairs)).toMatchObject({ state, needed: null });
  });

  it.each([
    ['of none', []],
    ['of one session that differs', sessions(1, 1, CHEAP)],
    ['of fifty sessions, two of which differ', sessions(50, 2, CHEAP)],
  ])('is left open %s', (_, pairs) => {
    expect(judgeOne(pairs)).toMatchObject({ state: 'not enough data', needed: 'too few to say' });
  });

  it('is one above the most that is worked out where thousands would not do', () => {
    expect(judgeOne(sessions(10, 10, WILD)).needed).toBe(MOST_NEEDED + 1);
  });

  it.each([
    ['three sessions', sessions(3, 3, CHEAP)],
    ['nine sessions', sessions(9, 9, CHEAP)],
    ['fifty sessions, nine of which differ', sessions(50, 9, CHEAP)],
    ['sessions that are dearer and cheaper', sessions(12, 12, STRAYING)],
  ])('is above what is at hand: %s', (_, pairs) => {
    expect(judgeOne(pairs).needed).toBeGreaterThan(pairs.length);
  });

  it('counts families where they have several sessions', () => {
    const pairs = sessions(9, 9, CHEAP);
    const twice = pairs.flatMap((pair) => [pair, pair]);
    expect(judgeOne(twice).needed).toBe(judgeOne(pairs).needed);
  });

  it.each([
    ['too few of which differ', sessions(20, 6, CHEAP)],
    ['that are dearer and cheaper', sessions(14, 14, STRAYING)],
    ['some of which are', sessions(40, 12, STRAYING)],
  ])('decides most draws of sessions %s, and half of it fewer', (_, pairs) => {
    const { state, needed } = judgeOne(pairs);
    expect(state).toBe('not enough data');
    expect(shareDecided(pairs, Number(needed))).toBeGreaterThanOrEqual(70);
    expect(shareDecided(pairs, Math.floor(Number(needed) / 2))).toBeLessThan(80);
  });
});

/** How many of a hundred draws of so many sessions, with replacement, are decided. */
function shareDecided(pairs: readonly PairedSpend[], count: number): number {
  const random = createRandom(3);
  let decided = 0;
  for (let draw = 0; draw < 20; draw++) {
    const drawn = Array.from({ length: count }, (_, index) => ({
      ...pairs[Math.floor(random() * pairs.length)]!,
      cluster: `drawn ${index}`,
    }));
    if (judgeOne(drawn).state !== 'not enough data') decided += 5;
  }
  return decided;
}
