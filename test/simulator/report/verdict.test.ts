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

  it('calls losses expected where a share of any was applied', () => {
    const losing = (losses: number, areExpected = false) =>
      nearly(10).map((costUsd) => ({ costUsd, losses, areExpected }));
    const arms = [arm('a', losing(1)), arm('b', losing(0.3, true))];
    expect(said(arms).join(' ')).toContain('it loses about 3.6 things (expected), against 12');
    expect(said(arms.toReversed()).join(' ')).toContain(
      'it loses about 12 things (expected), against 3.6',
    );
    expect(said([arm('a', losing(1)), arm('b', losing(2))]).join(' ')).toContain(
      'it loses 24 things, against',
    );
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
});

const lost = (costs: readonly number[], least: number) =>
  costs.map((costUsd, index) => ({ costUsd, losses: 9, lostForGood: least + (index % 3) }));
const losing = (cost: number) =>
  nearly(cost).map((costUsd) => ({ costUsd, losses: 1, lostForGood: 1 }));
const keeping = arm(
  'a',
  nearly(10).map((costUsd) => ({ costUsd, lostForGood: 0 })),
);
const broken = (failedAtStep: number) => ({
  state: 'refused' as const,
  costUsd: null,
  failedAtStep,
});
const [base, worse, wholeArm] = [
  arm('a', nearly(10)),
  arm('b', nearly(12)),
  arm('a', [{ steps: 120 }, { steps: 90 }, 10]),
];
const wild = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 0.1 : 19.8));

/** Arms with what is told of them, the baseline where one is named, and the arm that was asked about. */
const TOLD: readonly (readonly [
  string,
  readonly Arm[],
  baseline?: string | undefined,
  asked?: string,
])[] = [
  ['better', [base, arm('b', nearly(8))]],
  ['better and loses more for good', [keeping, arm('b', losing(8))]],
  ['the same and loses more for good', [keeping, arm('b', losing(10))]],
  ['one session', [arm('a', [14.8]), arm('b', [{ costUsd: 16.08, losses: 30 }])]],
  ['too few', [arm('a', [10, 10, 10, 10, 10]), arm('b', [8, 8.1, 10, 7.9, 8.2])]],
  ['far too few', [arm('a', Array(10).fill(10)), arm('b', wild)]],
  ['worse', [base, worse]],
  ['worse, and one that fails', [base, worse, arm('d', failing(nearly(2)))]],
  ['worse, and an open one', [base, worse, arm('c', mixed)]],
  ['cheap, but fails', [base, arm('b', failing(nearly(2)))]],
  ['dearer than one that fails', [arm('a', failing(nearly(10))), worse], 'a'],
  ['per cents of what is shown', [arm('a', [5.1684]), arm('b', [11.914])]],
  ['breaks off', [wholeArm, arm('b', [broken(80), broken(57), 10])]],
  ['fails where the other had ended', [wholeArm, arm('b', [10, broken(91), 10])]],
  ['both break off', [arm('a', [broken(9), 10]), arm('b', [broken(9), 12])]],
  [
    'first what saves without losing more for good',
    [
      arm('a', lost(nearly(12), 0)),
      arm(
        'b',
        lost(
          mixed.map((cost) => cost * 0.7),
          3,
        ),
      ),
      arm(
        'c',
        lost(
          mixed.map((cost) => cost * 0.75),
          0,
        ),
      ),
    ],
  ],
  [
    'first what was asked about',
    [base, arm('b', nearly(2)), arm('adapter', failing(nearly(13)))],
    undefined,
    'adapter',
  ],
  ['one arm', [arm('a', [10, 10])]],
  ['one that fails', [arm('a', [{ state: 'failed' }])]],
  ['nothing', []],
];

describe('verdictLines', () => {
  it('tells what to do, what it saves and loses, and how sure that is', async () => {
    const told = TOLD.map(([title, arms, baseline, asked]) => {
      const lines = verdictLines(conclude(arms, { baseline }), asked).map(textOf);
      return [`${title}:`, ...lines, ''].join('\n');
    });
    await expect(told.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/verdicts.txt');
  });

  it('says of what does nothing in how many it differs, and to leave it', () => {
    expect(said([arm('a', nearly(10)), arm('b', nearly(10))])[0]).toBe(
      'b does nothing in these sessions (0 of 12 differ): leave it.',
    );
    const many = Array.from({ length: 200 }, () => 10);
    const [first] = said([arm('a', many), arm('b', [9, ...many.slice(1)])]);
    expect(first).toBe('b does nothing on sessions like these (1 of 200 differs): leave it.');
    const [, ...others] = said([arm('a', nearly(10)), arm('b', nearly(8)), arm('c', nearly(10))]);
    expect(others).toContain('c does nothing in these sessions (0 of 12 differ): leave it.');
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
