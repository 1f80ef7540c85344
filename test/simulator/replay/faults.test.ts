import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { scheduleFaults } from '../../../src/simulator/replay/run-state.ts';
import type { Failure, Fault } from '../../../src/simulator/scenario/scenario.ts';
import { onStep, onSummary, overflowing, roomyModel } from './faults.ts';
import { chat, eventsOf, modelOf, run, work } from './lab.ts';

const document = policies['document-002'];
/** The status with which the first step was refused. */
const statusOf = (failure: Failure) =>
  eventsOf(run(chat(1, 100), { faults: onStep(1, failure) }).events, 'step-refused')[0]?.statusCode;

/** How long a request waited each time that it failed, and the run. */
const waitsOf = (failure: Failure, times: number, of: 'step' | 'summary' = 'step') => {
  const faults = of === 'step' ? onStep(1, failure, times) : onSummary(failure, times);
  const { events, lines } = run(overflowing, { ...roomyModel, faults });
  return { waits: eventsOf(events, 'request-failed').map(({ waitMs }) => waitMs), lines };
};

describe('a step that fails', () => {
  it.each<[string, Failure, lines: readonly string[], history: string]>([
    [
      'is tried again, with its error in the history',
      { type: 'fail' },
      ['step failed: fail'],
      'u1 s1 u2 failed-1 s2',
    ],
    [
      'is tried again when time was up',
      { type: 'time-out', afterMs: 5_000 },
      ['step failed: time-out'],
      'u1 s1 u2 failed-1 s2',
    ],
    [
      'waits where it was told so, and leaves no trace',
      { type: 'rate-limit' },
      ['step failed: rate-limit, waits 2000'],
      'u1 s1 u2 s2',
    ],
    [
      'waits as long as it was told',
      { type: 'rate-limit', retryAfterMs: 70_000 },
      ['step failed: rate-limit, waits 70000'],
      'u1 s1 u2 s2',
    ],
    [
      'leaves no trace when it was cut off before it wrote anything',
      { type: 'abort', afterTokens: 0 },
      ['step failed: abort'],
      'u1 s1 u2 s2',
    ],
    [
      'is compacted away when it was refused in the own words of the provider',
      { type: 'overflow' },
      ['refused 2', 'overflow refused', 'summary answered', 'pivot auto, replay'],
      'u1 s1 u2 marker summary replay s2',
    ],
    [
      'is compacted away when it was refused in words that the policy knows',
      { type: 'overflow', message: 'prompt is too long' },
      ['refused 2', 'overflow refused', 'summary answered', 'pivot auto, replay'],
      'u1 s1 u2 marker summary replay s2',
    ],
    [
      'is compacted away when it was refused by a status that the policy knows',
      { type: 'overflow', statusCode: 413, message: 'no' },
      ['refused 2', 'overflow refused', 'summary answered', 'pivot auto, replay'],
      'u1 s1 u2 marker summary replay s2',
    ],
    [
      'has failed when it was refused in words that the policy does not know',
      { type: 'overflow', message: 'no' },
      ['refused 2, not known as an overflow'],
      'u1 s1 u2 failed-1 s2',
    ],
  ])('%s', (_, failure, lines, history) => {
    const told = run(chat(2, 100), { faults: onStep(2, failure) });
    expect(told.lines).toEqual(['step 1', ...lines, 'step 2', 'completed']);
    expect(told.history).toBe(history);
  });

  it.each<[string, Failure, reason: string]>([
    ['the given words', { type: 'fail', message: 'out of order' }, 'out of order'],
    ['words of its own where none are given', { type: 'fail' }, 'the provider failed'],
    ['the time allowed', { type: 'time-out', afterMs: 5_000 }, 'no answer within 5000 ms'],
    ['the words of a refusal', { type: 'overflow', message: 'no' }, 'no'],
  ])('says why in %s', (_, failure, reason) => {
    const { state } = run(chat(1, 100), { faults: onStep(1, failure) });
    expect(state.history[1]).toMatchObject({ parentId: 'u1', error: { message: reason } });
  });

  it('holds in its refusal the window that it was sent to', () => {
    const { state } = run(chat(1, 100), {
      policy: document,
      faults: onStep(1, { type: 'overflow' }),
      model: modelOf({ refusal: 'anthropic' }),
    });
    expect(state.history[1]).toMatchObject({
      error: { message: 'prompt is too long: 10001 tokens > 10000 maximum' },
    });
  });

  it('has the status that was given, else the one of the provider', () => {
    expect(statusOf({ type: 'overflow' })).toBe(400);
    expect(statusOf({ type: 'overflow', statusCode: 422 })).toBe(422);
    expect(statusOf({ type: 'overflow', message: 'no' })).toBeUndefined();
  });

  it('is an answer to the prompt of its turn, whatever came in between', () => {
    const { state } = run(work(2, 10), { faults: onStep(2, { type: 'fail' }) });
    expect(state.history.filter(({ id }) => id.includes('failed'))).toMatchObject([
      { parentId: 'u1' },
    ]);
  });

  it('ends the run when it fails again and again', () => {
    const { lines } = run(chat(2, 100), { faults: onStep(2, { type: 'fail' }, 99) });
    expect(lines.filter((line) => line === 'step failed: fail')).toHaveLength(20);
    expect(lines.at(-1)).toBe('failed: step 2 failed 20 times');
    expect(run(chat(2, 100), { faults: onStep(2, { type: 'fail' }, 19) }).lines.at(-1)).toBe(
      'completed',
    );
  });

  it('is refused twice, also with another failure in between', () => {
    const faults: readonly Fault[] = [
      ...onStep(2, { type: 'overflow', message: 'no' }, 1),
      { on: 'step', step: 2, times: 2, failure: { type: 'fail' } },
      { on: 'step', step: 2, times: 3, failure: { type: 'overflow', message: 'no' } },
    ];
    expect(run(chat(2, 100), { faults }).lines.slice(1)).toEqual([
      'refused 2, not known as an overflow',
      'step failed: fail',
      'refused 2, not known as an overflow',
      'refused: step refused twice: no (not known as an overflow)',
    ]);
  });

  it('is no refusal for the control', () => {
    const faults = [...onStep(1, { type: 'fail' }), ...onStep(2, { type: 'overflow' }, 2)];
    expect(run(chat(2, 100), { policy: policies.none, faults }).lines).toEqual([
      'step failed: fail',
      'step 1',
      'step 2',
      'completed',
    ]);
  });
});

describe('a rate limit', () => {
  it.each(['step', 'summary'] as const)('waits twice as long each time: %s', (of) => {
    const { waits, lines } = waitsOf({ type: 'rate-limit' }, 4, of);
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000]);
    expect(lines.at(-1)).toBe('completed');
  });

  it('is given up at the tenth try of a summary', () => {
    const { waits, lines } = waitsOf({ type: 'rate-limit', retryAfterMs: 1 }, 10, 'summary');
    expect(waits).toEqual([...Array.from({ length: 9 }, () => 1), undefined]);
    expect(lines).toContain('summary failed: 429 too many requests, 10 times');
    expect(waitsOf({ type: 'rate-limit', retryAfterMs: 1 }, 9, 'summary').lines).toContain(
      'summary answered',
    );
  });

  it('is given up at the tenth try of a step, which may then be asked for again', () => {
    const { waits, lines } = waitsOf({ type: 'rate-limit', retryAfterMs: 1 }, 10);
    expect(waits.at(-1)).toBeUndefined();
    expect(lines.at(-1)).toBe('completed');
  });

  it('lets time pass, in which a cache runs out', () => {
    const model = modelOf({ cache: 'anthropic-5m' });
    const isCold = (retryAfterMs: number) =>
      run(work(3, 2_000), {
        model,
        faults: onStep(3, { type: 'rate-limit', retryAfterMs }),
      }).steps.at(-1)?.isCold;
    expect(isCold(300_000)).toBe(false);
    expect(isCold(300_001)).toBe(true);
  });
});

describe('a time-out', () => {
  it('takes its time, in which a cache runs out', () => {
    const model = modelOf({ cache: 'anthropic-5m' });
    const isCold = (afterMs: number) =>
      run(work(3, 2_000), { model, faults: onStep(3, { type: 'time-out', afterMs }) }).steps.at(-1)
        ?.isCold;
    expect(isCold(300_000)).toBe(false);
    expect(isCold(300_001)).toBe(true);
  });
});

describe('a usage that is wrong', () => {
  it('is multiplied kind by kind at its step, and nowhere else', () => {
    const faults: readonly Fault[] = [{ on: 'usage', step: 2, factor: 1.5 }];
    const options = { model: modelOf({ cache: 'anthropic-5m', dialect: 'anthropic' }) };
    const none = { input: 0, reasoning: 0, cacheRead: 0 };
    const right = run(chat(3, 1_001), options);
    const wrong = run(chat(3, 1_001), { ...options, faults });
    const [first, second, third] = right.steps.map(({ reported }) => reported);
    expect(second).toEqual({ ...none, output: 1_001, cacheWrite: 1_521, total: 2_522 });
    expect(wrong.steps.map(({ reported }) => reported)).toEqual([
      first,
      { ...none, output: 1_502, cacheWrite: 2_282, total: 3_783 },
      third,
    ]);
    const truth = ({ steps }: typeof right) =>
      steps.map(({ reported: _reported, ...rest }) => rest);
    expect(truth(wrong)).toEqual(truth(right));
  });

  it('makes a policy compact that need not', () => {
    const faults: readonly Fault[] = [{ on: 'usage', step: 2, factor: 9 }];
    expect(run(chat(3, 1_000), { faults }).lines).toContain('overflow after-step');
    expect(run(chat(3, 1_000)).lines).not.toContain('overflow after-step');
  });
});

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
