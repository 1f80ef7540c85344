import { describe, expect, it } from 'vitest';
import type { ComparableRow } from '../../../../src/simulator/sweep/compare/arm.ts';
import { compareSides } from '../../../../src/simulator/sweep/compare/compare-sides.ts';
import type { Side } from '../../../../src/simulator/sweep/compare/pair-sides.ts';
import { row, side } from './sample-sides.ts';

const SESSIONS = 12;

/** As many sessions, each with the metrics that a function says. */
const rowsOf = (metricsOf: (index: number) => ComparableRow['metrics']) =>
  Array.from({ length: SESSIONS }, (_, index) =>
    row(`s${index}`, { metrics: { ...row('').metrics, ...metricsOf(index) } }),
  );

/** Two sessions with models of these costs. */
const rowsAt = (policy: string, costs: readonly number[]) =>
  ['x', 'y'].flatMap((session) =>
    costs.map((costUsd, index) =>
      row(session, { policy, model: `lab/${index}`, metrics: { costUsd } }),
    ),
  );
const savedBeside = (share: number) =>
  rowsOf((index) => {
    const costUsd = share * (index === 0 ? 90 : 1);
    return { costUsd, costSavedUsd: 100 - costUsd, inputTokens: 100 + share * (index % 3) };
  });
/** The last session has this rate, the others hardly any. */
const rates = (last: number | null) =>
  rowsOf((index) => {
    const odd = last === null ? 0 : index % 2;
    const costUsd = last === null ? 1 : 2 + index / 10;
    const missesPerEviction = index === SESSIONS - 1 ? last : 0.1 + odd / 100;
    return { costUsd, inputTokens: 100 + odd, missesPerEviction };
  });
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
  it('tells half the cost as half the cost', () => {
    const a = side(
      'a',
      rowsOf((index) => ({ costUsd: 1 + index })),
    );
    const b = side(
      'b',
      rowsOf((index) => ({ costUsd: (1 + index) / 2 })),
    );
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
    const a = side(
      'a',
      rowsOf(() => ({})),
    );
    const b = side(
      'b',
      rowsOf((index) => ({ costUsd: 2, compactions: 1 + (index % 2), finalContextTokens: index })),
    );
    const comparison = compared(a, b);
    expect(metric(comparison, 'costUsd')!.pValue).toBeLessThan(0.01);
    expect(metric(comparison, 'compactions')!.pValue).toBeTypeOf('number');
    expect(metric(comparison, 'finalContextTokens')).not.toHaveProperty('pValue');
  });

  it('counts wins, losses and ties where a direction is better, fewer compactions among them', () => {
    const a = side(
      'a',
      rowsOf(() => ({ compactions: 1, evictions: 1, cacheReadTokens: 1 })),
    );
    const b = side(
      'b',
      rowsOf((index) => ({
        compactions: Math.max(0, index - 3),
        evictions: index,
        cacheReadTokens: index,
      })),
    );
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
    const a = side(
      'a',
      rowsOf((index) => ({ costUsd: index === 0 ? null : 1 })),
    );
    const b = side(
      'b',
      rowsOf(() => ({ costUsd: 2 })),
    );
    expect(metric(compared(a, b), 'costUsd')).toMatchObject({ pairs: SESSIONS - 1, meanB: 2 });
    const none = side(
      'a',
      rowsOf(() => ({ costUsd: null })),
    );
    expect(compared(none, b).cost).toBeNull();
    expect(metric(compared(none, b), 'costUsd')).toBeUndefined();
    expect(compared(none, b).mostDifferent).toEqual([]);
  });

  it('says what sets a session apart beside its cost', () => {
    const a = side(
      'a',
      rowsOf(() => ({})),
    );
    const b = side(
      'b',
      rowsOf((index) => ({
        costUsd: 2 + index / 10,
        inputTokens: 101 + (index % 2),
        finalContextTokens: index === SESSIONS - 1 ? 50 : 5,
      })),
    );
    expect(compared(a, b).mostDifferent[0]).toMatchObject({
      session: 's11',
      because: { metric: 'finalContextTokens', a: 5, b: 50 },
    });
  });

  it('gives no reason that is the cost under another name', () => {
    const { mostDifferent } = compared(side('a', savedBeside(1)), side('b', savedBeside(2)));
    expect(mostDifferent[0]).toMatchObject({ session: 's0', measure: { metric: 'costUsd' } });
    expect(mostDifferent[0]).not.toHaveProperty('because');
    expect(mostDifferent[1]!.because).toMatchObject({ metric: 'inputTokens' });
  });

  it('gives no reason that is unknown on one side', () => {
    const [first] = compared(side('a', rates(null)), side('b', rates(0.5))).mostDifferent;
    expect(first).toMatchObject({ session: 's11', because: { metric: 'inputTokens' } });
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

  it('says of either side what did not complete, and how many runs failed of both', () => {
    const [, ...rest] = rowsOf(() => ({}));
    const refused = row('s0', { state: 'refused' });
    const failed = row('s0', { state: 'failed', reason: 'no price' });
    const comparison = compared(
      side('a', [refused, failed, ...rest]),
      side(
        'b',
        rowsOf(() => ({})),
      ),
    );
    expect(comparison.leftOut).toEqual([{ session: 's0', reason: 'refused in A' }]);
    expect(comparison.failedRuns).toBe(1);
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

  it('compares what was made by nobody knows which catalog with what was made by any', () => {
    const known = { origin: { catalog: { source: 'shipped', hash: 'abc' }, settings: {} } };
    const rows = rowsOf(() => ({}));
    expect(compared(side('a', rows), side('b', rows, known)).pairs).toBe(SESSIONS);
    expect(compared(side('a', rows, known), side('b', rows)).pairs).toBe(SESSIONS);
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
      arm: 'lab/1, extractive',
      measure: { a: 100, b: 50 },
    });
    const broken = b.rows.map((one) =>
      one.session === 'x' && one.model === 'lab/1' ? { ...one, state: 'refused' as const } : one,
    );
    expect(compared(a, { ...b, rows: broken }).leftOut).toEqual([
      { session: 'x', reason: 'refused in B, under lab/1, extractive' },
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
    const a = side(
      'a',
      rowsOf((index) => ({ costUsd: index < 4 ? 10 : 1 })),
    );
    const b = side(
      'b',
      rowsOf((index) => ({ costUsd: index < 4 ? 15 : 0.9 })),
    );
    const comparison = compared(a, b);
    const cost = metric(comparison, 'costUsd')!;
    expect(cost.difference.interval!.low).toBeGreaterThan(0);
    expect([cost.verdict, comparison.cost!.verdict]).toEqual(['within noise', 'within noise']);
    expect(cost.pValue).toBeGreaterThan(0.05);
  });
});
