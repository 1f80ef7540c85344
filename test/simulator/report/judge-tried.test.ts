import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import { armRunOf } from '../../../src/simulator/report/arms.ts';
import { judgeTried, spentOf, type TriedChange } from '../../../src/simulator/report/verdict.ts';
import type { ResultRow } from '../../../src/simulator/sweep/store/row.ts';

interface Pairing {
  readonly base: ResultRow;
  readonly changed: ResultRow;
}

interface Numbers {
  readonly costUsd: number;
  readonly misses?: number;
  readonly eventDigest: string;
}

function row(session: string, { costUsd, misses = 0, eventDigest }: Numbers): ResultRow {
  return {
    session,
    sessionHash: session,
    cell: 'cell',
    policy: 'opencode-1.18',
    model: 'anthropic/claude-sonnet-4-5',
    summarizer: 'extractive',
    settings: {},
    seed: 1,
    state: 'completed',
    metrics: { ...UNKNOWN_METRICS, costUsd, misses, unrecoverableMisses: misses },
    eventDigest,
  };
}

/** Sessions of growing cost, each times a factor under the change; a factor of 1 and no more misses is no change. */
function pairs(
  factors: readonly number[],
  misses: readonly [before: number, after: number] = [0, 0],
): readonly Pairing[] {
  return factors.map((factor, index) => {
    const costUsd = 1 + index / 10;
    const isSame = factor === 1 && misses[0] === misses[1];
    return {
      base: row(`s${index}`, { costUsd, misses: misses[0] + index, eventDigest: 'a' }),
      changed: row(`s${index}`, {
        costUsd: costUsd * factor,
        misses: misses[1] + index,
        eventDigest: isSame ? 'a' : 'b',
      }),
    };
  });
}

/** The same, with three losses more in the first session and two fewer in the second. */
function noisy(factors: readonly number[]): readonly Pairing[] {
  const shifts = [3, -2];
  return pairs(factors).map(({ base, changed }, index) => {
    const misses = Number(changed.metrics.misses) + (shifts[index] ?? 0);
    return {
      base,
      changed: { ...changed, metrics: { ...changed.metrics, misses, unrecoverableMisses: misses } },
    };
  });
}

const times = (count: number, ...factors: readonly number[]) =>
  Array.from({ length: count }, (_, index) => factors[index % factors.length] ?? 1);

const toRun = (of: ResultRow) => armRunOf(of.session, of);

const decideAll = (all: readonly (readonly Pairing[])[]) =>
  judgeTried(
    all.map((pairings) => ({
      name: 'change',
      failed: 0,
      matched: pairings.map(({ base, changed }) => ({ a: toRun(base), b: toRun(changed) })),
    })),
  );

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
    const one = pairs(times(20, 0.6, 0.7)).map(({ base, changed }, index) => {
      const misses = Number(changed.metrics.misses) + (index % 4 === 0 ? 1 : 0);
      return {
        base,
        changed: {
          ...changed,
          metrics: { ...changed.metrics, misses, unrecoverableMisses: misses },
        },
      };
    });
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
    const { metrics, ...rest } = row('s', { costUsd: 3, eventDigest: 'a' });
    const tokens = { uncachedTokens: 1, cacheWriteTokens: 20, cacheReadTokens: 9_000 };
    const written = { outputTokens: 300, summaryOutputTokens: null };
    const unpriced = { ...rest, metrics: { ...metrics, ...tokens, ...written, costUsd: null } };
    const priced = { ...rest, metrics };
    expect(spentOf(decide([{ base: unpriced, changed: unpriced }])!)).toMatchObject({
      isTokens: true,
      from: 321,
    });
    expect(spentOf(decide([{ base: priced, changed: priced }])!)).toMatchObject({
      isTokens: false,
      from: 3,
    });
  });

  it('counts sessions that nothing acts on, and those whose losses have no price', () => {
    const { base, changed } = pairs([0.8])[0]!;
    const still = {
      ...base,
      session: 'still',
      metrics: { ...base.metrics, compactions: 0, prunes: 0 },
    };
    const lossy = { ...changed, metrics: { ...changed.metrics, misses: 2 } };
    const told = decide([
      { base: still, changed: still },
      { base, changed: lossy },
    ]);
    expect(told).toMatchObject({ sessions: 2, differing: 1, idleSessions: 1, withoutRereads: 1 });
  });
});
