import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retold } from '../../support/retold.ts';
import {
  type CacheName,
  type CacheRules,
  cacheRules,
} from '../../../src/simulator/provider/behaviours.ts';
import { createPrefixCache } from '../../../src/simulator/provider/prefix-cache.ts';
import { type CacheSplit, toPrompt } from '../../../src/simulator/provider/prompt.ts';
import { createBlocks } from '../../support/prompts.ts';

/** Requests: when each starts, then its blocks as letters, with `|` at each mark. `!` refreshes all, `<` forgets what is longer. */
type Sent = string;

const marked: CacheRules = {
  ...cacheRules['anthropic-5m'],
  ttlMs: 100,
  minimumTokens: 20,
  lookBackBlocks: 3,
  maxBreakpoints: 3,
};
const automatic: CacheRules = {
  ...cacheRules.openai,
  ttlMs: 100,
  minimumTokens: 20,
  granularityTokens: 8,
};

/** What comes of the last of some requests; every block has ten tokens. */
function lastOf(rules: CacheRules, requests: Sent): CacheSplit | undefined {
  const blockOf = createBlocks(() => 10);
  const cache = createPrefixCache(rules);
  const splits = requests.split(', ').flatMap((request) => {
    const [startMs = '', text = ''] = request.split(' ');
    if (text === '!') cache.refresh(Number(startMs));
    if (text.startsWith('<')) cache.keepUpTo(Number(text.slice(1)));
    if (/^[!<]/.test(text)) return [];
    const pieces = text.split('|');
    const ends = pieces.map((_, index) => pieces.slice(0, index + 1).join('').length);
    const blocks = Array.from(pieces.join(''), blockOf);
    return cache.send(toPrompt(blocks, ends.slice(0, -1)), Number(startMs));
  });
  return splits.at(-1);
}

const RULES: Readonly<Record<string, CacheRules>> = {
  marked,
  automatic,
  tens: { ...automatic, granularityTokens: 10 },
  billing: { ...automatic, billsWrites: true },
  none: cacheRules.none,
};

it('caches what it cached', async () => {
  const path = join(import.meta.dirname, '../../fixtures/prefix-cache.txt');
  const text = retold(path, (line) => {
    const [name = ''] = line.split(' ', 1);
    const split = lastOf(RULES[name]!, line.slice(name.length + 1));
    return [
      Object.entries(split ?? {})
        .map(([key, value]) => `${key} ${value}`)
        .join(', '),
    ];
  });
  await expect(text).toMatchFileSnapshot(path);
});

describe('the rules of providers', () => {
  it.each<[name: CacheName, minutes: number]>([
    ['anthropic-5m', 5],
    ['anthropic-1h', 60],
    ['openai', 10],
    ['openai-5.6', 10],
    ['gemini', 5],
    ['deepseek', 180],
  ])('%s keeps a prompt for %d minutes', (name, minutes) => {
    const prompt = toPrompt([{ tokens: 12_800 }], [1]);
    const cache = createPrefixCache(cacheRules[name]);
    cache.send(prompt, 0);
    expect(cache.send(prompt, minutes * 60_000)).toMatchObject({ readTokens: 12_800 });
    expect(cache.send(prompt, 2 * minutes * 60_000 + 1).isCold).toBe(true);
  });
});
