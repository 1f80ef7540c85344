import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createPrefixCache,
  type PrefixCache,
} from '../../../../src/simulator/provider/cache/prefix-cache.ts';
import { extendPrefix } from '../../../../src/simulator/provider/cache/prefix.ts';
import type { CacheSplit, Prompt } from '../../../../src/simulator/provider/cache/prompt.ts';
import {
  createSharedCache,
  startPath,
} from '../../../../src/simulator/provider/cache/shared-cache.ts';
import { createSharing, kinds, requests, rulesOf, type Sent, TTL_MS } from './requests.ts';

/** A request as one of several runs sends it. */
interface Turn {
  readonly run: number;
  readonly prompt: Prompt;
  readonly startMs: number;
}

const RUNS = 3;

/** What a run does by itself: another request, a question of some tokens, and a pause, each from a place or at one. */
const drafts = fc.record({
  turnsOffAt: fc.nat({ max: 8 }),
  asksAt: fc.nat({ max: 8 }),
  askedTokens: fc.constantFrom(9, 9, 21),
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
      const { turnsOffAt, asksAt, askedTokens, pausesAt } = runs[run]!;
      const index = sentOf[run]!++;
      const sent = index < turnsOffAt ? common[index] : others[index];
      if (sent === undefined) return [];
      const prompt = toSharedPrompt(sent);
      const startMs = 10 * index + (index < pausesAt ? 0 : 2 * TTL_MS);
      return [{ run, prompt: index === asksAt ? endAlone(prompt, askedTokens) : prompt, startMs }];
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

/** With a question at its end that no other request has. */
function endAlone({ whole, marks }: Prompt, tokens: number): Prompt {
  const asked = extendPrefix(whole, [{ tokens }]);
  return { whole: asked, marks: [...marks, asked], endsAlone: true };
}

function sendAll(list: readonly Turn[], create: () => PrefixCache): readonly CacheSplit[] {
  const caches = Array.from({ length: RUNS }, create);
  return list.map(({ run, prompt, startMs }) => caches[run]!.send(prompt, startMs));
}

it('splits as caches do that share nothing, in whatever order runs come and turn off', () => {
  let shared = 0;
  let turnedOff = 0;
  fc.assert(
    fc.property(kinds, turns, (kind, list) => {
      const path = startPath();
      const splits = sendAll(list, () => createSharedCache(rulesOf[kind], path));
      const alone = sendAll(list, () => createPrefixCache(rulesOf[kind]));
      expect(splits).toEqual(alone);
      const known = splits.filter((split, index) => splits.indexOf(split) < index);
      shared += known.length;
      if (known.length > 0) turnedOff += new Set(splits).size;
    }),
    { numRuns: 3_000 },
  );
  expect(shared).toBeGreaterThan(100);
  expect(turnedOff).toBeGreaterThan(100);
});

it('knows questions again that differ in nothing but that no other request has them', () => {
  const write = createSharing();
  const base = write([{ tokens: 30 }], [1]);
  const path = startPath();
  const send = () => createSharedCache(rulesOf.breakpoints, path).send(endAlone(base, 9), 1);
  expect(send()).toBe(send());
});

it('does not take a question for one that stands behind something else', () => {
  const write = createSharing();
  const [one, other] = [{ tokens: 30 }, { tokens: 30 }].map((block) => write([block], [1]));
  const path = startPath();
  const readBehind = (asked: Prompt) => {
    const cache = createSharedCache(rulesOf.breakpoints, path);
    cache.send(one!, 1);
    return cache.send(endAlone(asked, 9), 2).readTokens;
  };
  expect([readBehind(one!), readBehind(other!)]).toEqual([30, 0]);
});
