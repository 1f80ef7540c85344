import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100kRanks from 'js-tiktoken/ranks/cl100k_base';
import o200kRanks from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { findEncoding } from '../../../src/simulator/tokens/encodings.ts';
import { loadTokenizer } from '../../../src/simulator/tokens/tokenizer.ts';
import { alphabets, textOf } from '../../support/texts.ts';

const SESSIONS = join(import.meta.dirname, '../../../../shared/sessions');
/** Bytes that take a merge in quadratic time minutes. */
const LONG = 300_000;
/** Long for a busy machine, and too short for such a merge. */
const PATIENCE_MS = 30_000;

const oracles = { o200k_base: o200kRanks, cl100k_base: cl100kRanks };

const words = Object.values(alphabets).map((letters) =>
  textOf(letters, { minBytes: 1, maxBytes: 12 }),
);
const gaps = fc.constantFrom(' ', '\n', '  ', '\t', '\r\n', ' \n ', ', ', '(', "'s ", '');
const texts = fc
  .array(fc.tuple(fc.oneof(...words), gaps), { maxLength: 30 })
  .map((pairs) => pairs.flat().join(''));

describe.each(['o200k_base', 'cl100k_base'] as const)('the %s tokenizer', async (name) => {
  const tokenizer = await loadTokenizer(name);
  const { source } = findEncoding(name).pattern;
  const library = new Tiktoken({ ...oracles[name], pat_str: source });
  const published = (text: string) => library.encode(text, [], []).length;

  it('has its name', () => {
    expect(tokenizer.name).toBe(name);
  });

  it.each<[what: string, text: string, tokens: number]>([
    ['nothing', '', 0],
    ['a word in the table', 'hello', 1],
    ['two of them', 'hello world', 2],
    ['digits in threes', '1234567', 3],
    ['a byte that is no UTF-8 on its own', '\ud83d', 1],
  ])('counts %s', (_, text, tokens) => {
    expect(tokenizer.count(text)).toBe(tokens);
  });

  it.each(['<|endoftext|>', 'a<|fim_prefix|>b', '<|im_start|><|im_start|>'])(
    'takes %s for text',
    (text) => {
      expect(tokenizer.count(text)).toBe(published(text));
      expect(tokenizer.count(text)).toBeGreaterThan(3);
    },
  );

  it.each(['\ufeffpackage main', 'x\ufeffzqy', '\ufeff\ufeffab'])(
    'keeps a byte order mark apart from what follows in %j',
    (text) => {
      expect(tokenizer.count(text)).toBe(published(text));
    },
  );

  it.each(Object.entries(alphabets))('counts words of 150 to 600 bytes of %s', (_, alphabet) => {
    fc.assert(
      fc.property(textOf(alphabet, { minBytes: 150, maxBytes: 600 }), (word) => {
        expect(tokenizer.count(word)).toBe(published(word));
      }),
      { numRuns: 15 },
    );
  });

  it.each<[what: string, text: string]>([
    ['a run of one letter', 'a'.repeat(800)],
    ['runs of one letter with breaks', `${'a'.repeat(400)}\n${'A'.repeat(400)} ${'a'.repeat(399)}`],
    ['base64', bytesOf(1_500).toString('base64')],
    ['hexadecimal digits', bytesOf(1_000).toString('hex')],
    ['minified code', minifiedCode(2_000)],
    ['spaces before a word', `${' '.repeat(800)}x`],
    ['indented lines', `${' '.repeat(300)}x\n\t`.repeat(5)],
    ['line breaks of two kinds', '\r\n\n\r'.repeat(300)],
    ['mixed white space', ' \u00a0\u3000\t \v\f'.repeat(100)],
    ['ideographs', ideographs(300)],
    ['words of two scripts', '中a文B字1'.repeat(150)],
    ['contractions', "it's we'LL I'd ''s 'S'".repeat(60)],
    ['punctuation', '=-_*/\n//'.repeat(180)],
    ['zeros', '\0'.repeat(1_000)],
  ])('counts %s as published', (_, text) => {
    expect(tokenizer.count(text)).toBe(published(text));
  });

  it('counts texts of short words as the library does', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenizer.count(text)).toBe(published(text));
      }),
    );
  });

  it('does not mistake a text that spells the bytes of another for that other', () => {
    const [text, bytes] = ['\u00ea', '\u00c3\u00aa'];
    expect([tokenizer.count(text), tokenizer.count(bytes)]).toEqual([1, 2]);
    expect(published(bytes)).toBe(2);
  });

  it('counts a text the same the second time', () => {
    const text = 'compactionBench qzxv \u{1f600}\ud800 '.repeat(3);
    expect(tokenizer.count(text)).toBe(tokenizer.count(text));
    expect(tokenizer.count(text)).toBe(published(text));
  });

  it(
    'counts a long run of letters exactly',
    () => {
      const perThousand = tokenizer.count('a'.repeat(8_000)) / 8;
      expect(tokenizer.count('a'.repeat(LONG))).toBe((LONG / 1_000) * perThousand);
    },
    PATIENCE_MS,
  );

  it.each<[what: string, text: string]>([
    ['mixed letters', mixedLetters(LONG)],
    ['spaces', ' '.repeat(LONG)],
    ['NUL characters', '\0'.repeat(LONG)],
    ['ideographs', '\u4e2d'.repeat(LONG / 3)],
  ])(
    'counts a long run of %s before anybody gives up',
    (_, text) => {
      expect(tokenizer.count(text)).toBeGreaterThan(1_000);
    },
    PATIENCE_MS,
  );

  it.skipIf(!existsSync(SESSIONS))('counts recorded sessions (skipped without ../shared)', () => {
    for (const text of recordedTexts()) expect(tokenizer.count(text)).toBe(published(text));
  });
});

describe('loadTokenizer', () => {
  it('names the encodings when it does not know one', async () => {
    await expect(loadTokenizer('o200k')).rejects.toThrow(
      "Unknown tokenizer 'o200k'; nearest: o200k_base, cl100k_base. Expected one of: o200k_base, cl100k_base.",
    );
  });
});

/** The same bytes every time. */
function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * i * 7 + (i % 11) * 97) & 0xff));
}

function minifiedCode(length: number): string {
  const functions = Array.from({ length: length / 40 }, (_, i) => {
    return `function f${i}(a,b){return a.x[${i * 7}]?!b:c("s${i}")};`;
  });
  return functions.join('').slice(0, length);
}

function ideographs(length: number): string {
  return Array.from({ length }, (_, i) =>
    String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000)),
  ).join('');
}

function mixedLetters(length: number): string {
  return Array.from({ length }, (_, i) => String.fromCodePoint(97 + ((i * i * 31) % 26))).join('');
}

/** The beginning of one file of each format, ended by a letter. */
function recordedTexts(): string[] {
  const folders = readdirSync(SESSIONS, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return folders.flatMap(({ name }) => firstRecording(join(SESSIONS, name)));
}

function firstRecording(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const file = files.toSorted().find((path) => /\.jsonl?$/.test(path));
  return file ? [`${readFileSync(join(folder, file), 'utf8').slice(0, 30_000)}x`] : [];
}
