import { describe, expect, it } from 'vitest';
import type { Arm, ArmRun } from '../../../src/simulator/report/arms.ts';
import { conclude } from '../../../src/simulator/report/verdict.ts';
import { verdictNotes } from '../../../src/simulator/report/verdict-lines.ts';

type Told = Partial<ArmRun> | number;

/** One run a session, by its cost or by more of it. */
function arm(name: string, told: readonly Told[]): Arm {
  const runs = told.map((one, index) => ({
    key: `s${index}`,
    session: `s${index}`,
    state: 'completed' as const,
    costUsd: 10,
    losses: 0,
    compactions: null,
    isLeast: false,
    ...(typeof one === 'number' ? { costUsd: one } : one),
  }));
  return { name, runs };
}

const nearly = (cost: number) => [0, 1, 2, 3, 4, 5].map((step) => cost + step / 100);
const statesOf = (arms: readonly Arm[]) => conclude(arms).verdict.map(({ state }) => state);
const said = (arms: readonly Arm[]) => verdictNotes(conclude(arms));

describe('conclude', () => {
  it.each([
    ['cheaper in every session', nearly(8), 'better'],
    ['dearer in every session', nearly(12), 'worse'],
    ['within five percent in every session', nearly(10.1), 'no difference that matters'],
    ['cheaper here and dearer there', [2, 30, 9, 12, 4, 20], 'not enough data'],
  ])('judges what is %s', (_, costs, state) => {
    expect(statesOf([arm('a', nearly(10)), arm('b', costs)])).toEqual([state]);
  });

  it('judges losses where costs are equal', () => {
    const losing = [1, 2, 3, 2, 1, 2].map((losses) => ({ losses }));
    const free = losing.map(() => ({ losses: 0 }));
    expect(statesOf([arm('a', free), arm('b', losing)])).toEqual(['worse']);
    expect(statesOf([arm('a', losing), arm('b', free)])).toEqual(['better']);
  });

  it('takes what was recorded for the baseline, wherever it stands', () => {
    const { verdict } = conclude([arm('a', nearly(8)), arm('recorded', nearly(10))]);
    expect(verdict).toMatchObject([{ change: 'a', baseline: 'recorded', state: 'better' }]);
  });

  it('never calls an arm dearer than a recording that lacks costs', () => {
    const lacking = nearly(10).map((costUsd) => ({ costUsd, isLeast: true }));
    expect(statesOf([arm('recorded', lacking), arm('b', nearly(12))])).toEqual(['not enough data']);
    expect(statesOf([arm('recorded', lacking), arm('b', nearly(8))])).toEqual(['better']);
  });

  it('totals the sessions that all arms completed', () => {
    const failing = [{ costUsd: 8 }, { costUsd: 8 }, { state: 'failed' as const, costUsd: null }];
    const found = conclude([arm('a', [10, 10, 10]), arm('b', failing), arm('c', [9, 9, 9])]);
    expect(found).toMatchObject({ sessions: 2, allSessions: 3, baseline: { costUsd: 20 } });
    expect(found.verdict.map(({ costUsd }) => costUsd.to)).toEqual([16, 18]);
  });

  it('neither compares nor advises what is impossible anywhere', () => {
    const none = arm('none', [1, { state: 'impossible', costUsd: 1 }, 1]);
    const found = conclude([none, arm('a', [10, 10, 10]), arm('b', [8, 8.1, 8.2])]);
    expect(found.leftOut).toEqual([{ arm: 'none', why: 'impossible', sessions: 1 }]);
    expect(found.verdict).toMatchObject([{ change: 'b', baseline: 'a' }]);
  });

  it('counts a family as one observation', () => {
    const related = nearly(8).map((costUsd) => ({ costUsd, family: 's0' }));
    const base = nearly(10).map((costUsd) => ({ costUsd, family: 's0' }));
    const found = conclude([arm('a', base), arm('b', related)]);
    expect(found).toMatchObject({ sessions: 6, families: 1 });
    expect(found.verdict).toMatchObject([{ state: 'not enough data', sessionsNeeded: 10 }]);
  });

  it('asks for as many sessions as decide it, if they stray as much', () => {
    const factors = [0.7, 1.3, 0.8, 1.1, 0.9, 0.6];
    const repeated = (times: number) => {
      const costs = Array.from({ length: times }, () => factors).flat();
      return [
        arm(
          'a',
          costs.map(() => 10),
        ),
        arm(
          'b',
          costs.map((factor) => 10 * factor),
        ),
      ];
    };
    const [found] = conclude(repeated(1)).verdict;
    const needed = found?.sessionsNeeded ?? 0;
    expect(found?.state).toBe('not enough data');
    expect(statesOf(repeated(Math.floor(needed / factors.length) - 1))).toEqual([
      'not enough data',
    ]);
    expect(statesOf(repeated(Math.ceil(needed / factors.length) + 1))).toEqual(['better']);
  });

  it('gives the interval of a total from ten sessions on', () => {
    const ten = [...nearly(10), ...nearly(10)];
    const [found] = conclude([
      arm('a', ten),
      arm(
        'b',
        ten.map((cost) => cost * 0.8),
      ),
    ]).verdict;
    const { from, to, low, high } = found!.costUsd;
    expect(to! / from!).toBeCloseTo(0.8);
    expect(low).toBeCloseTo(to!);
    expect(high).toBeCloseTo(to!);
    const [few] = conclude([arm('a', nearly(10)), arm('b', nearly(8))]).verdict;
    expect(few?.costUsd).toMatchObject({ low: null, high: null });
  });
});

describe('verdictNotes', () => {
  it('advises what is shown to be better', () => {
    const losing = nearly(8).map((costUsd) => ({ costUsd, losses: 1 }));
    expect(said([arm('recorded', nearly(10)), arm('b', nearly(8))])).toEqual([
      'Use b.',
      'b costs $48.15 where the run as recorded cost $60.15 (-20 %); it loses nothing, against 0.',
      '6 sessions show it.',
    ]);
    expect(said([arm('a', nearly(10)), arm('b', losing)])[0]).toBe(
      'b is cheaper but loses more: weigh the two.',
    );
  });

  it('says how many sessions would do, and advises nothing', () => {
    const base = { costUsd: 14.8, losses: null, isLeast: true };
    expect(said([arm('recorded', [base]), arm('b', [{ costUsd: 16.08, losses: 30 }])])).toEqual([
      'b costs $16.08 where the run as recorded cost at least $14.80 (+9 %); it loses 30 things.',
      'One session is not enough data: about 10 would do.',
    ]);
  });

  it('stays with the baseline only where all others are shown to be worse', () => {
    const [base, worse] = [arm('a', nearly(10)), arm('b', nearly(12))];
    const open = arm('c', [2, 30, 9, 12, 4, 20]);
    expect(said([base, worse])[0]).toBe('Stay with a.');
    expect(said([base, worse, open]).join(' ')).not.toContain('Stay');
    expect(said([base, worse, open])).toContain('b: worse.');
  });

  it('says what is left out', () => {
    const none = arm('none', [1, { state: 'impossible' }]);
    const failed = arm('x', [{ state: 'failed' }, { state: 'failed' }]);
    const lines = said([none, failed, arm('a', [10, 10]), arm('b', [8, { state: 'failed' }])]);
    expect(lines.at(-1)).toBe(
      'Left out: never compacting is impossible in 1 session, and 1 more; totals are over 1 of 2 sessions, which have a result under every arm.',
    );
  });

  it('compares nothing with one arm, nor without any', () => {
    expect(said([arm('a', [10, 10])])).toEqual([
      'a costs $20.00 over 2 sessions; it loses nothing.',
      'Nothing is compared with it.',
    ]);
    const failed = [{ state: 'failed' as const }];
    expect(said([arm('a', failed)])).toEqual([
      'No session was completed under every arm, so nothing can be compared.',
      'Left out: a completed no session.',
    ]);
    expect(said([])).toEqual([]);
  });

  it('compares losses where no price is known', () => {
    const unpriced = (losses: readonly number[]) =>
      losses.map((each) => ({ costUsd: null, losses: each }));
    const lines = said([
      arm('a', unpriced([2, 3, 4, 3, 2, 4])),
      arm('b', unpriced([0, 1, 1, 0, 0, 1])),
    ]);
    expect(lines.slice(0, 2)).toEqual([
      'Use b.',
      'b loses 3 things where a loses 18 things; costs are unknown.',
    ]);
  });

  it('takes at most five sentences of at most 25 words', () => {
    const twenty = [...nearly(10), ...nearly(10), ...nearly(10)];
    const runs = twenty.map((costUsd) => ({ costUsd: costUsd * 0.8, losses: 1000, isLeast: true }));
    const lines = said([
      arm('none', [{ state: 'impossible' }]),
      arm(
        'recorded',
        runs.map((run) => ({ ...run, costUsd: run.costUsd * 2 })),
      ),
      arm('b', runs),
      arm('c', runs),
    ]);
    expect(lines.length).toBeLessThanOrEqual(5);
    for (const line of lines) expect(line.split(' ').length).toBeLessThanOrEqual(25);
  });
});
