import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createCountCache,
  createCounters,
  createCountFile,
  DIGEST_LENGTH,
  parseRecords,
  RECORD_BYTES,
  toRecord,
} from '../../../src/simulator/tokens/counters.ts';

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

  function content(): string {
    return readdirSync(cacheFolder)
      .map((name) => readFileSync(join(cacheFolder, name), 'utf8'))
      .join('');
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

    it('takes a count from the folder, of the same encoding only', async () => {
      const tokens = await countOnce(MODEL, LONG);
      const [name = ''] = readdirSync(cacheFolder);
      expect(name).toMatch(/^o200k_base-[\da-f]{8}$/);
      const [digest = ''] = parseRecords(content()).keys();
      writeFileSync(join(cacheFolder, name), toRecord(digest, 4_321) ?? '');

      expect(await countOnce(MODEL, LONG)).toBe(4_321);
      expect(await countOnce(MODEL, `${LONG}!`)).not.toBe(4_321);
      expect(await countOnce('openai/gpt-4', LONG)).toBe(tokens);
    });

    it('keeps digests of long texts and nothing else', async () => {
      await countOnce(MODEL, LONG);
      await countOnce(MODEL, 'a short secret');
      expect(content()).toMatch(/^\n[\w-]{22}[\da-f]{12}\n$/);
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
});

describe('count file', () => {
  let folder = '';
  let path = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
    path = join(folder, 'deeper', 'counts');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function digestOf(index: number): string {
    return createHash('sha256').update(`${index}`).digest('base64url').slice(0, DIGEST_LENGTH);
  }

  /** Keeps the index as the count of each from the first to before the end. */
  function keep(first: number, end: number, maxRecords?: number): void {
    const file = createCountFile(path, maxRecords === undefined ? {} : { maxRecords });
    for (let index = first; index < end; index++) file.add(digestOf(index), index);
    file.save();
  }

  /** Which indices have a count. */
  function kept(end: number): number[] {
    const file = createCountFile(path);
    return Array.from({ length: end }, (_, index) => index).filter(
      (index) => file.get(digestOf(index)) === index,
    );
  }

  describe('createCountFile', () => {
    it('keeps counts for the next process', () => {
      keep(0, 3);
      expect(kept(4)).toEqual([0, 1, 2]);
    });

    it('writes a batch without being asked to', () => {
      const file = createCountFile(path);
      for (let index = 0; index < 600; index++) file.add(digestOf(index), index);
      expect(kept(600)).toHaveLength(500);
      file.save();
      file.save();
      expect(kept(600)).toHaveLength(600);
    });

    it('keeps what several processes write in turns', () => {
      const files = [0, 1, 2].map(() => createCountFile(path));
      for (let index = 0; index < 30; index++) {
        files[index % 3]?.add(digestOf(index), index);
        files[index % 3]?.save();
      }
      expect(kept(30)).toHaveLength(30);
    });

    it.skipIf(process.platform === 'win32')('lets nobody else look', () => {
      keep(0, 1);
      expect(statSync(path).mode & 0o077).toBe(0);
      expect(statSync(join(path, '..')).mode & 0o077).toBe(0);
    });

    it('loses one count at most where a write was cut short', () => {
      keep(0, 2);
      appendFileSync(path, toRecord(digestOf(2), 2)?.slice(0, 20) ?? '');
      keep(3, 5);
      expect(kept(5)).toEqual([0, 1, 3, 4]);
    });

    it.each<[what: string, content: string | Buffer]>([
      [
        'bytes that are no text',
        Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 73) % 256)),
      ],
      ['one endless line', 'a'.repeat(50_000)],
      ['nothing', ''],
    ])('goes on after %s', (_, content) => {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, content);
      expect(kept(3)).toEqual([]);
      keep(0, 3);
      expect(kept(3)).toEqual([0, 1, 2]);
    });

    it.each<[what: string, prepare: () => void]>([
      ['a folder has its name', () => mkdirSync(path, { recursive: true })],
      ['its folder is a file', () => writeFileSync(join(path, '..'), '')],
    ])('counts on without it where %s', (_, prepare) => {
      prepare();
      expect(() => keep(0, 1_000)).not.toThrow();
      expect(kept(3)).toEqual([]);
    });

    it('stops when it is full', () => {
      keep(0, 50, 10);
      expect(kept(50)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(statSync(path).size).toBeLessThanOrEqual(10 * RECORD_BYTES + 1);
    });

    it('gives a full file up but for its newer half', () => {
      keep(0, 10, 10);
      keep(10, 13, 10);
      expect(kept(20)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
      expect(readdirSync(join(path, '..'))).toEqual(['counts']);
    });

    it('reads the end only of a file that is far too large', () => {
      keep(0, 1_000);
      keep(1_000, 1_001, 10);
      expect(kept(2_000)).toEqual([995, 996, 997, 998, 999, 1_000]);
      expect(statSync(path).size).toBe(6 * RECORD_BYTES + 1);
    });
  });
});

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const digests = fc
  .array(fc.constantFrom(...Array.from(BASE64URL)), {
    minLength: DIGEST_LENGTH,
    maxLength: DIGEST_LENGTH,
  })
  .map((characters) => characters.join(''));
const counts = fc.uniqueArray(fc.tuple(digests, fc.nat({ max: 16 ** 6 - 1 })), {
  selector: ([digest]) => digest,
  minLength: 1,
  maxLength: 20,
});
const DIGEST = 'k'.repeat(DIGEST_LENGTH);

function toRecords(entries: readonly (readonly [string, number])[]): string {
  return entries.map(([digest, tokens]) => toRecord(digest, tokens)).join('');
}

describe('parseRecords', () => {
  it('gives back what was kept, in its order', () => {
    fc.assert(
      fc.property(counts, (entries) => {
        expect([...parseRecords(toRecords(entries))]).toEqual(entries);
      }),
    );
  });

  it('never takes a damaged line for another count', () => {
    const damage = fc.record({
      from: fc.nat(),
      removed: fc.nat({ max: 80 }),
      added: fc.string({ maxLength: 6 }),
    });
    fc.assert(
      fc.property(counts, damage, (entries, { from, removed, added }) => {
        const text = toRecords(entries);
        const start = from % text.length;
        const damaged = text.slice(0, start) + added + text.slice(start + removed);
        const kept = new Map(entries);
        for (const [digest, tokens] of parseRecords(damaged)) {
          expect(kept.get(digest)).toBe(tokens);
        }
      }),
    );
  });

  it.each<[what: string, text: string]>([
    ['nothing', ''],
    ['empty lines', '\n\n'],
    ['zeros', '\0'.repeat(RECORD_BYTES)],
    ['a line without its end', `${DIGEST}0004d2`],
    ['two lines in one', (toRecord(DIGEST, 1) ?? '').trimEnd() + toRecord(DIGEST, 1)],
  ])('finds no count in %s', (_, text) => {
    expect(parseRecords(text).size).toBe(0);
  });
});

describe('toRecord', () => {
  it('has no record of a count that is too large', () => {
    expect(toRecord(DIGEST, 16 ** 6)).toBeUndefined();
  });
});
