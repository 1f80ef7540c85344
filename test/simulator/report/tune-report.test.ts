import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/simulator/report/document.ts';
import {
  describeGrid,
  describeInfeasible,
  describeKneeLine,
  describeTodayStatus,
  describeUnlisted,
  frontColumns,
  frontRows,
  triedTexts,
} from '../../../src/simulator/report/tune-advice.ts';
import { tuneFormats } from '../../../src/simulator/report/tune.ts';
import { findObjective } from '../../../src/simulator/sweep/tune/constraint.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';
import { PIPE } from '../../support/terminals.ts';

const NO_NAMES = { tuning: [], heldOut: [] };

const member = {
  settings: { reserved: 10 },
  values: [1],
  misses: { mean: 2, bestKnown: 1 },
  isToday: false,
  isKnee: true,
};

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
      'Today (reserved=20) is dominated by reserved=10: Cost −10.0 %, Tokens saved +50.0 %; distance to the front 0.250.',
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
  it('says of how many families the sessions are, and what that means', () => {
    const families = { tuning: 9, heldOut: 2 };
    const rest = { askedShare: 0.2, leftOut: [], names: NO_NAMES };
    const sessions = { tuning: 12, heldOut: 2, families, ...rest };
    const said = describeGrid(sampleTuneReport({ sessions }));
    expect(said).toContain('12 sessions in 9 families tuned on, 2 sessions held out, 0 left out');
    expect(said).toContain('Sessions of a family share their beginning and count once');
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
    const view = { ...PIPE, details: true };
    expect(render({ ...report, front: [member] }, view)).toMatch(/Front/);
    expect(render({ ...report, front: [] }, view)).not.toMatch(/Front/);
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

describe('triedTexts', () => {
  it('tells in one line what was tried without effect, and apart what was not combined', () => {
    const one = { matters: true, isVaried: true, leastCost: -0.229 };
    const idle = { matters: false, isVaried: false, leastCost: 0 };
    const tried = [
      { ...one, setting: 'triggerFraction' },
      { ...one, setting: 'outputCap', isVaried: false },
      { ...idle, setting: 'reserved' },
      { ...idle, setting: 'minimum' },
    ];
    expect(triedTexts(sampleTuneReport({ tried })).map(textOf)).toEqual([
      'Varied: triggerFraction (cost alone at best −22.9 %).',
      'Tried alone, not in the grid: outputCap (cost alone at best −22.9 %).',
      'reserved and minimum were tried and change nothing that matters here.',
    ]);
    expect(triedTexts(sampleTuneReport({ tried: tried.slice(3) })).map(textOf)).toEqual([
      'minimum was tried and changes nothing that matters here.',
    ]);
  });
});

describe('describeKneeLine', () => {
  it('tells where the knee lies, or that there is none', () => {
    expect(describeKneeLine(sampleTuneReport({ front: [member] }))).toBe('Knee: reserved=10.');
    const front = [{ ...member, isKnee: false }];
    expect(describeKneeLine(sampleTuneReport({ front }))).toBe(
      'No knee: no member lies below the ends of the front.',
    );
    expect(describeKneeLine(sampleTuneReport())).toBe('');
  });
});

describe('the table of the front', () => {
  it.each<[objectives: readonly string[], titles: readonly string[], row: readonly string[]]>([
    [
      ['cost'],
      ['Front', 'Cost, mean', 'Losses, mean', ''],
      ['reserved=10', '$1.00', '2 (best known 1)', 'knee'],
    ],
    [
      ['cost', 'misses'],
      ['Front', 'Cost, mean', 'Losses, mean', ''],
      ['reserved=10', '$1.00', '2 (best known 1)', 'knee'],
    ],
    [
      ['misses', 'cost'],
      ['Front', 'Losses, mean', 'Cost, mean', ''],
      ['reserved=10', '2 (best known 1)', '$1.00', 'knee'],
    ],
  ])('tells losses once, also where the objectives are %j', (names, titles, row) => {
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
