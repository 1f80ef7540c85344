import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCountCache, createCounters } from '../../../src/simulator/tokens/tokenizer.ts';

it('has one count for the models of one encoding', async () => {
  const counters = createCounters();
  const models = ['openai/gpt-4o', 'other/model'].map((id) => counters.of(id));
  const [first, second] = await Promise.all(models);
  expect(first).toBe(second);
  expect(await counters.ofEncoding('o200k_base')).toBe(first);
  expect(first?.('hello world')).toBe(2);
});

const SHORT = 'twelve chars';
const LONG = 'a text that is longer than twelve characters';

/** A tokenizer that counts characters and remembers which texts it was asked for. */
function recordingTokenizer() {
  const asked: string[] = [];
  return {
    asked,
    name: 'characters',
    version: '1',
    count: (text: string) => {
      asked.push(text);
      return text.length;
    },
  };
}

describe('createCountCache', () => {
  it('counts as its tokenizer does', () => {
    const cache = createCountCache(recordingTokenizer(), { maxEntries: 3 });
    fc.assert(
      fc.property(fc.string({ maxLength: 30, unit: 'binary' }), (text) => {
        expect(cache.count(text)).toBe(text.length);
        expect(cache.count(text)).toBe(text.length);
      }),
    );
  });

  it.each<[what: string, texts: string[], asked: string[]]>([
    ['counts an empty text once', ['', ''], ['']],
    ['counts a short text once', [SHORT, SHORT], [SHORT]],
    ['counts a long text once', [LONG, LONG], [LONG]],
    ['tells texts of one length apart', [LONG, `${LONG.slice(1)}!`], [LONG, `${LONG.slice(1)}!`]],
    ['takes a key of every object for a text', ['__proto__', '__proto__'], ['__proto__']],
    ['forgets the oldest text', ['a', 'b', 'c', 'd', 'a'], ['a', 'b', 'c', 'd', 'a']],
    ['remembers the newest texts', ['a', 'b', 'c', 'b', 'c'], ['a', 'b', 'c']],
    ['forgets a long text as well', [LONG, 'b', 'c', 'd', LONG], [LONG, 'b', 'c', 'd', LONG]],
  ])('%s', (_, texts, asked) => {
    const tokenizer = recordingTokenizer();
    const cache = createCountCache(tokenizer, { maxEntries: 2 });
    for (const text of texts) cache.count(text);
    expect(tokenizer.asked).toEqual(asked);
  });
});
