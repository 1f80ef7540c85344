import { describe, expect, it } from 'vitest';
import { changedSettings, describeBasis } from '../../../src/simulator/report/tune-advice.ts';
import type { Candidate, ObjectiveOutcome } from '../../../src/simulator/report/tune-report.ts';
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

describe('changedSettings', () => {
  it('leaves out what is so today', () => {
    const settings = { reserved: 20, protect: 5, minimum: 0 };
    expect(changedSettings(settings, { reserved: 20, protect: 4 })).toEqual({
      protect: 5,
      minimum: 0,
    });
  });
});
