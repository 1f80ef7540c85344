import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCountCache, createCounters } from '../../../src/simulator/tokens/counters.ts';

describe('counters', () => {
  const LONG = 'The kettle is on, and the lid rattles. '.repeat(10);
  const MODEL = 'openai/gpt-4o';

  let cacheFolder = '';

  beforeEach(() => {
    cacheFolder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  });

  afterEach(() => rmSync(cacheFolder, { recursive: true, force: true }));

  /** The count that counters of their own come to. */
  async function countOnce(model: string, text: string): Promise<number> {
    const counters = createCounters({ cacheFolder });
    const count = await counters.of(model);
    const tokens = count(text);
    counters.save();
    return tokens;
  }

  /** The counts of a file that was kept, behind its checksum. */
  function savedIn(name: string): ReadonlyMap<string, number> {
    return deserialize(inflateRawSync(readFileSync(join(cacheFolder, name)).subarray(16)));
  }

  function pack(counts: ReadonlyMap<string, number>): Uint8Array {
    const packed = deflateRawSync(serialize(counts));
    return Buffer.concat([createHash('sha256').update(packed).digest().subarray(0, 16), packed]);
  }

  describe('createCounters', () => {
    it('has one count for the models of one encoding', async () => {
      const counters = createCounters();
      const [first, second] = await Promise.all([counters.of(MODEL), counters.of('other/model')]);
      expect(first).toBe(second);
      expect(await counters.ofEncoding('o200k_base')).toBe(first);
      expect(first('hello world')).toBe(2);
    });

    it('counts the same with a folder as without, the first time and the next', async () => {
      const tokens = (await createCounters().of(MODEL))(LONG);
      expect(await countOnce(MODEL, LONG)).toBe(tokens);
      expect(await countOnce(MODEL, LONG)).toBe(tokens);
    });

    it('takes a count from the folder, of the same encoding only, and what is damaged for none', async () => {
      const tokens = await countOnce(MODEL, LONG);
      const [name = ''] = readdirSync(cacheFolder);
      const [digest = ''] = savedIn(name).keys();
      writeFileSync(join(cacheFolder, name), pack(new Map([[digest, 4_321]])));
      expect(await countOnce(MODEL, LONG)).toBe(4_321);
      expect(await countOnce(MODEL, `${LONG}!`)).not.toBe(4_321);
      expect(await countOnce('openai/gpt-4', LONG)).toBe(tokens);
      writeFileSync(join(cacheFolder, name), 'damaged');
      expect(await countOnce(MODEL, LONG)).toBe(tokens);
    });

    it('keeps what several processes count beside each other', async () => {
      const all = await Promise.all(
        [1, 2].map(async (index) => {
          const counters = createCounters({ cacheFolder });
          (await counters.of(MODEL))(`${LONG}${index}`);
          return counters;
        }),
      );
      for (const counters of all) counters.save();
      const [name = ''] = readdirSync(cacheFolder);
      expect(savedIn(name).size).toBe(2);
    });

    it('keeps digests of long texts and nothing else', async () => {
      await countOnce(MODEL, LONG);
      await countOnce(MODEL, 'a short secret');
      const [name = ''] = readdirSync(cacheFolder);
      const [[digest, tokens] = []] = savedIn(name);
      expect(digest).toMatch(/^[\w-]{22}$/);
      expect(tokens).toBeGreaterThan(1);
      expect(savedIn(name).size).toBe(1);
    });
  });
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
    const kept = {
      get: (digest: string) => known.get(digest),
      add: (digest: string, tokens: number) => void known.set(digest, tokens),
      save: () => undefined,
    };
    const [short, long] = ['a'.repeat(199), 'a'.repeat(200)];
    const first = createCountCache(recordingTokenizer(), { kept });
    expect([short, long].map((text) => first.count(text))).toEqual([199, 200]);
    expect([...known.values()]).toEqual([200]);

    const next = recordingTokenizer();
    const cache = createCountCache(next, { kept });
    expect([short, long].map((text) => cache.count(text))).toEqual([199, 200]);
    expect(next.asked).toEqual([short]);
  });
});
