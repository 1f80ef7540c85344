import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCountCache } from '../../../src/simulator/tokens/count-cache.ts';

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
  it('has the name of its tokenizer', () => {
    expect(createCountCache(recordingTokenizer()).name).toBe('characters');
  });

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
    ['forgets the oldest text', ['a', 'b', 'c', 'a'], ['a', 'b', 'c', 'a']],
    ['remembers the newest texts', ['a', 'b', 'c', 'b', 'c'], ['a', 'b', 'c']],
    ['forgets a long text as well', [LONG, 'b', 'c', LONG], [LONG, 'b', 'c', LONG]],
  ])('%s', (_, texts, asked) => {
    const tokenizer = recordingTokenizer();
    const cache = createCountCache(tokenizer, { maxEntries: 2 });
    for (const text of texts) cache.count(text);
    expect(tokenizer.asked).toEqual(asked);
  });

  it('asks its file for long texts, and has it keep what it counted', () => {
    const known = new Map<string, number>();
    const file = {
      get: (digest: string) => known.get(digest),
      add: (digest: string, tokens: number) => void known.set(digest, tokens),
      save: () => undefined,
    };
    const [short, long] = ['a'.repeat(199), 'a'.repeat(200)];
    const first = createCountCache(recordingTokenizer(), { file });
    expect([short, long].map((text) => first.count(text))).toEqual([199, 200]);
    expect([...known.values()]).toEqual([200]);

    const next = recordingTokenizer();
    const cache = createCountCache(next, { file });
    expect([short, long].map((text) => cache.count(text))).toEqual([199, 200]);
    expect(next.asked).toEqual([short]);
  });

  it('remembers many texts unless told otherwise', () => {
    const tokenizer = recordingTokenizer();
    const cache = createCountCache(tokenizer);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 1_000; i++) cache.count(`text ${i}`);
    }
    expect(tokenizer.asked).toHaveLength(1_000);
  });
});
