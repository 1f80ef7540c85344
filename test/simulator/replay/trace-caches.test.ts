import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { cacheRules } from '../../../src/simulator/provider/cache/rules.ts';
import {
  type CacheUse,
  ledgerOf,
  cachePathOf,
} from '../../../src/simulator/replay/trace-caches.ts';
import { createService } from '../../../src/simulator/replay/service.ts';
import { ask, chat, modelOf, traceOf } from './lab.ts';

const policy = policies['opencode-1.2.16'];
const usual: CacheUse = {
  rules: cacheRules['anthropic-5m'],
  render: policy.render,
  of: 'steps',
};

describe('the path of caches', () => {
  it('is one for the same use, also where the rules were written down again', () => {
    const trace = traceOf(chat(1, 10));
    expect(cachePathOf(trace, { ...usual, rules: { ...usual.rules } })).toBe(
      cachePathOf(trace, usual),
    );
  });

  it.each<[string, Partial<CacheUse>]>([
    ['other rules', { rules: { ...usual.rules, ttlMs: 1 } }],
    ['another way to render', { render: { ...usual.render } }],
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
        cachePathOf(trace, { ...usual, rules: { ...usual.rules, ttlMs } });
      }
      return cachePathOf(trace, usual) === path;
    };
    expect([after(3), after(4)]).toEqual([true, false]);
  });
});

describe('services of runs of one trace', () => {
  const model = modelOf({ cache: 'anthropic-5m' });
  const view = [ask('u1', 2_000)];

  it('know what another one was told of the same request, and no other one of their rules', () => {
    const trace = traceOf(chat(1, 10));
    const prompt = ledgerOf(trace, policy.render).prompt(view);
    const splitOf = (profile = model) => {
      const service = createService(profile, policy, { trace, of: 'steps' });
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
