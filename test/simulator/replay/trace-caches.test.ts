import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import {
  type CacheUse,
  ledgerOf,
  cachePathOf,
} from '../../../src/simulator/replay/trace-caches.ts';
import { createService } from '../../../src/simulator/replay/service.ts';
import { ask, chat, modelOf, PRICES, traceOf } from './lab.ts';

const policy = policies['opencode-1.2.16'];
const profile = modelOf({ cache: 'anthropic-5m' });
const usual: CacheUse = { profile, policy, of: 'steps' };
const cachedFor = (ttlMs: number): CacheUse => ({
  ...usual,
  profile: { ...profile, cache: { ...profile.cache, ttlMs } },
});

describe('the path of caches', () => {
  it('is one for the same use, also where all of it was written down again', () => {
    const trace = traceOf(chat(1, 10));
    const again = structuredClone(profile);
    const { render, reading } = policy;
    expect(
      cachePathOf(trace, { ...usual, profile: again, policy: { render, reading: { ...reading } } }),
    ).toBe(cachePathOf(trace, usual));
  });

  it.each<[string, Partial<CacheUse>]>([
    ['other rules', cachedFor(1)],
    ['other prices', { profile: { ...profile, prices: { ...PRICES, outputPicoUsd: 1 } } }],
    ['another dialect', { profile: modelOf({ cache: 'anthropic-5m', dialect: 'openai' }) }],
    ['another way to render', { policy: { ...policy, render: { ...policy.render } } }],
    [
      'another way to read usage',
      { policy: { ...policy, reading: { ...policy.reading, usage: 'v1.0.61' } } },
    ],
    ['summaries', { of: 'summaries' }],
  ])('is another one for %s', (_, other) => {
    const trace = traceOf(chat(1, 10));
    expect(cachePathOf(trace, { ...usual, ...other })).not.toBe(cachePathOf(trace, usual));
  });

  it('is another one for another trace', () => {
    const [one, other] = [traceOf(chat(1, 10)), traceOf(chat(1, 10))];
    expect(cachePathOf(one, usual)).not.toBe(cachePathOf(other, usual));
  });

  it('is kept while it is among the four that were used last', () => {
    const trace = traceOf(chat(1, 10));
    const after = (others: number) => {
      const path = cachePathOf(trace, usual);
      for (let ttlMs = 1; ttlMs <= others; ttlMs++) {
        cachePathOf(trace, cachedFor(ttlMs));
      }
      return cachePathOf(trace, usual) === path;
    };
    expect([after(3), after(4)]).toEqual([true, false]);
  });
});

describe('services of runs of one trace', () => {
  const view = [ask('u1', 2_000)];

  it('know what another one was told of the same request, and no other one of their rules', () => {
    const trace = traceOf(chat(1, 10));
    const prompt = ledgerOf(trace, policy.render).prompt(view);
    const splitOf = (served = profile) => {
      const service = createService(served, policy, { trace, of: 'steps' });
      const request = { prompt, tokens: prompt.whole.tokens, bytes: 0, fault: undefined };
      const reply = service.send(request, 5);
      return reply.type === 'served' ? reply.split : undefined;
    };
    const split = splitOf();
    expect(splitOf()).toBe(split);
    expect(splitOf(modelOf({ cache: 'openai' }))).not.toBe(split);
  });

  it('ask the same question of the same messages with the same request', () => {
    const trace = traceOf(chat(1, 10));
    const question = (prompt: string) =>
      ledgerOf(trace, policy.render).summaryPrompt({ system: 'Sum up.', messages: view, prompt });
    expect(question('What was done?')).toBe(question('What was done?'));
    expect(question('What is next?')).not.toBe(question('What was done?'));
  });
});
