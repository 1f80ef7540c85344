import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CacheRules } from '../../../src/simulator/provider/behaviours.ts';
import { createPrefixCache } from '../../../src/simulator/provider/prefix-cache.ts';
import {
  type CacheSplit,
  type PromptBlock,
  toPrompt,
} from '../../../src/simulator/provider/prompt.ts';
import { createSharing, kinds, requests, rulesOf, type Sent, TTL_MS } from './cached-requests.ts';

/** An entry of the plain model: a beginning, written out. */
interface Kept {
  readonly blocks: readonly PromptBlock[];
  usedMs: number;
}

const tokensOf = (blocks: readonly PromptBlock[]) =>
  blocks.reduce((sum, { tokens }) => sum + tokens, 0);
const beginsWith = (blocks: readonly PromptBlock[], { blocks: start }: Kept) =>
  start.every((block, index) => blocks[index] === block);

/** Reads and writes of a cache that keeps every beginning apart, forgets none and looks at them all. */
function createPlainCache(rules: CacheRules) {
  const kept: Kept[] = [];

  function sendMarked({ blocks, breakpoints, startMs }: Sent) {
    const marks = breakpoints.filter(
      (_, index) => index === 0 || index > breakpoints.length - rules.maxBreakpoints,
    );
    const live = kept.filter(
      (entry) => startMs - entry.usedMs <= rules.ttlMs && beginsWith(blocks, entry),
    );
    const readBlocks = live
      .map((entry) => entry.blocks.length)
      .filter((end) => marks.some((mark) => end <= mark && mark - end <= rules.lookBackBlocks))
      .reduce((longest, end) => Math.max(longest, end), 0);
    for (const entry of live) if (entry.blocks.length <= readBlocks) entry.usedMs = startMs;
    for (const mark of marks) {
      if (tokensOf(blocks.slice(0, mark)) < rules.minimumTokens) continue;
      kept.push({ blocks: blocks.slice(0, mark), usedMs: startMs });
    }
    const markedTokens = tokensOf(blocks.slice(0, marks.at(-1) ?? 0));
    const readTokens = tokensOf(blocks.slice(0, readBlocks));
    return {
      readTokens,
      writeTokens: markedTokens < rules.minimumTokens ? 0 : markedTokens - readTokens,
    };
  }

  function sendAutomatic({ blocks, startMs }: Sent) {
    const shared = kept
      .filter(({ usedMs }) => startMs - usedMs <= rules.ttlMs)
      .map((entry) => entry.blocks.findIndex((block, index) => blocks[index] !== block))
      .map((departure, index) => [departure, index] as const);
    const live = kept.filter(({ usedMs }) => startMs - usedMs <= rules.ttlMs);
    const sharedTokens = shared.map(([departure, index]) => {
      const { length } = live[index]!.blocks;
      return tokensOf(blocks.slice(0, departure === -1 ? length : departure));
    });
    const readTokens = cachedOf(Math.max(0, ...sharedTokens));
    kept.push({ blocks, usedMs: startMs });
    return { readTokens, writeTokens: cachedOf(tokensOf(blocks)) - readTokens };
  }

  function cachedOf(tokens: number): number {
    const whole = Math.floor(tokens / rules.granularityTokens) * rules.granularityTokens;
    return whole >= rules.minimumTokens ? whole : 0;
  }

  return rules.kind === 'breakpoints' ? sendMarked : sendAutomatic;
}

function sendAll(
  rules: CacheRules,
  sent: readonly Sent[],
  write: typeof toPrompt = toPrompt,
): readonly CacheSplit[] {
  const cache = createPrefixCache(rules);
  return sent.map(({ blocks, breakpoints, startMs }) =>
    cache.send(write(blocks, breakpoints), startMs),
  );
}

describe('a prefix cache', () => {
  it('reads and writes as one that compares everything with everything', () => {
    fc.assert(
      fc.property(kinds, requests, (kind, sent) => {
        const plain = createPlainCache(rulesOf[kind]);
        const expected = sent.map((request) => plain(request));
        fc.pre(expected.some(({ readTokens }) => readTokens > 0));
        expect(sendAll(rulesOf[kind], sent)).toMatchObject(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('takes prompts that share what they begin with as those that do not', () => {
    fc.assert(
      fc.property(kinds, requests, (kind, sent) => {
        const apart = sendAll(rulesOf[kind], sent);
        expect(sendAll(rulesOf[kind], sent, createSharing())).toEqual(apart);
      }),
    );
  });

  it('splits a request without a rest', () => {
    fc.assert(
      fc.property(kinds, requests, (kind, sent) => {
        for (const [index, split] of sendAll(rulesOf[kind], sent).entries()) {
          const { readTokens, writeTokens, freshTokens, lostTokens } = split;
          expect(readTokens + writeTokens + freshTokens).toBe(tokensOf(sent[index]!.blocks));
          for (const tokens of [readTokens, writeTokens, freshTokens, lostTokens])
            expect(tokens).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('loses what it kept of the newest request alike, unless that has run out', () => {
    fc.assert(
      fc.property(kinds, requests, (kind, drafts) => {
        const rules = { ...rulesOf[kind], minimumTokens: 1, granularityTokens: 1 };
        const sent = drafts.map((draft) => ({ ...draft, breakpoints: [draft.blocks.length] }));
        const expected = sent.map((request, index) => {
          const { blocks, startMs } = request;
          const before = sent.slice(0, index).findLast((other) => other.blocks[0] === blocks[0]);
          if (before === undefined) return { isCold: false, lostTokens: 0 };
          const departure = before.blocks.findIndex((block, nth) => blocks[nth] !== block);
          const left = departure === -1 ? [] : before.blocks.slice(departure);
          const isCold = startMs - before.startMs > rules.ttlMs;
          return { isCold, lostTokens: isCold ? 0 : tokensOf(left) };
        });
        fc.pre(expected.some(({ isCold }) => isCold) || expected.some((each) => each.lostTokens));
        expect(sendAll(rules, sent)).toMatchObject(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('reads no less when entries live longer', () => {
    fc.assert(
      fc.property(kinds, requests, (kind, sent) => {
        const short = sendAll(rulesOf[kind], sent);
        const long = sendAll({ ...rulesOf[kind], ttlMs: 10 * TTL_MS }, sent);
        for (const [index, { readTokens }] of short.entries())
          expect(long[index]!.readTokens).toBeGreaterThanOrEqual(readTokens);
      }),
    );
  });

  it('reads nothing when it is cold', () => {
    fc.assert(
      fc.property(kinds, requests, (kind, sent) => {
        const cold = sendAll(rulesOf[kind], sent).filter(({ isCold }) => isCold);
        for (const split of cold) expect(split).toMatchObject({ readTokens: 0, lostTokens: 0 });
      }),
    );
  });
});
