import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/simulator/report/document.ts';
import type { TuneReport, TuneVerdict } from '../../../src/simulator/report/tune-report.ts';
import { adviceLines, tuneFormats } from '../../../src/simulator/report/tune.ts';
import { findObjective } from '../../../src/simulator/sweep/tune/tune-table.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';
import { PIPE, terminalOf } from '../../support/terminals.ts';

const sample = sampleTuneReport();
const { advice, cells, sessions, today } = sample;

/** A tenth saved at the cost of some losses by an earlier trigger. */
const found: TuneVerdict = {
  ...sample.verdict,
  state: 'better',
  change: { triggerFraction: 0.7 },
  costUsd: { from: 100, to: 90, low: 85, high: 97 },
  losses: { from: 4, to: 9 },
  lostForGood: { from: 0, to: 0 },
};

const settings = { reserved: 10 };
const member = {
  settings,
  values: [1, 2],
  misses: { mean: 2, bestKnown: 1 },
  isToday: false,
  isKnee: true,
};
const alone = { matters: true, isVaried: true, leastCost: -0.229 };
const idle = { matters: false, isVaried: false, leastCost: 0 };
const outcome = {
  objective: findObjective('cost'),
  sessions: 3,
  families: 2,
  today: 1,
  tuned: 0.5,
  kind: 'ratio',
  estimate: { value: 0.5, interval: null },
  pValue: null,
  verdict: 'lower',
} as const;
const broken = (reserved: number) => ({
  settings: { reserved },
  reason: 'loop in 1 of 6 sessions',
});
const dominated = { ...today, state: 'dominated', dominatedBy: settings, distance: 0.25 } as const;
const change = { protect: 1_000, minimum: 2_000, guardTurns: 3 };

/** Reports that differ in what they have to tell. */
const REPORTS: Readonly<Record<string, Partial<TuneReport>>> = {
  'a sample': { verdict: { ...sample.verdict, state: 'better', change } },
  'a knee, of which all is told': {
    verdict: found,
    objectives: [findObjective('cost'), findObjective('misses')],
    front: [member],
    unlisted: { members: 3, within: 0.01 },
    today: { ...dominated, savings: [0.1, 0.5] },
    tried: [
      { ...alone, setting: 'triggerFraction' },
      { ...alone, setting: 'outputCap', isVaried: false },
      { ...idle, setting: 'reserved' },
      { ...idle, setting: 'minimum' },
    ],
    cells: { all: 9, distinct: 9, feasible: [], infeasible: [0, 1, 2, 3, 4, 5, 6].map(broken) },
    sessions: {
      ...sessions,
      tuning: 12,
      heldOut: 4,
      askedShare: 0.01,
      families: { tuning: 9, heldOut: 3 },
      leftOut: [{ session: 'a', reason: 'too large' }],
    },
    advice: {
      ...advice,
      compared: [{ settings, isKnee: true, state: 'keep', outcomes: [outcome], broken: [] }],
      needless: ['reserved'],
    },
    unread: [{ file: 'b.json', reason: 'nothing' }],
  },
  'a front without a knee, on sessions tuned on': {
    objectives: [findObjective('misses'), findObjective('tokensSaved')],
    front: [{ ...member, isKnee: false, isToday: true }],
    today: { ...dominated, values: [7, 0], dominatingValues: [7, 1_234], savings: [0, null] },
    tried: [{ ...idle, setting: 'minimum' }],
    sessions: { ...sessions, heldOut: 0, families: { tuning: 6, heldOut: 0 } },
    savings: ['Savings are against the recording.'],
    advice: {
      ...advice,
      isHeldOut: false,
      brokenByToday: ['loop in 1 of 6 sessions'],
      compared: [
        { settings, isKnee: false, state: 'keep', outcomes: [], broken: ['a refusal in 1 of 6'] },
      ],
    },
  },
  'nothing feasible': {
    advice: { ...advice, state: 'nothing feasible' },
    today: { ...today, state: 'infeasible' },
  },
};

describe.each(Object.entries(REPORTS))('tuning with %s', (name, parts) => {
  it('reads as it did', async () => {
    const report = sampleTuneReport(parts);
    const shown = [
      tuneFormats.table(report, { ...terminalOf(60), details: false }),
      tuneFormats.table(report, { ...PIPE, details: true }),
      tuneFormats.markdown(report),
    ];
    await expect(shown.join('\n---\n\n')).toMatchFileSnapshot(
      `../../fixtures/snapshots/tune.${name.replaceAll(/\W+/g, '-')}.txt`,
    );
  });
});

it('gives programs the facts of the verdict, its sentences and what to write', () => {
  const document = JSON.parse(tuneFormats.json(sampleTuneReport(REPORTS['a sample'])));
  expect(document.verdict).toMatchObject({ state: 'better', change });
  expect(document.verdict.sentences[0]).toMatch(/^Better/);
  expect(document.config.set).toEqual(['protect=1000', 'minimum=2000', 'guardTurns=3']);
});

const reportOf = (verdict: Partial<TuneVerdict>, overrides: Partial<TuneReport> = {}) =>
  sampleTuneReport({
    objectives: [findObjective('cost'), findObjective('misses')],
    today: { settings: { triggerFraction: 0.84 }, state: 'dominated', values: [], distance: 1 },
    ...overrides,
    verdict: { ...found, ...verdict },
  });

const sentencesOf = (...given: Parameters<typeof reportOf>) =>
  adviceLines(reportOf(...given)).map(textOf);

describe('the advice of tuning in words', () => {
  const change = 'compact at 70 % of the window (now 84 %)';

  it('says what to do, what it saves, what it loses, how sure it is and what to write', () => {
    expect(sentencesOf({})).toEqual([
      `Better: ${change}.`,
      'cost: $100.00 → $90.00 (−10 %), re-reads included; 9 sessions differ',
      'losses: 4 → 9, to be read again; none for good',
      'sure?: yes: −15 % … −3 % (95 %), judged among 2 changes',
      expect.stringMatching(/^do: opencode\.json: \{ "provider"/),
    ]);
    const few = { state: 'not enough data', sessionsNeeded: 39 } as const;
    expect(sentencesOf(few)[0]).toBe(`Worth trying: ${change}.`);
    expect(sentencesOf({ state: 'worse' })[0]).toMatch(/^Keep today's settings: /);
  });

  it('names all settings of a change, and those for which the agent reads no key', () => {
    const lines = sentencesOf({ change: { triggerFraction: 0.7, protect: 1_000 } });
    expect(lines[0]).toBe(`Better: ${change} and protect=1000.`);
    expect(lines.at(-1)).toBe(
      'do: OpenCode reads no key for it; in this program: --set protect=1000',
    );
    expect(sentencesOf({}, { policy: 'kimi-cli' }).at(-1)).toMatch(/^do: kimi-cli reads no key/);
  });

  it('tells of other objectives what they come to, and where one stands against another', () => {
    const objectives = [findObjective('compactions'), findObjective('cost')];
    const today = {
      settings: { triggerFraction: 0.84 },
      state: 'on the front' as const,
      values: [4, 2],
      distance: 0,
    };
    const point = { values: [1, 3], isToday: false, isKnee: false };
    const feasible = [{ ...point, settings: { triggerFraction: 0.7 } }];
    const lines = sentencesOf(
      { state: 'not enough data' },
      { objectives, today, cells: { ...cells, feasible } },
    );
    expect(lines[0]).toMatch(/^Worth trying: /);
    expect(lines).toContain('goal: Compactions, mean of the sessions tuned on: 4 → 1');
    const trade = { objectives, advice: { ...advice, state: 'trade-off' as const } };
    expect(sentencesOf({}, trade)[0]).toMatch(/^A choice, better on one side only: /);
  });

  it('has nothing to write where nothing is worth trying', () => {
    expect(tuneFormats.html(reportOf({}))).toContain('write:');
    expect(tuneFormats.html(reportOf({ state: 'worse' }))).not.toContain('write:');
    expect(sentencesOf({ change: {} })).toEqual([
      "Keep today's settings: nothing that was tried changes anything here.",
    ]);
    const infeasible = { advice: { ...advice, state: 'nothing feasible' as const } };
    expect(sentencesOf({}, infeasible)).toEqual([
      "Neither today's settings nor any that were tried meet the constraints.",
    ]);
  });
});
