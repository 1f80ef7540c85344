import { describe, expect, it } from 'vitest';
import {
  adviceLines,
  describeBasis,
  snippetsOf,
} from '../../../src/simulator/report/tune-advice.ts';
import type {
  Candidate,
  ObjectiveOutcome,
  TuneReport,
  TuneVerdict,
} from '../../../src/simulator/report/tune-report.ts';
import { textOf } from '../../../src/simulator/report/document.ts';
import { findObjective } from '../../../src/simulator/sweep/tune/constraint.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';

const knee: Candidate = {
  settings: { reserved: 10 },
  isKnee: true,
  state: 'keep',
  outcomes: [],
  broken: [],
};

const outcome = (name: string, verdict: ObjectiveOutcome['verdict']): ObjectiveOutcome => ({
  objective: findObjective(name),
  sessions: 3,
  families: 3,
  today: 1,
  tuned: verdict === 'lower' ? 0 : 2,
  kind: 'difference',
  estimate: { value: 1, interval: null },
  pValue: null,
  verdict,
});

describe('describeBasis', () => {
  const compared = { ...knee, outcomes: [outcome('cost', 'lower')] };
  const report = sampleTuneReport();

  it.each<[string, number, boolean, string]>([
    ['all that were held out', 3, true, 'against today, on the sessions held out'],
    ['some that went well', 4, true, 'against today, on 3 of 4 sessions held out'],
    ['what was tuned on', 0, false, 'against today, on 3 of 6 sessions tuned on, so this flatters'],
  ])('names %s', (_, heldOut, isHeldOut, expected) => {
    const sessions = { ...report.sessions, heldOut };
    const advice = { ...report.advice, isHeldOut };
    expect(describeBasis(compared, { ...report, sessions, advice })).toBe(expected);
  });

  it('says of how few families the sessions are', () => {
    const outcomes = [{ ...outcome('cost', 'lower'), families: 2 }];
    const sessions = { ...report.sessions, heldOut: 4 };
    const advice = { ...report.advice, isHeldOut: true };
    expect(describeBasis({ ...compared, outcomes }, { ...report, sessions, advice })).toBe(
      'against today, on 3 of 4 sessions in 2 families held out',
    );
  });
});

const { advice, cells, verdict: sample } = sampleTuneReport();

/** A tenth saved at the cost of some losses by an earlier trigger. */
const found: TuneVerdict = {
  ...sample,
  state: 'better',
  change: { triggerFraction: 0.7 },
  costUsd: { from: 100, to: 90, low: 85, high: 97 },
  losses: { from: 4, to: 9 },
  lostForGood: { from: 0, to: 0 },
};

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
    expect(snippetsOf(reportOf({})).texts).toHaveLength(1);
    expect(snippetsOf(reportOf({ state: 'worse' }))).toEqual({ lead: [], texts: [] });
    expect(sentencesOf({ change: {} })).toEqual([
      "Keep today's settings: nothing that was tried changes anything here.",
    ]);
    const infeasible = { advice: { ...advice, state: 'nothing feasible' as const } };
    expect(sentencesOf({}, infeasible)).toEqual([
      "Neither today's settings nor any that were tried meet the constraints.",
    ]);
  });

  it('keeps what it says short', () => {
    const all = [sentencesOf({}), sentencesOf({ state: 'not enough data' })].flat();
    for (const sentence of all.filter((one) => !one.startsWith('do: '))) {
      expect(sentence.split(' ').length).toBeLessThanOrEqual(25);
    }
  });
});
