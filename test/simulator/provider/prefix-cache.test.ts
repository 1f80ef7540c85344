import { describe, expect, it } from 'vitest';
import {
  type CacheName,
  type CacheRules,
  cacheRules,
} from '../../../src/simulator/provider/cache-rules.ts';
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

type Row = readonly [what: string, requests: Sent, expected: Partial<CacheSplit>];

const read = (readTokens: number, writeTokens: number, freshTokens: number) => ({
  readTokens,
  writeTokens,
  freshTokens,
});

describe('a cache whose fate was recorded', () => {
  it.each<Row>([
    ['lives on', '0 abc|, 100 !, 199 abc|', read(30, 0, 0)],
    ['lives again with all entries', '0 ab|c|, 150 !, 151 ab|c|', read(30, 0, 0)],
    ['dies as it does after that', '0 abc|, 50 !, 151 abc|', read(0, 30, 0)],
    ['keeps entries up to a size', '0 ab|cd|e|, 1 <40, 2 ab|cd|e|', read(40, 10, 0)],
    ['keeps them for later ones', '0 ab|cd|, 1 <40, 2 xy|, 3 ab|cd|', read(40, 0, 0)],
    ['is read up to a size where no entry ends', '0 ab|cde|, 1 <40, 2 ab|cde|', read(40, 10, 0)],
    ['is read no further than it is alike', '0 abc|de|, 1 <40, 2 abx|y|', read(20, 20, 0)],
    ['is read so once', '0 ab|cde|, 1 <40, 2 abx|, 3 ab|cde|', read(20, 30, 0)],
    ['is lost as a whole', '0 abc|de|, 1 <0, 2 abc|de|', read(0, 50, 0)],
    ['loses nothing that is shorter', '0 abc|de|, 1 <50, 2 abc|de|', read(50, 0, 0)],
  ])('%s', (_, requests, expected) => {
    expect(lastOf(marked, requests)).toMatchObject(expected);
  });

  it.each<Row>([
    ['lives on without marks', '0 abcd, 100 !, 199 abcd', read(40, 0, 0)],
    ['is read up to a size', '0 abcd, 1 <28, 2 abcde', read(28, 0, 22)],
    ['is lost as a whole', '0 abcd, 1 <0, 2 abcd', read(0, 0, 40)],
  ])('%s', (_, requests, expected) => {
    expect(lastOf(automatic, requests)).toMatchObject(expected);
  });
});

describe('a cache at marks', () => {
  it.each<Row>([
    ['writes up to the last mark', '0 abc|d|e', read(0, 40, 10)],
    ['writes nothing without marks', '0 abcde', read(0, 0, 50)],
    ['writes nothing that is too short', '0 a|', read(0, 0, 10)],
    ['writes what is just long enough', '0 ab|', read(0, 20, 0)],
    ['reads what ends at a mark', '0 abc|, 1 abc|de|', read(30, 20, 0)],
    ['reads what was marked before, near a new mark', '0 abc|, 1 abcde|', read(30, 20, 0)],
    ['looks back over three blocks', '0 abc|, 1 abcdef|', read(30, 30, 0)],
    ['looks back no further', '0 abc|, 1 abcdefg|', read(0, 70, 0)],
    ['looks back from every mark', '0 abc|, 1 abcd|efghi|', read(30, 60, 0)],
    ['takes the longest entry', '0 ab|cd|, 1 ab|cde|', read(40, 10, 0)],
    ['reads nothing without marks', '0 abc|, 1 abcde', read(0, 0, 50)],
    ['does not read where nobody marked', '0 abcd|, 1 abcx|', read(0, 40, 0)],
    ['does not read behind a change', '0 abc|de|, 1 abc|xe|', read(30, 20, 0)],
    ['does not read when the first block differs', '0 abc|, 1 xbc|', read(0, 30, 0)],
    ['does not read what was too short', '0 a|b, 1 a|bc|', read(0, 30, 0)],
    ['reads all of the same request', '0 abc|de, 1 abc|de', read(30, 0, 20)],
    ['counts the first mark and the last ones', '0 ab|c|d|e|, 1 ab|XXXXXXX|', read(20, 70, 0)],
    ['passes over surplus marks', '0 ab|c|d|e|, 1 abcXXX|', read(0, 60, 0)],
    ['counts as many marks as may be', '0 ab|c|d|, 1 abcXXX|', read(30, 30, 0)],
    [
      'keeps what a longer request left behind',
      '0 abc|defghij|, 1 abc|, 2 abc|defghijk|',
      read(100, 10, 0),
    ],
    [
      'keeps a conversation while another goes on',
      '0 abc|, 1 xyz|, 2 xyzw|, 3 abcd|',
      read(30, 10, 0),
    ],
  ])('%s', (_, requests, expected) => {
    expect(lastOf(marked, requests)).toMatchObject(expected);
  });
});

describe('a cache of its own accord', () => {
  it.each<Row>([
    ['bills no writes', '0 abcde', read(0, 0, 50)],
    ['reads what begins alike, in whole steps', '0 abcde, 1 abcdef', read(48, 0, 12)],
    ['reads up to a change', '0 abcde, 1 abcdx', read(40, 0, 10)],
    ['reads nothing that is too short', '0 abcde, 1 abxxx', read(0, 0, 50)],
    ['reads what is just long enough', '0 abcde, 1 abcxx', read(24, 0, 26)],
    ['reads nothing of a request that was too short', '0 ab, 1 abcde', read(0, 0, 50)],
    ['takes the best of several', '0 abcd, 1 abxx, 2 abcde', read(40, 0, 10)],
    ['has no use for marks', '0 ab|cde, 1 abcde|f|', read(48, 0, 12)],
  ])('%s', (_, requests, expected) => {
    expect(lastOf(automatic, requests)).toMatchObject(expected);
  });

  it.each<Row>([
    ['writes whole steps', '0 abcde', read(0, 48, 2)],
    ['writes nothing that is too short', '0 ab', read(0, 0, 20)],
    ['writes the rest', '0 abcde, 1 abcdef', read(48, 8, 4)],
    ['writes what follows a change', '0 abcde, 1 abcxx', read(24, 24, 2)],
  ])('%s where writes are billed', (_, requests, expected) => {
    expect(lastOf({ ...automatic, billsWrites: true }, requests)).toMatchObject(expected);
  });
});

describe('no cache', () => {
  it('knows nothing again', () => {
    const requests = '0 abc|, 1 abc|';
    const expected = { ...read(0, 0, 30), lostTokens: 0, isCold: false };
    expect(lastOf(cacheRules.none, requests)).toEqual(expected);
  });
});

describe.each([
  ['a cache at marks', marked],
  ['a cache of its own accord', { ...automatic, granularityTokens: 10 }],
])('the time to live of %s', (_kind, rules) => {
  it.each<[what: string, requests: Sent, readTokens: number, isCold: boolean]>([
    ['lasts for the whole time', '0 abc|, 100 abc|d|', 30, false],
    ['lasts no longer', '0 abc|, 101 abc|d|', 0, true],
    ['counts from the last use', '0 abc|, 100 abc|d|, 200 abcd|e|', 40, false],
    ['is renewed by another end of the same beginning', '0 abc|, 90 abc|x|, 180 abc|y|', 30, false],
    ['is not renewed for what was not used', '0 abc|def|, 90 abc|, 180 abc|def|', 30, false],
    ['is not renewed by another conversation', '0 abc|, 90 xyz|, 101 abc|', 0, true],
    ['is known to have run out while another went on', '0 abc|, 150 xyz|, 151 abc|', 0, true],
    [
      'is not renewed for another end',
      '0 abc|def|, 0 abc|xyz|, 90 abc|xyzw|, 150 abc|def|',
      30,
      false,
    ],
    ['cannot run out before it began', '0 abc|, 101 xyz|', 0, false],
    ['ran out of nothing when all was too short', '0 a|, 101 a|', 0, false],
    ['begins again', '0 abc|, 101 abc|, 201 abc|d|', 30, false],
    ['is over once more for what is too short', '0 abcd|, 90 a|, 110 a|', 0, true],
    ['is not over for what is too short', '0 abcd|, 90 a|, 100 a|', 0, false],
  ])('%s', (_, requests, readTokens, isCold) => {
    expect(lastOf(rules, requests)).toMatchObject({ readTokens, isCold });
  });
});

describe('what has run out', () => {
  it.each<[what: string, requests: Sent, isCold: boolean]>([
    ['is known of the beginning that another end has', '0 ab|cd|, 150 abcx, 151 abcxy', true],
    ['is forgotten with the end that another one replaced', '0 abcd|, 150 abx, 151 abxy', false],
    ['counts by the shortest beginning', '0 abcd|e|, 0 ab|cdefg|, 150 abx, 151 abxy', true],
  ])('%s', (_, requests, isCold) => {
    expect(lastOf(marked, requests)?.isCold).toBe(isCold);
  });
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
    expect(cache.send(prompt, minutes * 60_000)).toMatchObject(read(12_800, 0, 0));
    expect(cache.send(prompt, 2 * minutes * 60_000 + 1).isCold).toBe(true);
  });
});

describe('a live entry on a dead way', () => {
  it('is not brought back by what lies behind it', () => {
    const requests = '0 ab|c|, 90 ab|cdefghi|, 180 ab|cdefghij|, 181 abcX|';
    expect(lastOf(marked, requests)?.readTokens).toBe(20);
  });
});

describe('lost tokens', () => {
  it.each<[what: string, requests: Sent, lostTokens: number]>([
    ['none of a first request', '0 abcde|', 0],
    ['none of growth', '0 abc|, 1 abcde|', 0],
    ['what lay behind a change', '0 abcde|, 1 abx|', 30],
    ['what lay behind the end', '0 abcde|, 1 abc|', 20],
    ['nothing that had run out', '0 abcde|, 101 abx|', 0],
    ['nothing of another conversation', '0 abcde|, 1 xyz|', 0],
    ['of the newest request alike', '0 abcde|, 1 abx|, 2 abcde|', 10],
    ['whatever came in between', '0 abcde|, 1 xyz|, 2 abx|', 30],
  ])('are %s', (_, requests, lostTokens) => {
    expect(lastOf(marked, requests)?.lostTokens).toBe(lostTokens);
    expect(lastOf({ ...automatic, granularityTokens: 10 }, requests)?.lostTokens).toBe(lostTokens);
  });

  it('are what a request without marks has in common with one before it', () => {
    const requests = '0 abc|def|, 1 abcxy, 2 abz|';
    expect(lastOf(marked, requests)?.lostTokens).toBe(10);
  });

  it('are none behind the last mark', () => {
    expect(lastOf(marked, '0 abc|de, 1 abcx|')?.lostTokens).toBe(0);
  });
});

describe('many conversations', () => {
  it.each<[what: string, requests: Sent, readTokens: number]>([
    ['are remembered', '0 abc|, 1 zy|, 1 yx|, 1 xw|, 1 wv|, 1 vu|, 1 ut|, 1 ts|, 2 abc|', 30],
    ['are forgotten', '0 abc|, 1 zy|, 1 yx|, 1 xw|, 1 wv|, 1 vu|, 1 ut|, 1 ts|, 1 sr|, 2 abc|', 0],
    [
      'count once each, however often they go on',
      '0 xyz|, 1 ab|, 1 abc|, 1 abcd|, 1 abcde|, 1 abcdef|, 1 abcdefg|, 1 abcdefgh|, 1 abcdefghi|, 2 xyzw|',
      30,
    ],
    [
      'count once each, however often two of them take turns',
      '0 xyz|, 1 ab|, 1 pq|, 1 abc|, 1 pqr|, 1 abcd|, 1 pqrs|, 1 abcde|, 1 pqrst|, 2 xyzw|',
      30,
    ],
    [
      'count once where nothing of them is kept',
      '0 xyz|, 1 abz, 1 aby, 1 abx, 1 abw, 1 abv, 1 abu, 1 abt, 1 abs, 2 xyzw|',
      30,
    ],
  ])('%s', (_, requests, readTokens) => {
    expect(lastOf(marked, requests)?.readTokens).toBe(readTokens);
  });
});
