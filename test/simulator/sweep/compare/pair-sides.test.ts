import { array, assert, double, pre, property, shuffledSubarray, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSides } from '../../../../src/simulator/sweep/compare/compare-sides.ts';
import {
  type ArmResult,
  type ComparableRow,
  isSameSession,
  joinFamilies,
  type Side,
} from '../../../../src/simulator/sweep/compare/pair-sides.ts';
import { row as rowOfSampleSides, side } from './sample-sides.ts';

/** What a session costs under both sides, and how often it is compacted. */
type Outcome = readonly [before: number, after: number];

const OUTCOMES = Array.from({ length: 12 }, (_, index): Outcome => [10 + index, 9 + (index % 4)]);

function row(session: string, costUsd: number, family?: string): ComparableRow {
  const metrics = { costUsd, compactions: costUsd ** 2 };
  return rowOfSampleSides(session, { ...(family !== undefined && { family }), metrics });
}

/** Two sides of rows that outcomes and families make. */
function compared(
  outcomes: readonly Outcome[],
  familyOf: (index: number) => readonly [inA?: string | undefined, inB?: string] = () => [],
) {
  const rowsOf = (index: 0 | 1) =>
    outcomes.map((costs, place) => row(`s${place}`, costs[index], familyOf(place)[index]));
  const outcome = compareSides(side('a', rowsOf(0)), side('b', rowsOf(1)), { seed: 1 });
  if (outcome.state !== 'compared') throw new Error(outcome.reason);
  return outcome.comparison;
}

/** All that an interval, a verdict or a count of wins says. */
const foundIn = ({ cost, metrics }: ReturnType<typeof compared>) => ({
  cost: { ...cost, pairs: 0 },
  metrics: metrics.map((metric) => ({ ...metric, pairs: 0 })),
});

/** Of two sessions each, by the first of them. */
const pairOf = (index: number) => `s${index - (index % 2)}`;
const both = (family: string) => [family, family] as const;

describe('comparing sessions of families', () => {
  it('says the same as without where each is a family of its own', () => {
    const cost = double({ min: 0.01, max: 100, noNaN: true });
    assert(
      property(array(tuple(cost, cost), { minLength: 1, maxLength: 15 }), (outcomes) => {
        expect(compared(outcomes, (index) => both(`s${index}`))).toEqual(compared(outcomes));
      }),
      { numRuns: 5 },
    );
  });

  it('is no surer for a fork of each session that came to the same', () => {
    const forked = OUTCOMES.flatMap((outcome) => [outcome, outcome]);
    const comparison = compared(forked, (index) => both(pairOf(index)));
    expect(comparison).toMatchObject({ pairs: 24, sessions: 24, families: 12 });
    expect(foundIn(comparison)).toEqual(foundIn(compared(OUTCOMES)));
    // Taken for independent, they are.
    const widthOf = ({ metrics: [first] }: typeof comparison) =>
      first!.difference.interval!.high - first!.difference.interval!.low;
    expect(widthOf(compared(forked))).toBeLessThan(0.8 * widthOf(comparison));
  });

  it('has too few for a verdict of the forks of one session', () => {
    const { cost, metrics } = compared(OUTCOMES, () => both('s0'));
    expect(cost).toMatchObject({ verdict: 'too few', geometricRatio: { interval: null } });
    expect(cost!.ratioOfTotals!.interval).toBeNull();
    for (const { verdict } of metrics) expect(verdict).toBe('too few');
    const costUsd = metrics.find(({ name }) => name === 'costUsd');
    expect(costUsd!.outcomes).toMatchObject({ wins: 1, losses: 0, ties: 0 });
  });

  it('gives of fewer than ten families no interval of the ratio of totals', () => {
    const { cost, families } = compared(OUTCOMES, (index) => both(`s${index % 9}`));
    expect(families).toBe(9);
    expect(cost!.ratioOfTotals!.interval).toBeNull();
    expect(compared(OUTCOMES).cost!.ratioOfTotals!.interval).not.toBeNull();
  });

  it('believes either side that knows, whatever the other one calls it', () => {
    const known = compared(OUTCOMES, (index) => both(pairOf(index)));
    const inB = compared(OUTCOMES, (index) => [undefined, pairOf(index)]);
    const renamed = compared(OUTCOMES, (index) => [pairOf(index), `elsewhere-${pairOf(index)}`]);
    expect(inB).toEqual(known);
    expect(renamed).toEqual(known);
  });

  it('takes the session that a family is called by for one of it, though its own row does not tell', () => {
    const known = compared(OUTCOMES, (index) => both(pairOf(index)));
    const told = compared(OUTCOMES, (index) => (index % 2 === 0 ? [] : both(pairOf(index))));
    expect(told).toEqual(known);
  });

  it('says the same in whatever order the rows come', () => {
    const names = OUTCOMES.map((_, index) => `s${index}`);
    assert(
      property(shuffledSubarray(names, { minLength: 2 }), (order) => {
        const rows = order.map((name) =>
          row(name, 1, Number(name.slice(1)) < 6 ? 's0' : undefined),
        );
        pre(rows.some(({ family }) => family !== undefined));
        const families = joinFamilies([{ rows }]);
        expect(families).toEqual(joinFamilies([{ rows: rows.toReversed() }]));
        const own = order.filter((name) => families.has(name));
        expect(new Set(own.map((name) => families.get(name))).size).toBe(1);
      }),
    );
  });
});

const ofCatalog = (hash: string) => ({
  origin: { catalog: { source: 'shipped', hash }, settings: {} },
});
const named =
  (name: string) =>
  (own: Partial<ComparableRow> = {}, of: Partial<Side> = {}) =>
    side(name, [rowOfSampleSides('x', own)], of);
const [a, b] = [named('a'), named('b')];
const several = side('a', [
  rowOfSampleSides('x'),
  rowOfSampleSides('x', { policy: 'document-000' }),
]);

it.each<[reason: string, Side, Side]>([
  ['differ in their model: lab/model against lab/other', a(), b({ model: 'lab/other' })],
  ['differ in their summarizer: extractive against lead', a(), b({ summarizer: 'lead' })],
  ['differ in their mode: open-loop against closed-loop', a(), b({}, { mode: 'closed-loop' })],
  ['differ in their catalog: abc against def', a({}, ofCatalog('abc')), b({}, ofCatalog('def'))],
  [
    'have no session of the same content that completed on both sides',
    a({ sessionHash: 'h' }),
    b({ sessionHash: 'i' }, ofCatalog('def')),
  ],
  ['have no session of the same name', a(), b({ session: 'y' })],
  ['have no session that completed on both sides', a(), b({ state: 'refused' })],
  ['have several policies or settings, and none in common', several, b({ policy: 'document-001' })],
])('are not compared where they %s', (reason, one, other) => {
  expect(compareSides(one, other, { seed: 1 })).toEqual({
    state: 'incomparable',
    reason: `a and b ${reason}`,
  });
});

const resultOf = (metrics: ArmResult['metrics'], sessionHash?: string): ArmResult => ({
  state: 'completed',
  metrics,
  sessionHash,
});

describe('the run as recorded', () => {
  const recordedRow = (session: string, costUsd: number): ComparableRow => ({
    ...row(session, costUsd),
    policy: 'recorded',
    summarizer: 'recorded',
  });
  it('stands against one policy where sessions have models of their own', () => {
    const other = { model: 'lab/other' };
    const recorded = [recordedRow('s', 3), { ...recordedRow('t', 4), ...other }];
    const rows = [row('s', 2), { ...row('t', 3), ...other }];
    const outcome = compareSides(side('a', recorded), side('b', rows), { seed: 1 });
    expect(outcome).toMatchObject({ state: 'compared', comparison: { pairs: 2, leftOut: [] } });
  });

  it('stands against a policy, whoever wrote the summaries of that', () => {
    const [a, b] = [side('a', [recordedRow('s', 3)]), side('b', [row('s', 2)])];
    const outcome = compareSides(a, b, { seed: 1 });
    expect(outcome).toMatchObject({ state: 'compared', comparison: { summarizer: 'extractive' } });
  });

  it('is left out where a side has a policy, and rules out no comparison', () => {
    const both = [recordedRow('s', 3), row('s', 2)];
    const outcome = compareSides(side('a', both), side('b', [row('s', 2)]), {
      seed: 1,
    });
    expect(outcome).toMatchObject({ comparison: { cost: { ratioOfTotals: { value: 1 } } } });
  });

  it('is no match for a run that cannot exist', () => {
    const none = { ...row('s', 9), policy: 'none', impossible: 'step 3 holds too much' };
    const outcome = compareSides(side('a', [none]), side('b', [recordedRow('s', 3)]), {
      seed: 1,
    });
    expect(outcome).toMatchObject({ state: 'incomparable' });
  });
});

describe('isSameSession', () => {
  it.each<[string, boolean, ArmResult, ArmResult]>([
    ['of one hash', true, resultOf({ turns: 1 }, 'h'), resultOf({ turns: 2 }, 'h')],
    ['of two hashes', false, resultOf({ turns: 1 }, 'h'), resultOf({ turns: 1 }, 'i')],
    ['of as many turns, one hash', true, resultOf({ turns: 1 }, 'h'), resultOf({ turns: 1 })],
    ['of more turns', false, resultOf({ turns: 1 }), resultOf({ turns: 2 })],
    ['of more steps', false, resultOf({ turns: 1, steps: 5 }), resultOf({ turns: 1, steps: 6 })],
    ['of steps added', true, resultOf({ steps: 5 }), resultOf({ steps: 7, rereadSteps: 2 })],
    ['of unknown steps', true, resultOf({ steps: null }), resultOf({ steps: 6 })],
    ['of which nothing is known', true, resultOf({}), resultOf({ turns: 2 })],
  ])('looks at results %s', (_, expected, a, b) => {
    expect(isSameSession(a, b)).toBe(expected);
    expect(isSameSession(b, a)).toBe(expected);
  });
});
