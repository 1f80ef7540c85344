import { describe, expect, it } from 'vitest';
import type { Arm, ArmRun } from '../../../src/simulator/report/arms.ts';
import { conclude } from '../../../src/simulator/report/verdict.ts';
import { textOf } from '../../../src/simulator/report/document.ts';
import { verdictLines } from '../../../src/simulator/report/verdict-lines.ts';

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

/** Costs of twelve sessions. */
const nearly = (cost: number) => Array.from({ length: 12 }, (_, step) => cost + step / 100);
const mixed = [2, 30, 9, 12, 4, 20, 3, 25, 8, 13, 5, 18];
const failing = (costs: readonly number[]): readonly Told[] => [
  ...costs.slice(1),
  { state: 'failed', costUsd: null },
];
const statesOf = (arms: readonly Arm[]) => conclude(arms).verdict.map(({ state }) => state);
const notesOf = (...asked: Parameters<typeof conclude>) =>
  verdictLines(conclude(...asked)).map(textOf);
const said = (arms: readonly Arm[]) => notesOf(arms);

describe('conclude', () => {
  it.each([
    ['cheaper in every session', nearly(8), 'better'],
    ['dearer in every session', nearly(12), 'worse'],
    ['within five percent in every session', nearly(10.1), 'no difference that matters'],
    ['cheaper here and dearer there', mixed, 'not enough data'],
    ['the same in every session', nearly(10), 'no effect'],
  ])('judges what is %s', (_, costs, state) => {
    expect(statesOf([arm('a', nearly(10)), arm('b', costs)])).toEqual([state]);
  });

  it('says that more is lost for good, and lets money alone decide', () => {
    const losing = nearly(10).map((costUsd, index) => ({
      costUsd,
      losses: 1,
      lostForGood: 1 + (index % 3),
    }));
    const keeping = nearly(10).map((costUsd) => ({ costUsd, lostForGood: 0 }));
    const { verdict } = conclude([arm('a', keeping), arm('b', losing)]);
    expect(verdict).toMatchObject([{ state: 'no difference that matters', losesMore: true }]);
  });

  it('holds arms against the first that compacts, and judges no recording unasked', () => {
    const arms = [arm('recorded', nearly(9)), arm('none', nearly(10)), arm('a', nearly(8))];
    expect(conclude(arms).verdict).toMatchObject([
      { change: 'none', baseline: 'a', state: 'worse' },
    ]);
    const { verdict } = conclude(arms, { baseline: 'recorded' });
    expect(verdict.map(({ change, state }) => [change, state])).toEqual([
      ['none', 'worse'],
      ['a', 'better'],
    ]);
  });

  it('never calls an arm dearer than a recording that lacks costs', () => {
    const lacking = nearly(10).map((costUsd) => ({ costUsd, isLeast: true }));
    const against = (costs: readonly number[]) =>
      conclude([arm('recorded', lacking), arm('b', costs)], { baseline: 'recorded' }).verdict;
    expect(against(nearly(12))).toMatchObject([{ state: 'not enough data' }]);
    expect(against(nearly(8))).toMatchObject([{ state: 'better' }]);
  });

  it('totals the sessions that an arm and the baseline completed, whatever others did', () => {
    const found = conclude([
      arm('a', nearly(10)),
      arm('b', failing(nearly(8))),
      arm('c', nearly(9)),
    ]);
    expect(found).toMatchObject({ sessions: 12, allSessions: 12 });
    expect(found.baseline?.costUsd).toBeCloseTo(120.66);
    expect(found.verdict).toMatchObject([
      { change: 'b', state: 'fails', failedSessions: 1, sessions: 11 },
      { change: 'c', state: 'better', sessions: 12 },
    ]);
    expect(found.verdict.map(({ costUsd }) => costUsd.from)).toEqual([
      expect.closeTo(110.55),
      expect.closeTo(120.66),
    ]);
  });

  it('takes an arm that completed everything for the baseline before one that did not', () => {
    const found = conclude([arm('a', failing(nearly(8))), arm('b', nearly(10))]);
    expect(found.baseline).toMatchObject({ name: 'b' });
  });

  it('takes the arm that completed most for the baseline where none completed everything', () => {
    const few = nearly(9).map((costUsd, index) =>
      index < 8 ? { state: 'failed' as const, costUsd: null } : { costUsd },
    );
    const { baseline, sessions } = conclude([arm('a', few), arm('b', failing(nearly(8)))]);
    expect([baseline?.name, sessions]).toEqual(['b', 11]);
  });

  it('holds nothing against a recording where all else failed, nor calls it idle', () => {
    const recorded = nearly(9).map((costUsd) => ({ costUsd, hasActed: false }));
    const refused = recorded.map(() => ({ state: 'refused' as const, costUsd: null }));
    const { baseline, idle, verdict } = conclude([arm('a', refused), arm('recorded', recorded)]);
    expect({ baseline, idle }).toEqual({ baseline: undefined, idle: undefined });
    expect(verdict).toMatchObject([{ change: 'a', state: 'fails', failedSessions: 12 }]);
  });

  it('takes what never compacts for the baseline where nothing else completed everything', () => {
    const arms = [arm('a', failing(nearly(5))), arm('none', nearly(10))];
    expect(conclude(arms).baseline?.name).toBe('none');
  });

  it('counts a family as one observation', () => {
    const related = nearly(8).map((costUsd) => ({ costUsd, family: 's0' }));
    const base = nearly(10).map((costUsd) => ({ costUsd, family: 's0' }));
    const found = conclude([arm('a', base), arm('b', related)]);
    expect(found).toMatchObject({ sessions: 12, families: 1 });
    expect(found.verdict).toMatchObject([{ state: 'not enough data' }]);
    expect(found.verdict[0]).not.toHaveProperty('sessionsNeeded');
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
    expect(needed).toBeGreaterThan(10);
    expect(statesOf(repeated(Math.ceil((2 * needed) / factors.length)))).toEqual(['better']);
  });

  it('judges tokens where no price is known', () => {
    const unpriced = (tokens: number) =>
      nearly(tokens).map((one) => ({ costUsd: null, tokens: Math.round(one) }));
    const arms = [arm('a', unpriced(1_000)), arm('b', unpriced(800))];
    expect(conclude(arms).verdict).toMatchObject([
      { state: 'better', costUsd: { from: null }, tokens: { from: 12_000 } },
    ]);
    expect(said(arms).slice(0, 2)).toEqual([
      'Use b.',
      'b processes 9,600 tokens where a processes 12,000 (−20 %, −20 % … −20 %); it loses nothing, against 0; costs are unknown.',
    ]);
  });

  it('has nothing to compare where nothing was cleared or replaced', () => {
    const idle = { compactions: 0, hasActed: false, largestTokens: 48_000 };
    const arms = [arm('recorded', [idle]), arm('none', [idle]), arm('a', [idle])];
    const nothing = 'Nothing compacts when replayed, so there is nothing to compare: ';
    expect(said(arms)).toEqual([`${nothing}the largest request holds 48,000.`]);
    const near = [
      { ...idle, edgeTokens: 167_000 },
      { ...idle, largestTokens: 9_000, edgeTokens: 60_000 },
    ];
    expect(said([arm('none', [idle, idle]), arm('a', near)])).toEqual([
      `${nothing}the edge is at 60,000 tokens, the largest request 9,000.`,
    ]);
    const dearer = [arm('recorded', [{ ...idle, costUsd: 11 }]), arm('a', [idle])];
    expect(notesOf(dearer, { baseline: 'recorded' }).join('')).not.toContain('%');
    const acting = [arm('none', [idle]), arm('a', [{ ...idle, hasActed: true, compactions: 1 }])];
    expect(conclude(acting)).not.toHaveProperty('idle');
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
    const few = [arm('a', nearly(10).slice(4)), arm('b', nearly(8).slice(4))];
    expect(conclude(few).verdict[0]?.costUsd).toMatchObject({ low: null, high: null });
  });
});

describe('verdictLines', () => {
  it('advises what is shown to be better', () => {
    const keeping = nearly(10).map((costUsd) => ({ costUsd, lostForGood: 0 }));
    const losing = (cost: number) =>
      nearly(cost).map((costUsd) => ({ costUsd, losses: 1, lostForGood: 1 }));
    expect(said([arm('a', nearly(10)), arm('b', nearly(8))])).toEqual([
      'Use b.',
      'b costs $96.66 where a costs $120.66 (−20 %, −20 % … −20 %); it loses nothing, against 0.',
      '12 sessions show it.',
    ]);
    expect(said([arm('a', keeping), arm('b', losing(8))]).slice(0, 2)).toEqual([
      'b is cheaper but loses more for good: weigh the two.',
      'b costs $96.66 where a costs $120.66 (−20 %, −20 % … −20 %), re-reads included; it loses 12 things, against 0 (for good 12, against 0).',
    ]);
    expect(said([arm('a', keeping), arm('b', losing(10))])[0]).toBe(
      'b costs the same and loses more for good.',
    );
  });

  it('says how many sessions would do, or that nobody can say, and advises nothing', () => {
    const one = said([arm('a', [14.8]), arm('b', [{ costUsd: 16.08, losses: 30 }])]);
    expect(one).toEqual([
      'b costs $16.08 where a costs $14.80 (+9 %), re-reads included; it loses 30 things, against 0.',
      'One session is not enough data: too few to say how many would be.',
    ]);
    const four = said([arm('a', [10, 10, 10, 10, 10]), arm('b', [8, 8.1, 10, 7.9, 8.2])]);
    expect(four.at(-1)).toMatch(
      /^5 sessions, of which 4 differ, are not enough data: about \d+ would do\.$/,
    );
    const wild = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 0.1 : 19.8));
    expect(said([arm('a', Array(10).fill(10)), arm('b', wild)]).at(-1)).toBe(
      '10 sessions are not enough data: more than 1,000 sessions like these would do.',
    );
  });

  it('stays with the baseline only where all others are shown to be worse or fail', () => {
    const [base, worse] = [arm('a', nearly(10)), arm('b', nearly(12))];
    const open = arm('c', mixed);
    expect(said([base, worse])[0]).toBe('Stay with a.');
    expect(said([base, worse, arm('d', failing(nearly(2)))])[0]).toBe('Stay with a.');
    expect(said([base, worse, open]).join(' ')).not.toContain('Stay');
    expect(said([base, worse, open])).toContain('b: worse.');
  });

  it('never advises what fails, nor to stay with it', () => {
    const cheap = arm('b', failing(nearly(2)));
    expect(said([arm('a', nearly(10)), cheap])).toEqual([
      'a costs $120.66 over 12 sessions; it loses nothing.',
      'b fails in 1 of 12 sessions.',
    ]);
    const held = [arm('a', failing(nearly(10))), arm('b', nearly(12))];
    expect(notesOf(held, { baseline: 'a' })).toEqual([
      expect.stringMatching(/^b costs \$132\.55 where a costs/),
      '11 sessions show it.',
      'Totals are over 11 of 12 sessions, which a completed.',
    ]);
  });

  it('gives per cents of the amounts as they are shown', () => {
    const [first] = said([arm('a', [5.1684]), arm('b', [11.914])]);
    expect(first).toBe('b costs $11.91 where a costs $5.17 (+130 %); it loses nothing, against 0.');
  });

  it('says where an arm broke off first, unless it got as far as the other', () => {
    const whole = arm('a', [{ steps: 120 }, { steps: 90 }, 10]);
    const state = 'refused' as const;
    const broken = (failedAtStep: number) => ({ state, costUsd: null, failedAtStep });
    const [, second] = said([whole, arm('b', [broken(80), broken(57), 10])]);
    expect(second).toBe('b breaks off in 2 of 3 sessions, first at step 57.');
    expect(said([whole, arm('b', [10, broken(91), 10])])[1]).toBe('b fails in 1 of 3 sessions.');
  });

  it('says where the baseline itself broke off first', () => {
    const broken = { state: 'refused' as const, costUsd: null, failedAtStep: 9 };
    const arms = [arm('a', [broken, 10]), arm('b', [broken, 12])];
    expect(said(arms).at(-1)).toBe(
      'Totals are over 1 of 2 sessions, which a completed; it breaks off in others, first at step 9.',
    );
  });

  it('begins with what saves without losing more for good, and says what each would need', () => {
    const lost = (costs: readonly number[], least: number) =>
      costs.map((costUsd, index) => ({ costUsd, losses: 9, lostForGood: least + (index % 3) }));
    const [losing, keeping] = [mixed.map((cost) => cost * 0.7), mixed.map((cost) => cost * 0.75)];
    const arms = [
      arm('a', lost(nearly(12), 0)),
      arm('b', lost(losing, 3)),
      arm('c', lost(keeping, 0)),
    ];
    const lines = said(arms);
    expect(lines[0]).toContain('c costs');
    expect(lines.at(-1)).toMatch(/^b: not enough data, about \d+ would do\.$/);
  });

  it('begins with the arm that was asked about, also where it fails', () => {
    const conclusion = conclude([
      arm('a', nearly(10)),
      arm('b', nearly(2)),
      arm('adapter', failing(nearly(13))),
    ]);
    expect(verdictLines(conclusion, 'adapter').map(textOf).slice(0, 2)).toEqual([
      'The adapter fails in 1 of 12 sessions; over the others:',
      expect.stringMatching(/^The adapter costs \$143\.\d+ where a costs \$110\.\d+ \(\+30 %/),
    ]);
  });

  it('compares nothing with one arm, nor without any', () => {
    expect(said([arm('a', [10, 10])])).toEqual([
      'a costs $20.00 over 2 sessions; it loses nothing.',
      'Nothing is compared with it.',
    ]);
    expect(said([arm('a', [{ state: 'failed' }])])).toEqual([
      'No session was completed, so nothing can be compared.',
      'a fails in 1 of 1 session.',
    ]);
    expect(said([])).toEqual([]);
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
