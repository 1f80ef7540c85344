import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createPrefixCache,
  type PrefixCache,
} from '../../../../src/simulator/provider/cache/prefix-cache.ts';
import {
  NO_BLOCKS,
  extendPrefix,
  type Prefix,
} from '../../../../src/simulator/provider/cache/prefix.ts';
import type { CacheSplit, Prompt } from '../../../../src/simulator/provider/cache/prompt.ts';
import {
  createSharedCache,
  startPath,
} from '../../../../src/simulator/provider/cache/shared-cache.ts';
import { cacheRules } from '../../../../src/simulator/provider/cache/rules.ts';
import { createSharing, kinds, requests, rulesOf, type Sent, TTL_MS } from './requests.ts';
import { assertReaching } from '../../../support/reaching.ts';

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
    { numRuns: 3_000 },
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
