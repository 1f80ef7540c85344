import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLimiter,
  sleep,
  untilAborted,
} from '../../../../src/simulator/summarizer/model/call.ts';
import { fakeClock } from '../../../support/fake-clock.ts';

const MINUTE_MS = 60_000;

describe('createLimiter', () => {
  it('never has more requests under way than allowed, and lets all of them in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 12 }),
        async (concurrency, durations) => {
          const clock = fakeClock();
          const limiter = createLimiter({ concurrency }, clock);
          let underWay = 0;
          let most = 0;
          const work = durations.map(async (durationMs) => {
            const leave = await limiter.enter(undefined);
            underWay += 1;
            most = Math.max(most, underWay);
            await sleep(clock, durationMs, undefined);
            underWay -= 1;
            leave();
          });
          await clock.passUntil(Promise.all(work));
          expect(most).toBe(Math.min(concurrency, durations.length));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('sends no more requests and tokens in any minute than allowed, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 10, max: 100 }),
        fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 12 }),
        async (requestsPerMinute, tokensPerMinute, sizes) => {
          const clock = fakeClock();
          const limits = { concurrency: 99, requestsPerMinute, tokensPerMinute };
          const limiter = createLimiter(limits, clock);
          const sent: { readonly atMs: number; readonly tokens: number }[] = [];
          const work = sizes.map(async (tokens) => {
            await limiter.waitFor(tokens, undefined);
            sent.push({ atMs: clock.now(), tokens });
          });
          await clock.passUntil(Promise.all(work));
          expect(sent.map(({ tokens }) => tokens)).toEqual(sizes);
          for (const { atMs } of sent) {
            const minute = sent.filter((one) => one.atMs >= atMs && one.atMs < atMs + MINUTE_MS);
            const tokens = minute.reduce((sum, one) => sum + one.tokens, 0);
            expect(minute.length).toBeLessThanOrEqual(requestsPerMinute);
            expect(minute.length === 1 || tokens <= tokensPerMinute).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('waits no longer than it must', async () => {
    const clock = fakeClock();
    const limiter = createLimiter({ concurrency: 1, requestsPerMinute: 2 }, clock);
    const times: number[] = [];
    const all = [1, 2, 3, 4, 5].map(async () => {
      await limiter.waitFor(1, undefined);
      times.push(clock.now() - 1_000_000);
    });
    await clock.passUntil(Promise.all(all));
    expect(times).toEqual([0, 0, MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS]);
  });

  it('gives the place of someone who left the line to the next', async () => {
    const limiter = createLimiter({ concurrency: 1 }, fakeClock());
    const leave = await limiter.enter(undefined);
    const controller = new AbortController();
    const gone = limiter.enter(controller.signal);
    const next = limiter.enter(undefined);
    controller.abort(new Error('gone'));
    leave();
    await expect(gone).rejects.toThrow('gone');
    (await next)();
    await expect(limiter.enter(undefined)).resolves.toBeTypeOf('function');
  });
});

describe('untilAborted', () => {
  it('lets any number wait for one signal, of which nobody is warned', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.name);
    process.on('warning', listen);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, () => untilAborted(setImmediate(), signal)));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});
