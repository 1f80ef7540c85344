import { describe, expect, it } from 'vitest';
import {
  compareMetrics,
  compareSides,
  findMostDifferent,
} from '../../../../src/simulator/sweep/compare/compare-sides.ts';
import type {
  ComparableRow,
  SessionPair,
  Side,
} from '../../../../src/simulator/sweep/compare/pair-sides.ts';
import { row, side } from './sample-sides.ts';

const SESSIONS = 12;

/** As many sessions, each with the metrics that a function says. */
const rowsOf = (metricsOf: (index: number) => ComparableRow['metrics']) =>
  Array.from({ length: SESSIONS }, (_, index) =>
    row(`s${index}`, { metrics: { ...row('').metrics, ...metricsOf(index) } }),
  );

const sideOf = (name: string, metricsOf: Parameters<typeof rowsOf>[0]) =>
  side(name, rowsOf(metricsOf));

/** Two sessions with models of these costs. */
const rowsAt = (policy: string, costs: readonly number[]) =>
  ['x', 'y'].flatMap((session) =>
    costs.map((costUsd, index) =>
      row(session, { policy, model: `lab/${index}`, metrics: { costUsd } }),
    ),
  );
const trial = (costUsd: number) => row('s0', { metrics: { costUsd } });
const arm = (policy: string, reserved: number) => ({ policy, settings: { reserved } });

function compared(a: Side, b: Side) {
  const outcome = compareSides(a, b, { seed: 1 });
  if (outcome.state !== 'compared') throw new Error(outcome.reason);
  return outcome.comparison;
}

const metric = (comparison: ReturnType<typeof compared>, name: string) =>
  comparison.metrics.find((one) => one.name === name);

describe('compareSides', () => {
  it('judges and shows cost with what is read again', () => {
    const lossy = rowsOf(() => ({ costUsd: 1, misses: 2, regretUsd: 0.5, costSavedUsd: 0.2 }));
    const whole = rowsOf(() => ({ costUsd: 1.25, misses: 0, regretUsd: 0, costSavedUsd: 0 }));
    const comparison = compared(side('a', whole), side('b', lossy));
    expect(metric(comparison, 'costUsd')).toMatchObject({
      label: 'Cost, re-reads included',
      meanA: 1.25,
      meanB: 1.5,
    });
    expect(metric(comparison, 'costSavedUsd')?.meanB).toBeCloseTo(-0.3);
    expect(comparison.verdict?.[0]?.costUsd.to).toBeCloseTo(18);
  });

  it('leaves re-reads out of both costs where the price of one is unknown', () => {
    const unknown = rowsOf(() => ({ costUsd: 1, misses: 2, regretUsd: null }));
    const known = rowsOf(() => ({ costUsd: 1.25, misses: 1, regretUsd: 0.5 }));
    const comparison = compared(side('a', known), side('b', unknown));
    expect(metric(comparison, 'costUsd')).toMatchObject({ label: 'Cost', meanA: 1.25, meanB: 1 });
    expect(comparison.conclusion?.withoutRereads).toBe(SESSIONS);
    expect(comparison.verdict?.[0]?.costUsd.from).toBeCloseTo(15);
  });

  it('tells half the cost as half the cost', () => {
    const a = sideOf('a', (index) => ({ costUsd: 1 + index }));
    const b = sideOf('b', (index) => ({ costUsd: (1 + index) / 2 }));
    const comparison = compared(a, b);
    expect(comparison).toMatchObject({ a: 'a', b: 'b', pairs: SESSIONS, sessions: SESSIONS });
    expect(comparison.cost!.geometricRatio.value).toBeCloseTo(0.5, 4);
    expect(comparison.cost!.ratioOfTotals!.value).toBeCloseTo(0.5, 9);
    expect(comparison.cost!.verdict).toBe('lower');
    expect(metric(comparison, 'costUsd')).toMatchObject({
      meanA: 6.5,
      meanB: 3.25,
      difference: { value: -3.25 },
      verdict: 'lower',
      outcomes: { wins: SESSIONS, losses: 0, ties: 0, probabilityOfSuperiority: 1 },
    });
    expect(comparison.mostDifferent).toHaveLength(10);
    expect(comparison.mostDifferent[0]).toMatchObject({
      session: 's11',
      measure: { metric: 'costUsd', a: 12, b: 6 },
    });
  });

  it('adjusts the p-values of what was declared before, and gives none to the rest', () => {
    const a = sideOf('a', () => ({}));
    const b = sideOf('b', (index) => ({
      costUsd: 2,
      compactions: 1 + (index % 2),
      finalContextTokens: index,
    }));
    const comparison = compared(a, b);
    expect(metric(comparison, 'costUsd')!.pValue).toBeLessThan(0.01);
    expect(metric(comparison, 'compactions')!.pValue).toBeTypeOf('number');
    expect(metric(comparison, 'finalContextTokens')).not.toHaveProperty('pValue');
  });

  it('counts wins, losses and ties where a direction is better, fewer compactions among them', () => {
    const a = sideOf('a', () => ({ compactions: 1, evictions: 1, cacheReadTokens: 1 }));
    const b = sideOf('b', (index) => ({
      compactions: Math.max(0, index - 3),
      evictions: index,
      cacheReadTokens: index,
    }));
    const comparison = compared(a, b);
    expect(metric(comparison, 'compactions')!.outcomes).toMatchObject({
      wins: 4,
      losses: SESSIONS - 5,
      ties: 1,
    });
    // More of what is cheap is dear as well: who sends more, reads more of it from the cache.
    for (const name of ['evictions', 'cacheReadTokens'] as const) {
      expect(metric(comparison, name)).toBeDefined();
      expect(metric(comparison, name)).not.toHaveProperty('outcomes');
    }
  });

  it('takes what is unknown for unknown: a pair without it does not count, and none means no cost', () => {
    const a = sideOf('a', (index) => ({ costUsd: index === 0 ? null : 1 }));
    const b = sideOf('b', () => ({ costUsd: 2 }));
    expect(metric(compared(a, b), 'costUsd')).toMatchObject({ pairs: SESSIONS - 1, meanB: 2 });
    const none = sideOf('a', () => ({ costUsd: null }));
    expect(compared(none, b).cost).toBeNull();
    expect(metric(compared(none, b), 'costUsd')).toBeUndefined();
    expect(compared(none, b).mostDifferent).toEqual([]);
  });

  it('says what sets a session apart beside its cost', () => {
    const a = sideOf('a', () => ({}));
    const b = sideOf('b', (index) => ({
      costUsd: 2 + index / 10,
      inputTokens: 101 + (index % 2),
      finalContextTokens: index === SESSIONS - 1 ? 50 : 5,
    }));
    expect(compared(a, b).mostDifferent[0]).toMatchObject({
      session: 's11',
      because: { metric: 'finalContextTokens', a: 5, b: 50 },
    });
  });

  it('leaves out what did not complete, is another session, or is on one side only', () => {
    const rows = rowsOf(() => ({}));
    const broken = rows.map((one) =>
      one.session === 's3' ? row('s3', { state: 'refused', reason: 'too large' }) : one,
    );
    const grown = [
      row('grown', { metrics: { turns: 3 } }),
      row('grown', { metrics: { turns: 4 } }),
    ];
    const comparison = compared(
      side('a', [...rows, grown[0]!, row('alone')]),
      side('b', [...broken, grown[1]!]),
    );
    expect(comparison.leftOut).toEqual([
      { session: 's3', reason: 'refused (too large) in B' },
      { session: 'grown', reason: 'another content in A and B' },
      { session: 'alone', reason: 'only in A' },
    ]);
    expect(comparison.pairs).toBe(SESSIONS - 1);
  });

  it.each([
    [{ state: 'loop' }, { state: 'loop' }, 'loop in A and B'],
    [{ state: 'loop' }, { state: 'refused', reason: 'twice' }, 'loop in A, refused (twice) in B'],
    [{ state: 'completed' }, { state: 'refused' }, 'refused in B'],
  ] as const)('says how a session ended early on each side: %j, %j', (ofA, ofB, reason) => {
    const { leftOut } = compared(
      side('a', [row('s0', ofA), row('s1')]),
      side('b', [row('s0', ofB), row('s1')]),
    );
    expect(leftOut).toEqual([{ session: 's0', reason }]);
  });

  it('leaves a session out of which one trial did not complete', () => {
    const trials = [row('s0'), row('s0', { state: 'loop', reason: 'no step' }), row('s1')];
    const { leftOut, sessions } = compared(side('a', trials), side('b', [row('s0'), row('s1')]));
    expect(leftOut).toEqual([{ session: 's0', reason: 'loop (no step) in A' }]);
    expect(sessions).toBe(1);
  });

  it('takes trials of a session as one observation', () => {
    const comparison = compared(side('a', [trial(1), trial(3)]), side('b', [trial(4), trial(4)]));
    expect(metric(comparison, 'costUsd')).toMatchObject({ pairs: 1, meanA: 2, meanB: 4 });
    expect(comparison.cost!.verdict).toBe('too few');
  });

  it('pairs cells of the same settings, leaves the control out, and counts sessions, not pairs', () => {
    const rows = ['x', 'y'].flatMap((session) => [
      row(session, { policy: 'none' }),
      row(session, arm('opencode-1.2.16', 1)),
      row(session, arm('opencode-1.2.16', 2)),
    ]);
    const comparison = compared(side('a', rows), side('b', rows));
    expect(comparison).toMatchObject({ pairs: 4, sessions: 2, mostDifferent: [] });
    expect(comparison.cost!.verdict).toBe('equivalent');
  });

  it('keeps models and summarizers apart, also where one policy stands against another', () => {
    const a = side('a', rowsAt('document-001', [1, 100]));
    const b = side('b', rowsAt('document-002', [2, 50]));
    const comparison = compared(a, b);
    expect(comparison).toMatchObject({ pairs: 4, sessions: 2 });
    expect(comparison.cost!.geometricRatio.value).toBeCloseTo(1, 4);
    expect(comparison.mostDifferent[0]).toMatchObject({
      session: 'x',
      arm: 'lab/1',
      measure: { a: 100, b: 50 },
    });
    const broken = b.rows.map((one) =>
      one.session === 'x' && one.model === 'lab/1' ? { ...one, state: 'refused' as const } : one,
    );
    expect(compared(a, { ...b, rows: broken }).leftOut).toEqual([
      { session: 'x', reason: 'refused in B, under lab/1' },
    ]);
  });

  it('says which cells one side alone has', () => {
    const rows = [row('x', arm('opencode-1.2.16', 1)), row('x', arm('opencode-1.2.16', 2))];
    const both = side('a', [...rows, row('x', arm('opencode-1.2.16', 3))]);
    expect(compared(both, side('b', rows))).toMatchObject({
      pairs: 2,
      leftOut: [{ session: 'x', reason: 'only in A, under opencode-1.2.16 {"reserved":3}' }],
    });
    expect(compared(side('a', rows), both).leftOut).toEqual([
      { session: 'x', reason: 'only in B, under opencode-1.2.16 {"reserved":3}' },
    ]);
  });

  it('judges cost by its ratio, so that a few dear sessions do not decide', () => {
    const a = sideOf('a', (index) => ({ costUsd: index < 4 ? 10 : 1 }));
    const b = sideOf('b', (index) => ({ costUsd: index < 4 ? 15 : 0.9 }));
    const comparison = compared(a, b);
    const cost = metric(comparison, 'costUsd')!;
    expect(cost.difference.interval!.low).toBeGreaterThan(0);
    expect([cost.verdict, comparison.cost!.verdict]).toEqual(['within noise', 'within noise']);
    expect(cost.pValue).toBeGreaterThan(0.05);
  });
});

const DEAREST = 11;

type Values = Readonly<Record<string, number | null>>;

/** Sessions of which the first costs most more under B, with what else A and B have in each. */
function pairsOf(others: readonly (readonly [a: Values, b: Values])[]): readonly SessionPair[] {
  return others.map(([a, b], index) => ({
    session: `s${index}`,
    family: `s${index}`,
    a: { costUsd: 1, ...a },
    b: { costUsd: index === 0 ? 9 : 1.5 + index / 10, ...b },
  }));
}

describe('findMostDifferent', () => {
  it('gives no reason that differs less in that session than elsewhere', () => {
    const pairs = Array.from({ length: DEAREST + 1 }, (_, index) => ({
      session: `s${index}`,
      family: `s${index}`,
      a: { costUsd: 1, inputTokens: 100, finalContextTokens: 5 },
      b: {
        costUsd: 2 + index / 10,
        inputTokens: 101 + (index % 2),
        finalContextTokens: index === DEAREST ? 6 : 50,
      },
    }));
    expect(findMostDifferent(pairs, compareMetrics(pairs, 1))[0]).toMatchObject({
      session: `s${DEAREST}`,
      because: { metric: 'inputTokens' },
    });
  });

  it('gives a reason that is as far above in one session as below in another', () => {
    const pairs = [1, -1].map((more, index) => ({
      session: `s${index}`,
      family: `s${index}`,
      a: { costUsd: 10, compactions: 3 },
      b: { costUsd: 12 + index, compactions: 3 + more },
    }));
    expect(findMostDifferent(pairs, compareMetrics(pairs, 1))).toMatchObject([
      { session: 's1', because: { metric: 'compactions', a: 3, b: 2 } },
      { session: 's0', because: { metric: 'compactions', a: 3, b: 4 } },
    ]);
  });

  it.each<[rule: string, metric: string, values: string, isOne: boolean]>([
    ['what differs there and nowhere else is one', 'compactions', '1 5, 1 1, 2 2', true],
    ['what differs by as much everywhere is none', 'compactions', '1 5, 2 6, 3 7', false],
    ['what differs by less, but the other way round, is one', 'compactions', '3 2, 3 6, 3 6', true],
    ['the same dollars under another name are none', 'costSavedUsd', '9 1, 9 8, 9 7', false],
    ['other dollars are one', 'costSummariesUsd', '0 3, 0 0, 1 1', true],
    [
      'what is as many as the dollars, and no dollars, is one',
      'compactions',
      '0 8, 0 0, 0 0',
      true,
    ],
    ['what is unknown on one side is none', 'compactions', '? 8, 0 0, 0 1', false],
    [
      'what differs by rounding alone is none',
      'hitRate',
      `${0.1 + 0.2} 0.3, 0.5 0.5, 0.5 0.5`,
      false,
    ],
  ])('gives a reason: %s', (_, name, values, isOne) => {
    const others = values.split(', ').map((pair) => {
      const [a, b] = pair.split(' ').map((one) => ({ [name]: one === '?' ? null : Number(one) }));
      return [a ?? {}, b ?? {}] as const;
    });
    const pairs = pairsOf(others);
    const [first] = findMostDifferent(pairs, compareMetrics(pairs, 1));
    expect(first?.session).toBe('s0');
    expect(first?.because?.metric).toBe(isOne ? name : undefined);
  });

  it('goes by what was sent where a price is unknown, and leaves out what is alike', () => {
    const pairs = [1, 0, 5].map((more, index) => ({
      session: `s${index}`,
      family: `s${index}`,
      a: { costUsd: index === 0 ? null : 1, inputTokens: 7 },
      b: { costUsd: 2, inputTokens: 7 + more },
    }));
    expect(
      findMostDifferent(pairs, compareMetrics(pairs, 1)).map(({ session, measure }) => [
        session,
        measure.metric,
      ]),
    ).toEqual([
      ['s2', 'inputTokens'],
      ['s0', 'inputTokens'],
    ]);
  });

  it('names the arm of a session only where there are several', () => {
    const [pair] = pairsOf([[{}, {}]]);
    if (pair === undefined) throw new Error('Expected a pair.');
    const [alone, ofArm] = [pair, { ...pair, arm: 'other' }].map(
      (one) => findMostDifferent([one], [])[0],
    );
    expect(alone).not.toHaveProperty('arm');
    expect(ofArm).toHaveProperty('arm', 'other');
  });
});

/** Sessions at these costs, of which never compacting costs 100 more. */
const sideAt = (name: string, costOf: (index: number) => number) =>
  side(
    name,
    Array.from({ length: SESSIONS }, (_, index) => {
      const costUsd = costOf(index);
      const metrics = { costUsd, costSavedUsd: 100 - costUsd, compactions: 1 };
      return row(`s${index}`, { policy: name, metrics });
    }),
  );

const dear = (share: number) => (index: number) => (index === 0 ? 90 : share);
/** Certain by itself, but not among what else was named before. */
const swaying = (index: number) => (index % 2 === 0 ? 1.02 : 0.88);

function verdictsOf(before: (index: number) => number, after: (index: number) => number) {
  const comparison = compared(sideAt('a', before), sideAt('b', after));
  return ['costUsd', 'costSavedUsd'].map((name) => metric(comparison, name)?.verdict);
}

it('says of dollars saved the opposite of what it says of the cost, of which they are a part', () => {
  expect(verdictsOf(dear(1), dear(0.5))).toEqual(['lower', 'higher']);
  expect(verdictsOf(dear(0.5), dear(1))).toEqual(['higher', 'lower']);
  expect(verdictsOf(() => 1, swaying)).toEqual(['within noise', 'within noise']);
});

/** Two sessions at a cost in each trial, with its mirror and a quotient that goes with it. */
const trialsOf = (name: string, costs: readonly number[]) =>
  side(
    name,
    ['s0', 's1'].flatMap((session) =>
      costs.map((costUsd) =>
        row(session, {
          metrics: { costUsd, costSavedUsd: 1000 - costUsd, missesPerEviction: costUsd / 3 },
        }),
      ),
    ),
  );

describe('trials of a session', () => {
  it.each<[rule: string, a: readonly number[], b: readonly number[]]>([
    ['equal ones', [0.1], [0.1, 0.1, 0.1]],
    ['ones in another order', [0.1, 0.7, 0.3], [0.3, 0.1, 0.7]],
    ['one that has the mean of others', [0.7], [0.6, 0.7, 0.8]],
  ])('differ in nothing for %s', (_rule, a, b) => {
    const { metrics, mostDifferent } = compared(trialsOf('a', a), trialsOf('b', b));
    expect(mostDifferent).toEqual([]);
    expect(metrics).toHaveLength(3);
    for (const { meanA, meanB, difference, outcomes, verdict } of metrics) {
      expect([meanB, difference.value, verdict]).toEqual([meanA, 0, 'equivalent']);
      expect(outcomes).toMatchObject({ wins: 0, losses: 0, ties: 2 });
    }
  });
});

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
