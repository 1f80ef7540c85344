import { describe, expect, it } from 'vitest';
import {
  describeGrid,
  describeInfeasible,
  describeKneeLine,
  describeSensitivity,
  describeTodayStatus,
  describeUnlisted,
  describeVolume,
  type ElasticityLack,
  frontColumns,
  frontRows,
} from '../../../src/simulator/report/tune-report.ts';
import { tuneFormats } from '../../../src/simulator/report/tune.ts';
import { findObjective } from '../../../src/simulator/sweep/tune/constraint.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';
import { PIPE } from '../../support/terminals.ts';

const NO_NAMES = { tuning: [], heldOut: [] };

const member = {
  settings: { reserved: 10 },
  values: [1],
  misses: { mean: 2, bestKnown: 1 },
  probability: null,
  isToday: false,
  isKnee: true,
};

describe('describeVolume', () => {
  it('names what each objective is measured against that counts', () => {
    const share = { value: 0.75, interval: { low: 0.5, high: 1 } };
    const [cost, saved] = [
      { amount: 2, of: 'none' as const },
      { amount: 1_000, of: 'worst cell' as const },
    ];
    const shown = (...reference: readonly (typeof cost | typeof saved | null)[]) =>
      describeVolume({ ...sampleTuneReport(), volume: { share, today: 0, reference } });
    const words =
      "Hypervolume of the front 75 % (50 % … 100 %), today's settings alone 0 %, against ";
    expect(shown(cost, saved)).toBe(
      `${words}Cost $2.00 of never compacting, Tokens saved 1,000 of the worst cell.`,
    );
    expect(shown(null, saved)).toBe(`${words}Tokens saved 1,000 of the worst cell.`);
  });
});

describe('describeTodayStatus', () => {
  it('tells what a better cell has less, or more where more is better', () => {
    const { today, ...report } = sampleTuneReport();
    const dominated = {
      ...today,
      state: 'dominated' as const,
      dominatedBy: { reserved: 10 },
      distance: 0.25,
    };
    expect(describeTodayStatus({ ...report, today: { ...dominated, savings: [0.1, 0.5] } })).toBe(
      'Today (reserved=20) is dominated by reserved=10: Cost -10.0 %, Tokens saved +50.0 %; distance to the front 0.250.',
    );
    expect(
      describeTodayStatus({ ...report, today: { ...dominated, savings: [0, null] } }),
    ).toContain('Cost 0.0 %, Tokens saved –; distance');
    const amounts = { values: [7, 0], dominatingValues: [7, 1_234] };
    expect(
      describeTodayStatus({
        ...report,
        today: { ...dominated, ...amounts, savings: [0, null] },
      }),
    ).toContain('Cost 0.0 %, Tokens saved +1,234; distance');
  });
});

describe('describeGrid', () => {
  it.each<[name: string, tuning: number, resamples: number, isSaid: boolean]>([
    ['nine sessions', 9, 1_000, true],
    ['ten sessions', 10, 1_000, false],
    ['one session, which is not drawn again', 1, 0, false],
  ])('says what resamples of few sessions are worth: %s', (_, tuning, resamples, isSaid) => {
    const sessions = {
      tuning,
      heldOut: 0,
      askedShare: 0.3,
      families: { tuning, heldOut: 0 },
      leftOut: [],
      names: NO_NAMES,
    };
    expect(describeGrid(sampleTuneReport({ sessions, resamples })).includes('much alike')).toBe(
      isSaid,
    );
  });

  it('says of how many families the sessions are, and what that means', () => {
    const families = { tuning: 9, heldOut: 2 };
    const rest = { askedShare: 0.2, leftOut: [], names: NO_NAMES };
    const sessions = { tuning: 12, heldOut: 2, families, ...rest };
    const said = describeGrid(sampleTuneReport({ sessions, resamples: 1_000 }));
    expect(said).toContain('12 sessions in 9 families tuned on, 2 sessions held out, 0 left out');
    expect(said).toContain('Sessions of a family share their beginning and count once');
    expect(said).toContain('much alike');
    expect(describeGrid(sampleTuneReport())).not.toContain('famil');
  });

  it('says where another share is held out than was asked for', () => {
    const { sessions } = sampleTuneReport();
    const saidOf = (askedShare: number) =>
      describeGrid(sampleTuneReport({ sessions: { ...sessions, askedShare } }));
    expect(saidOf(0.01)).toContain(
      '1 % were to be held out; either part has at least 2, so it is 33 %.',
    );
    expect(saidOf(0.3)).not.toContain('to be held out');
  });
});

/** Some cells of which each breaks a constraint, as they are named. */
const infeasibleLines = (count: number) => {
  const reason = 'loop in 1 of 6 sessions';
  const infeasible = Array.from({ length: count }, (_, reserved) => ({
    settings: { reserved },
    reason,
  }));
  const cells = { all: 9, distinct: 9, feasible: [], infeasible };
  return describeInfeasible(sampleTuneReport({ cells }));
};

describe('describeInfeasible', () => {
  it('names the first cells that break a constraint, and counts the others', () => {
    expect(infeasibleLines(0)).toEqual([]);
    expect(infeasibleLines(5)).toHaveLength(5);
    expect(infeasibleLines(7).slice(4)).toEqual([
      'reserved=4: loop in 1 of 6 sessions',
      'and 2 other cells',
    ]);
  });
});

describe('a front without members', () => {
  it.each([
    ['the terminal', tuneFormats.table],
    ['Markdown', tuneFormats.markdown],
  ])('has no table in %s', (_, render) => {
    const report = sampleTuneReport();
    expect(render({ ...report, front: [member] }, PIPE)).toMatch(/Front/);
    expect(render({ ...report, front: [] }, PIPE)).not.toMatch(/Front/);
  });
});

describe('describeUnlisted', () => {
  it('tells how many members of the front are not shown', () => {
    const unlisted = { members: 3, within: 0.01 };
    expect(describeUnlisted(sampleTuneReport({ unlisted }))).toBe(
      'And 3 more members of the front, at most 1 % better in any objective than one shown.',
    );
    expect(describeUnlisted(sampleTuneReport())).toBe('');
  });
});

describe('describeSensitivity', () => {
  it.each<[lack: ElasticityLack | undefined, words: string]>([
    ['few cells', ': fewer than two cells meet the constraints'],
    ['no number', ': no value of it is a number above 0'],
    ['few above zero', ': fewer than two cells in which it and Cost are above 0'],
    ['one value', ': only one value of it is above 0 where Cost is'],
    ['never alone', ': no two cells differ in it alone in which it and Cost are above 0'],
    [undefined, ''],
  ])('says why there is no elasticity: %s', (lack, words) => {
    const one = { setting: 'protect', isDead: false, elasticity: null, ...(lack && { lack }) };
    expect(describeSensitivity(sampleTuneReport({ sensitivity: [one] }))).toEqual([
      `protect: no elasticity${words}`,
    ]);
  });
});

describe('describeKneeLine', () => {
  it('shows shares as such, and tokens as whole ones', () => {
    const intervals = {
      triggerFraction: { low: 0.3, high: 0.85 },
      reserved: { low: 10_000, high: 15_000.5 },
    };
    const knee = { settings: { triggerFraction: 0.5 }, probability: 0.75, intervals };
    expect(describeKneeLine(sampleTuneReport({ knee }))).toBe(
      'Knee: triggerFraction=0.5, in 75 % of resamples. 95 % of resamples: triggerFraction 0.3 … 0.85, reserved 10000 … 15001.',
    );
  });

  it('tells where there is none, and how often', () => {
    const knee = { settings: { reserved: 10 }, probability: 0.75, intervals: {} };
    expect(describeKneeLine(sampleTuneReport({ knee, withoutKnee: 0.125 }))).toBe(
      'Knee: reserved=10, in 75 % of resamples, no knee in 13 %.',
    );
    const front = [{ ...member, isKnee: false }];
    expect(describeKneeLine(sampleTuneReport({ front, withoutKnee: 0.98 }))).toBe(
      'No knee: no member lies below the ends of the front; no knee in 98 % of resamples.',
    );
    expect(describeKneeLine(sampleTuneReport({ withoutKnee: 0 }))).toBe('');
  });
});

describe('the table of the front', () => {
  it.each<[objectives: readonly string[], titles: readonly string[], row: readonly string[]]>([
    [
      ['cost'],
      ['Front', 'Cost, mean', 'Misses, mean', 'On front', ''],
      ['reserved=10', '$1.00', '2 (best known 1)', '–', 'knee'],
    ],
    [
      ['cost', 'misses'],
      ['Front', 'Cost, mean', 'Misses, mean', 'On front', ''],
      ['reserved=10', '$1.00', '2 (best known 1)', '–', 'knee'],
    ],
    [
      ['misses', 'cost'],
      ['Front', 'Misses, mean', 'Cost, mean', 'On front', ''],
      ['reserved=10', '2 (best known 1)', '$1.00', '–', 'knee'],
    ],
  ])('tells misses once, also where the objectives are %j', (names, titles, row) => {
    const values = names.map((name) => (name === 'cost' ? 1 : 2));
    const report = sampleTuneReport({
      objectives: names.map(findObjective),
      front: [{ ...member, values }],
    });
    const columns = frontColumns(report);
    expect(columns.map(({ title }) => title)).toEqual(titles);
    expect(frontRows(report)).toEqual([row]);
    const ranks = columns.slice(1, -1).map(({ rank = 0 }) => rank);
    expect(ranks.toSorted((one, other) => one - other)).toEqual(ranks.map((_, index) => index));
  });
});

describe('one session', () => {
  it('has no resamples that anything could be in', () => {
    const knee = { settings: { reserved: 10 }, probability: null, intervals: {} };
    const report = sampleTuneReport({ front: [member], knee, resamples: 0 });
    expect(describeKneeLine(report)).toBe('Knee: reserved=10.');
    expect(frontRows(report)[0]).toEqual(['reserved=10', '$1.00', '2 (best known 1)', '–', 'knee']);
  });
});
