import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { type CacheName, cacheRules } from '../../../src/simulator/provider/cache-rules.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import {
  createPrefixCache,
  type PrefixCache,
} from '../../../src/simulator/provider/prefix-cache.ts';
import type { Prices } from '../../../src/simulator/provider/prices.ts';
import {
  type CacheSplit,
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type Prompt,
} from '../../../src/simulator/provider/prompt.ts';
import {
  billedPrices,
  cachePathOf,
  type CacheUse,
  createService,
  createSharedCache,
  ledgerOf,
  startPath,
} from '../../../src/simulator/replay/service.ts';
import { assertReaching } from '../../support/reaching.ts';
import {
  createSharing,
  kinds,
  requests,
  rulesOf,
  type Sent,
  TTL_MS,
} from '../provider/cache/requests.ts';
import { ask, chat, LIMITS, modelOf, PRICES, traceOf } from './lab.ts';

/** A request as one of several runs sends it. */
interface Turn {
  readonly run: number;
  readonly prompt: Prompt;
  readonly startMs: number;
}

const RUNS = 3;

/** What a run does by itself: another request, the same once more, and a pause, each from a place or at one. */
const drafts = fc.record({
  turnsOffAt: fc.nat({ max: 8 }),
  repeatsAt: fc.nat({ max: 12 }),
  pausesAt: fc.constantFrom(Infinity, Infinity, 1, 3),
});

/** Runs that send the same until some turn off, each as far as it comes, in any order of all of them. */
const turns = fc
  .tuple(
    requests,
    requests,
    fc.array(drafts, {
      minLength: RUNS,
      maxLength: RUNS,
    }),
    fc.array(fc.nat({ max: RUNS - 1 }), { minLength: 1, maxLength: 24 }),
  )
  .map(([common, others, runs, order]): readonly Turn[] => {
    const toSharedPrompt = rememberPrompts();
    const sentOf = runs.map(() => 0);
    return order.flatMap((run) => {
      const { turnsOffAt, repeatsAt, pausesAt } = runs[run]!;
      const index = sentOf[run]!++;
      const sent = index < turnsOffAt ? common[index] : others[index];
      if (sent === undefined) return [];
      const prompt = toSharedPrompt(sent);
      const startMs = 10 * index + (index < pausesAt ? 0 : 2 * TTL_MS);
      const turn = { run, prompt, startMs };
      return index === repeatsAt ? [turn, turn] : [turn];
    });
  });

/** Gives the same prompt for the same request, as runs of one recording have it. */
function rememberPrompts(): (sent: Sent) => Prompt {
  const write = createSharing();
  const prompts = new Map<Sent, Prompt>();
  return (sent) => {
    const prompt = prompts.get(sent) ?? write(sent.blocks, sent.breakpoints);
    prompts.set(sent, prompt);
    return prompt;
  };
}

/** Whether a run was told of something that another one had sent, and then of something that nobody had. */
function turnsOff(list: readonly Turn[], splits: readonly CacheSplit[]): boolean {
  const isKnown = splits.map((split, index) => splits.indexOf(split) < index);
  return list.some(({ run }, index) => {
    const later = list.findIndex((turn, place) => place > index && turn.run === run);
    return isKnown[index] === true && later >= 0 && isKnown[later] === false;
  });
}

function sendAll(list: readonly Turn[], create: () => PrefixCache): readonly CacheSplit[] {
  const caches = Array.from({ length: RUNS }, create);
  return list.map(({ run, prompt, startMs }) => caches[run]!.send(prompt, startMs));
}

it('splits as caches do that share nothing, in whatever order runs come and turn off', () => {
  let shared = 0;
  let turnedOff = 0;
  assertReaching(
    fc.property(kinds, turns, (kind, list) => {
      const path = startPath();
      const splits = sendAll(list, () => createSharedCache(rulesOf[kind], path));
      const alone = sendAll(list, () => createPrefixCache(rulesOf[kind]));
      expect(splits).toEqual(alone);
      const known = splits.filter((split, index) => splits.indexOf(split) < index);
      shared += known.length;
      if (turnsOff(list, splits)) turnedOff += 1;
    }),
    { numRuns: 1_000 },
  );
  expect(shared).toBeGreaterThan(100);
  expect(turnedOff).toBeGreaterThan(100);
});

/** A request that is marked at its end. */
const promptOf = (whole: Prefix): Prompt => ({ whole, marks: [whole] });

it('sends what it was sent only once, also where another run goes its way for a while', () => {
  const rules = { ...cacheRules['anthropic-5m'], minimumTokens: 1 };
  const start = extendPrefix(NO_BLOCKS, [{ tokens: 50 }]);
  const long = extendPrefix(
    start,
    Array.from({ length: 25 }, () => ({ tokens: 1 })),
  );
  // So far behind the end of the second one that it finds the first one only where that was written anew.
  const list = [start, long, extendPrefix(NO_BLOCKS, [{ tokens: 9 }])].map(promptOf);
  const last = promptOf(extendPrefix(start, [{ tokens: 3 }]));
  const times = [0, 200_000, 200_000];
  const path = startPath();
  const [one, other] = [createSharedCache(rules, path), createSharedCache(rules, path)];
  const own = createPrefixCache(rules);
  list.forEach((prompt, index) => own.send(prompt, times[index]!));
  for (const index of [0, 1])
    for (const cache of [one, other]) cache.send(list[index]!, times[index]!);
  for (const cache of [other, one]) cache.send(list[2]!, times[2]!);
  expect(one.send(last, 400_000)).toEqual(own.send(last, 400_000));
});

describe('billedPrices', () => {
  const unlisted: Prices = { inputPicoUsd: 1_000, outputPicoUsd: 2_000, tiers: [] };
  it.each<[string, Prices, CacheName, read: number, write: number]>([
    ['as listed where the provider caches at marks', PRICES, 'anthropic-5m', 3_000, 4_000],
    ['a multiple of input where the cache lives longer', PRICES, 'anthropic-1h', 3_000, 2_000],
    ['writes as input where they are not billed', PRICES, 'openai', 3_000, 1_000],
    ['all as input where nothing is cached', PRICES, 'none', 1_000, 1_000],
    ['as input where nothing is listed', unlisted, 'anthropic-5m', 1_000, 1_000],
  ])('are %s', (_, prices, cache, cacheReadPicoUsd, cacheWritePicoUsd) => {
    expect(billedPrices(modelOf({ cache }, { prices }))).toEqual({
      inputPicoUsd: 1_000,
      outputPicoUsd: 2_000,
      cacheReadPicoUsd,
      cacheWritePicoUsd,
    });
  });

  it('have a tier for each size from which on others hold', () => {
    const tiers = [{ inputPicoUsd: 1_000, outputPicoUsd: 2_000, overTokens: 200 }];
    expect(
      billedPrices(modelOf({ cache: 'anthropic-5m' }, { prices: { ...PRICES, tiers } })),
    ).toEqual({
      inputPicoUsd: 1_000,
      outputPicoUsd: 2_000,
      cacheReadPicoUsd: 3_000,
      cacheWritePicoUsd: 4_000,
      tiers: [
        {
          overTokens: 200,
          inputPicoUsd: 1_000,
          outputPicoUsd: 2_000,
          cacheReadPicoUsd: 1_000,
          cacheWritePicoUsd: 1_000,
        },
      ],
    });
  });

  it('are absent where none are known', () => {
    expect(billedPrices(createProfile('lab/model', LIMITS))).toBeUndefined();
  });
});

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
