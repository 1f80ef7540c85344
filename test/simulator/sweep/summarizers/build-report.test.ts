import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/simulator/env.ts';
import type { SummaryRow } from '../../../../src/simulator/report/summarizers-report.ts';
import {
  compareArms,
  estimateMean,
  estimateProbes,
  estimateStatistic,
  groupArms,
  summariseArm,
} from '../../../../src/simulator/sweep/summarizers/build-report.ts';
import { pivot, probe, row } from './summary-rows.ts';

const SAMPLING = { seed: 1, families: new Map<string, string>() };
const meanOf = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
const sessions = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);

/** A row whose retention falls by the same rate at each of three pivots. */
function decaying(scenario: string, first: number, rho: number): SummaryRow {
  return row({
    scenario,
    pivots: [0, 1, 2].map((index) => pivot(first * rho ** index)),
    survival: losing(first, rho, rho),
  });
}

/** Of ten facts each, how many are lost in each pivot that leaves such shares. */
function losing(...left: readonly number[]) {
  return left.map((share) => ({ atRisk: 10, lost: 10 * (1 - share) }));
}

function counts(lost: number) {
  return [{ atRisk: 10, lost }];
}

describe('estimateStatistic', () => {
  it.each([5, 40])('gives of a mean of %i what a mean has', (count) => {
    const random = createRandom(count);
    const values = sessions(count).map((name) => [name, random()] as const);
    const own = estimateStatistic(
      // In the order in which they are drawn.
      values.map(([, value]) => value).toSorted((a, b) => a - b),
      meanOf,
      SAMPLING,
    );
    const mean = estimateMean(new Map(values), SAMPLING);
    expect(own.mean).toBeCloseTo(mean.mean!, 10);
    expect(own.low).toBeCloseTo(mean.low!, 2);
    expect(own.high).toBeCloseTo(mean.high!, 2);
  });

  it('covers a ratio of means as often as it should', () => {
    let covered = 0;
    const trials = 120;
    for (let trial = 0; trial < trials; trial++) {
      const random = createRandom(trial + 1);
      const pairs = Array.from({ length: 8 }, () => ({ a: 1 + random(), b: random() }));
      const ratio = (drawn: readonly { readonly a: number; readonly b: number }[]) =>
        meanOf(drawn.map(({ b }) => b))! / meanOf(drawn.map(({ a }) => a))!;
      const { low, high } = estimateStatistic(pairs, ratio, SAMPLING);
      // E b / E a.
      covered += low! <= 0.5 / 1.5 && 0.5 / 1.5 <= high! ? 1 : 0;
    }
    expect(covered / trials).toBeGreaterThan(0.9);
  });

  it('has no interval of one cluster, nothing of none, and none where a part of them is unknown', () => {
    expect(estimateStatistic([1], meanOf, SAMPLING)).toEqual({ mean: 1, low: null, high: null });
    expect(estimateStatistic<number>([], meanOf, SAMPLING).mean).toBeNull();
    const atLeastThree = (drawn: readonly number[]) => (drawn.length < 3 ? null : meanOf(drawn));
    expect(estimateStatistic([1, 2, 3], atLeastThree, SAMPLING)).toMatchObject({
      mean: 2,
      low: null,
    });
  });

  it('stays within the range that a number can have', () => {
    const range = { low: 0, high: 1 };
    expect(estimateStatistic([0, 1], meanOf, { ...SAMPLING, range })).toMatchObject(range);
    const means = new Map(Object.entries({ a: 0, b: 1 }));
    expect(estimateMean(means, SAMPLING, range)).toMatchObject(range);
  });
});

const keptIn = (rows: readonly SummaryRow[]) =>
  summariseArm({ name: 'arm', rows }, SAMPLING).keptAfter.map(({ mean }) => mean);

describe('facts kept after compactions', () => {
  it('is what is left of facts by the pivots that they went through, as facts kept is of the first', () => {
    const rows = [decaying('a', 0.8, 0.5), decaying('b', 0.4, 0.5), decaying('c', 0.6, 0.5)];
    expect(keptIn(rows)).toEqual([0.6, 0.3, 0.15].map((share) => expect.closeTo(share, 10)));
    const { factsKept, factsKeptSecond } = summariseArm({ name: 'arm', rows }, SAMPLING).metrics;
    expect([factsKept.mean, factsKeptSecond.mean]).toEqual(keptIn(rows).slice(0, 2));
  });

  it('averages repetitions before sessions, and leaves nothing of what is all lost', () => {
    const lost = { pivots: [pivot(0), pivot(0)], survival: counts(10) };
    const kept = { pivots: [pivot(1), pivot(1)], survival: losing(1, 1) };
    const rows = [row(lost), row({ ...kept, repeat: 2 }), row({ ...kept, scenario: 'two' })];
    expect(keptIn(rows)).toEqual([0.75, 0.75]);
  });
});

describe('verdicts', () => {
  const verdictOf = (metric: string, base: readonly number[], other: readonly number[]) => {
    const [one, two] = [base, other].map((shares, arm) => ({
      name: `arm ${arm}`,
      rows: shares.map((share, index) =>
        row({ scenario: `s${index}`, pivots: [pivot(share, { stringsKept: 20 * share })] }),
      ),
    }));
    return compareArms(one!, two!, SAMPLING).find((found) => found.metric === metric)?.verdict;
  };
  const flat = (share: number) =>
    sessions(12).map((_, index) => share + (index % 2 === 0 ? 0.01 : -0.01));

  it.each<[what: string, base: number, other: number, verdict: string]>([
    ['more than the scorer may be wrong by', 0.4, 0.6, 'higher'],
    ['less than the scorer may be wrong by', 0.4, 0.45, 'equivalent'],
    ['far less', 0.8, 0.2, 'lower'],
  ])('on facts kept: %s', (_, base, other, verdict) => {
    const wobble = flat(other).toReversed();
    expect(verdictOf('factsKept', flat(base), wobble)).toBe(verdict);
  });

  it('are none on strings, however far apart they are', () => {
    expect(verdictOf('stringsKept', flat(0.1), flat(0.9))).toBe('unjudged');
  });
});

describe('names of arms', () => {
  it('have the prompt where there are several, and its hash where two have one name', () => {
    const two = [row(), row({ prompt: 'mine', promptHash: 'other' })];
    expect(groupArms(two).map(({ name }) => name)).toEqual([
      'extractive with policy',
      'extractive with mine',
    ]);
    const same = [row({ prompt: 'mine' }), row({ prompt: 'mine', promptHash: 'other' })];
    expect(groupArms(same).map(({ name }) => name)).toEqual([
      'extractive with mine prompt',
      'extractive with mine other',
    ]);
  });
});

describe('summariseArm', () => {
  it('bounds what was never dropped by the rule of three, without copies', () => {
    const copies = [row(), row({ repeat: 2 }), row({ repeat: 3 })];
    expect(summariseArm(groupArms(copies)[0]!, SAMPLING).mustFacts).toEqual({
      of: 10,
      dropped: 0,
      highestRate: 0.3,
    });
    const drawn = copies.map((one) => ({ ...one, isRandom: true }));
    expect(summariseArm(groupArms(drawn)[0]!, SAMPLING).mustFacts).toEqual({
      of: 30,
      dropped: 0,
      highestRate: 0.1,
    });
  });

  it('counts what went wrong', () => {
    const missing = { pivot: 2, state: 'failed', reason: 'refused' } as const;
    const rows = [
      row({ pivots: [pivot(1, { isCut: true })], missing }),
      row({ repeat: 2, pivots: [pivot(1, { summaryTokens: 1_000 })] }),
    ];
    expect(summariseArm(groupArms(rows)[0]!, SAMPLING).failures).toMatchObject({
      trials: 2,
      pivots: 2,
      failed: 1,
      cut: 1,
      nonCompressing: 1,
      reasons: [{ reason: 'refused', state: 'failed', times: 1 }],
    });
  });
});

const pricedAt = (dollars: number) => [pivot(1, { costNanoUsd: dollars * 1e9 })];

describe('compareArms', () => {
  it('pairs by session, and says "within noise" of a difference that goes both ways', () => {
    const sessions = ['a', 'b', 'c', 'd'];
    const rows = sessions.flatMap((scenario, index) => [
      row({ scenario }),
      row({ scenario, summarizer: 'tail', pivots: [pivot(index % 2 === 0 ? 0.3 : 0.8)] }),
    ]);
    const [base, other] = groupArms(rows);
    const found = compareArms(base!, other!, SAMPLING).find(({ metric }) => metric === 'factsKept');
    expect(found).toMatchObject({ sessions: 4, verdict: 'within noise' });
    expect(found?.difference.mean).toBeCloseTo(0.05, 10);
  });

  it.each<[told: string, base: readonly number[], other: readonly number[], verdict: string]>([
    [
      'what one dear session does not decide',
      [1, 1, 1, 1, 900],
      [0.5, 0.5, 0.6, 0.5, 950],
      'lower',
    ],
    ['a few percent as the same', [1, 2, 3, 4, 5], [1.02, 2.05, 3.09, 4.1, 5.12], 'equivalent'],
    ['twice as much', [1, 2, 3, 4, 5], [2.1, 4, 6.2, 8, 10], 'higher'],
  ])('judges cost by its ratio: %s', (_, base, other, verdict) => {
    const rows = base.flatMap((dollars, index) => [
      row({ scenario: `${index}`, pivots: pricedAt(dollars) }),
      row({ scenario: `${index}`, summarizer: 'tail', pivots: pricedAt(other[index]!) }),
    ]);
    const [first, second] = groupArms(rows);
    const cost = compareArms(first!, second!, SAMPLING).find(({ metric }) => metric === 'costUsd');
    const logs = base.map((dollars, index) => Math.log(other[index]! / dollars));
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
    expect(cost?.ratio?.mean).toBeCloseTo(Math.exp(mean), 4);
    expect(cost?.verdict).toBe(verdict);
  });
});

/** A row a session, with a question for each flag. */
function rowsOf(...right: readonly (readonly boolean[])[]): readonly SummaryRow[] {
  return right.map((own, index) =>
    row({ scenario: `s${index}`, probes: own.map((isRight) => probe(isRight)) }),
  );
}

describe('estimateProbes', () => {
  it('has means over sessions, with intervals', () => {
    const rows = rowsOf([true, false], [true, true], [true, true, true, false]);
    const { questions, accuracy, left } = estimateProbes({ name: 'arm', rows }, SAMPLING);
    expect(questions).toBe(8);
    expect(accuracy.compacted).toMatchObject({ mean: 0.75, sessions: 3 });
    expect(accuracy.compacted.low).toBeLessThan(0.75);
    expect(accuracy).toMatchObject({ full: { mean: 1 }, none: { mean: 0 } });
    expect(left).toMatchObject({ mean: 0.75, sessions: 3 });
    expect(left.high).toBeGreaterThan(0.75);
  });

  it('counts repetitions that cannot differ once, and what was not answered by reason', () => {
    const rows = [1, 2].map((repeat) =>
      row({ repeat, probes: [probe(true)], unanswered: ['429', '429', 'reset'] }),
    );
    const { questions, unanswered } = estimateProbes({ name: 'arm', rows }, SAMPLING);
    expect(questions).toBe(1);
    expect(unanswered).toEqual([
      { reason: '429', times: 2 },
      { reason: 'reset', times: 1 },
    ]);
  });

  it('counts the second of such repetitions where the first one broke', () => {
    const missing = { pivot: 1, state: 'broken', reason: 'reset' } as const;
    const rows = [
      row({ isRandom: true, pivots: [], missing }),
      ...[2, 3].map((repeat) => row({ repeat, probes: [probe(true)] })),
    ];
    expect(estimateProbes({ name: 'arm', rows }, SAMPLING)).toMatchObject({
      questions: 1,
      accuracy: { compacted: { mean: 1 } },
    });
    expect(summariseArm({ name: 'arm', rows }, SAMPLING).mustFacts.of).toBe(10);
  });

  it('averages repetitions before sessions, however many of their questions were answered', () => {
    const rows = [
      row({ isRandom: true, probes: [probe(true), probe(true), probe(true)] }),
      row({ isRandom: true, repeat: 2, probes: [probe(false)] }),
    ];
    const { accuracy, left, kinds } = estimateProbes({ name: 'arm', rows }, SAMPLING);
    expect(accuracy.compacted.mean).toBe(0.5);
    expect(left.mean).toBe(0.5);
    expect(kinds.value).toMatchObject({ full: { mean: 1 }, compacted: { mean: 0.5 } });
    expect(summariseArm({ name: 'arm', rows }, SAMPLING).metrics.answered.mean).toBe(0.5);
  });
});
