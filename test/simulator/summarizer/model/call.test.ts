import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../../src/engine/index.ts';
import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import {
  type Budget,
  type CallContext,
  callModel,
  type CallOptions,
  createBudget,
  createLimiter,
} from '../../../../src/simulator/summarizer/model/call.ts';
import type { TextModel, TextReply } from '../../../../src/simulator/summarizer/model/prompt.ts';
import { type FakeClock, fakeClock } from '../../../support/fake-clock.ts';
import { modelOf } from '../../replay/lab.ts';

/** What a model does with one request. */
type Deed = TextReply | Error | 'hang';

const SIZE = { inputTokens: 100, outputTokens: 50 };
const REQUEST = { system: '', messages: [{ role: 'user', content: 'Summarise.' }] } as const;
const USAGE: Usage = { input: 60, output: 10, reasoning: 5, cacheRead: 40, cacheWrite: 0 };
const REPLY: TextReply = { text: 'All of it.', finish: 'stop', usage: USAGE };
/** What the answer costs at the lab's prices: 60 × 1 + 40 × 3 + 15 × 2. */
const COST_NANO_USD = 210;
/** What it might have cost: 100 × 4 + 50 × 2, all of it written to the cache. */
const WORST_NANO_USD = 500;

const refusal = (statusCode: number, headers: Record<string, string> = {}) =>
  Object.assign(new Error(`status ${statusCode}`), {
    statusCode,
    isRetryable: statusCode === 429,
    responseHeaders: headers,
    responseBody: '{}',
  });

describe('callModel', () => {
  it('answers with what the call took', async () => {
    const { answer } = await call([REPLY]);
    expect(answer).toEqual({
      state: 'finished',
      text: 'All of it.',
      finish: 'stop',
      call: { usage: USAGE, latencyMs: 0, costNanoUsd: COST_NANO_USD },
    });
  });

  it.each<[string, Record<string, string>, number]>([
    ['milliseconds', { 'retry-after-ms': '1500' }, 1_500],
    ['seconds', { 'retry-after': '20' }, 20_000],
    ['a date', { 'retry-after': 'Thu, 01 Jan 1970 00:17:10 GMT' }, 30_000],
    ['nothing', {}, 2_000],
  ])('waits as long as the provider asks in %s', async (_, headers, waitedMs) => {
    const { answer, clock } = await call([refusal(429, headers), REPLY]);
    expect(answer.state).toBe('finished');
    expect(clock.now()).toBe(1_000_000 + waitedMs);
  });

  it('tries a failing server so many times, waiting longer each time', async () => {
    const { answer, asked, clock } = await call([refusal(500)], { retries: 3 });
    expect(answer).toMatchObject({ state: 'failed', tries: 4, failure: { type: 'fail' } });
    expect(asked).toBe(4);
    expect(clock.now()).toBe(1_000_000 + 2_000 + 4_000 + 8_000);
  });

  it.each<[string, Error, string]>([
    ['a bad request', refusal(400), 'fail'],
    ['a wrong key', refusal(401), 'fail'],
    ['a request that is too large', refusal(413), 'overflow'],
  ])('does not send %s again', async (_, error, type) => {
    const { answer, asked } = await call([error, REPLY]);
    expect(answer).toMatchObject({ state: 'failed', tries: 1, failure: { type } });
    expect(asked).toBe(1);
  });

  it('gives up when the whole time is over, though the model never listens', async () => {
    const { answer, clock } = await call([refusal(500), 'hang'], { timeoutMs: 5_000 });
    expect(answer).toMatchObject({
      reason: 'no answer within 5000 ms',
      failure: { type: 'time-out', afterMs: 5_000 },
      tries: 2,
    });
    expect(clock.now()).toBe(1_005_000);
  });

  it('does not wait for a try that would come too late', async () => {
    const late = refusal(429, { 'retry-after': '60' });
    const { answer, clock } = await call([late, REPLY], { timeoutMs: 5_000 });
    expect(answer).toMatchObject({ failure: { type: 'rate-limit' }, tries: 1 });
    expect(clock.now()).toBe(1_000_000);
  });

  it('leaves no timer behind', async () => {
    const { clock } = await call([refusal(500), REPLY]);
    expect(clock.pending()).toBe(0);
  });

  it('rejects with the reason when nobody waits any more', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const calling = call(['hang'], {}, controller.signal);
    controller.abort(reason);
    await expect(calling).rejects.toBe(reason);
  });

  it('counts what answers cost, refusals as free, and broken answers apart at their worst', async () => {
    const broken = Object.assign(new Error('terminated'), { isRetryable: true });
    const { budget } = await call([refusal(500), broken, REPLY]);
    expect(budget.spentNanoUsd()).toBe(COST_NANO_USD);
    expect(budget.unansweredNanoUsd()).toBe(WORST_NANO_USD);
  });

  it.each([
    ['ECONNREFUSED', { code: 'ECONNREFUSED' }],
    ['ENOTFOUND', { code: 'ENOTFOUND' }],
    ['EAI_AGAIN', { code: 'EAI_AGAIN' }],
    ['EHOSTUNREACH', { code: 'EHOSTUNREACH' }],
    ['ENETUNREACH', { code: 'ENETUNREACH' }],
    ['bad port', {}],
  ])('counts nothing for what never left the machine: %s', async (message, code) => {
    const cause = Object.assign(new Error(message), code);
    const { answer, budget } = await call([new TypeError('fetch failed', { cause })]);
    expect(answer).toMatchObject({ state: 'failed', call: { costNanoUsd: 0 } });
    expect(budget.spentNanoUsd() + budget.unansweredNanoUsd()).toBe(0);
  });

  it('counts a time-out apart at its worst', async () => {
    const { budget } = await call(['hang'], { timeoutMs: 5_000 });
    expect(budget.spentNanoUsd()).toBe(0);
    expect(budget.unansweredNanoUsd()).toBe(WORST_NANO_USD);
  });

  it('counts an answer without a usage by an estimate, or else at its worst', async () => {
    const reply: TextReply = { text: '', finish: 'stop' };
    const estimated = await call([reply], { estimateUsage: () => USAGE });
    expect(estimated.budget.spentNanoUsd()).toBe(COST_NANO_USD);
    expect(estimated.answer).not.toHaveProperty('call.usage');
    const { budget } = await call([reply]);
    expect(budget.spentNanoUsd()).toBe(WORST_NANO_USD);
  });

  it('tells what the last try came to where the budget does not reach for another', async () => {
    const budget = createBudget((2 * WORST_NANO_USD - 1) / 1e9);
    const broken = Object.assign(new Error('terminated'), { isRetryable: true });
    const { answer, asked } = await call([broken, REPLY], { budget });
    expect(answer).toMatchObject({ state: 'failed', reason: 'terminated', tries: 1 });
    expect(asked).toBe(1);
    await expect(call([REPLY], { budget })).rejects.toMatchObject({ code: 'OVER_BUDGET' });
  });

  it('sends nothing that could pass the budget', async () => {
    const budget = createBudget(WORST_NANO_USD / 1e9);
    const { answer } = await call([REPLY], { budget });
    expect(answer.state).toBe('finished');
    let asked = 0;
    const second = call([REPLY], { budget }, undefined, () => (asked += 1));
    await expect(second).rejects.toThrowErrorMatchingInlineSnapshot(
      `[HarnessError: The next request may cost $0.0000, which would pass the budget of $0.0000: $0.0000 is spent. It was not sent.]`,
    );
    await expect(second).rejects.toBeInstanceOf(HarnessError);
    expect(asked).toBe(0);
  });

  it('keeps a budget for requests that are on their way together', async () => {
    const budget = createBudget((2 * WORST_NANO_USD - 1) / 1e9);
    const [first, second] = await Promise.allSettled([
      call([REPLY], { budget }),
      call([REPLY], { budget }),
    ]);
    expect(first.status).toBe('fulfilled');
    expect(second.status).toBe('rejected');
  });
});

async function call(
  deeds: readonly Deed[],
  { estimateUsage, ...options }: Partial<CallOptions & CallContext> = {},
  signal?: AbortSignal,
  onAsk: () => void = () => undefined,
) {
  const clock = fakeClock();
  const budget: Budget = options.budget ?? createBudget(undefined);
  let asked = 0;
  const model: TextModel = {
    id: 'lab/model',
    prepare: async () => undefined,
    ask: () => {
      onAsk();
      asked += 1;
      const deed = deeds[Math.min(asked, deeds.length) - 1]!;
      if (deed === 'hang') return new Promise(() => undefined);
      return deed instanceof Error ? Promise.reject(deed) : Promise.resolve(deed);
    },
  };
  const calling = callModel(
    {
      model,
      profile: modelOf(),
      limiter: createLimiter({ concurrency: 2 }, clock),
      clock,
      timeoutMs: 100_000,
      retries: 3,
      ...options,
      budget,
    },
    REQUEST,
    { size: SIZE, estimateUsage, signal },
  );
  const answer = await withTime(clock, calling);
  return { answer, asked, clock, budget };
}

function withTime<Value>(clock: FakeClock, value: Promise<Value>): Promise<Value> {
  return clock.passUntil(value);
}
