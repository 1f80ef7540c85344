import { describe, expect, it } from 'vitest';
import { scheduleFaults } from '../../../src/simulator/replay/fault-schedule.ts';
import type { Fault } from '../../../src/simulator/scenario/scenario.ts';
import { onStep, onSummary } from './faults.ts';

describe('scheduleFaults', () => {
  const fail = { type: 'fail' } as const;
  const abort = { type: 'abort', afterTokens: 1 } as const;

  it('gives a step as many failures as there are, then none', () => {
    const schedule = scheduleFaults(onStep(2, fail, 2));
    expect([2, 1, 2, 2, 2].map((step) => schedule.nextTry(step))).toEqual([
      fail,
      undefined,
      fail,
      undefined,
      undefined,
    ]);
  });

  it('counts summary requests from 1, each of them once', () => {
    const faults: readonly Fault[] = [
      ...onSummary(fail, 2, 2),
      ...onSummary(abort, 1, 3),
      { on: 'message', call: 3, text: 'one' },
      { on: 'message', call: 3, text: 'two' },
    ];
    const schedule = scheduleFaults(faults);
    expect(Array.from({ length: 4 }, () => schedule.nextSummary())).toEqual([
      { failure: undefined, prompts: [] },
      { failure: fail, prompts: [] },
      { failure: fail, prompts: ['one', 'two'] },
      { failure: undefined, prompts: [] },
    ]);
  });

  it('knows what else is due at a step', () => {
    const schedule = scheduleFaults([
      { on: 'usage', step: 2, factor: 0.4 },
      { on: 'compact', step: 3 },
      { on: 'model', step: 4, model: 'lab/other' },
    ]);
    const steps = [1, 2, 3, 4];
    const usage = { input: 9, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    expect(steps.map((step) => schedule.reportedUsage(step, usage)?.input)).toEqual([9, 4, 9, 9]);
    expect(schedule.reportedUsage(2, undefined)).toBeUndefined();
    expect(steps.map((step) => schedule.compactsBefore(step))).toEqual([false, false, true, false]);
    expect(steps.map((step) => schedule.modelFrom(step))).toEqual([
      undefined,
      undefined,
      undefined,
      'lab/other',
    ]);
  });
});
