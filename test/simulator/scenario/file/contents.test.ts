import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildFiller,
  buildSized,
  continueFiller,
  continueSized,
  FILLER_CHARACTERS,
  type FillerSize,
} from '../../../../src/simulator/scenario/file/contents.ts';
import { loadTokenizer } from '../../../../src/simulator/tokens/tokenizer.ts';

const tokenizers = await Promise.all(['o200k_base', 'cl100k_base'].map(loadTokenizer));
const tokens = fc.integer({ min: 0, max: 2_000 });
const number = fc.nat(1_000_000);

describe.each(tokenizers)('filler as $name counts it', (tokenizer) => {
  it('has exactly as many tokens as asked for', () => {
    fc.assert(
      fc.property(tokens, number, (count, serial) => {
        expect(tokenizer.count(buildFiller(count, serial))).toBe(count);
        expect(tokenizer.count(continueFiller(count, serial))).toBe(count);
      }),
    );
  });

  it.each(['RULE: no.', 'a line\n', 'x', '中文', '😀', '1234', 'trailing '])(
    'adds as many tokens behind %j',
    (text) => {
      const alone = tokenizer.count(text);
      expect(tokenizer.count(text + continueFiller(100, 1))).toBe(alone + 100);
    },
  );

  it('begins with any of its words as one token', () => {
    for (let serial = 0; serial < 10_000; serial++)
      expect(tokenizer.count(buildFiller(2, serial))).toBe(2);
  });
});

describe('filler', () => {
  it('has four characters to the token', () => {
    fc.assert(
      fc.property(tokens, number, (count, serial) => {
        expect(buildFiller(count, serial)).toHaveLength(FILLER_CHARACTERS * count);
        expect(continueFiller(count, serial)).toHaveLength(FILLER_CHARACTERS * count);
      }),
    );
  });

  it('is another one for each number', () => {
    const texts = Array.from({ length: 20_000 }, (_, serial) => buildFiller(8, serial));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('is nothing where nothing is asked for', () => {
    expect(buildFiller(0, 1)).toBe('');
    expect(buildFiller(-1, 1)).toBe('');
  });
});

/** From one character to a token up to what words have, where the first has no space before it. */
const size = fc
  .tuple(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 1, max: 12, noNaN: true }))
  .map(([tokens, ratio]) => ({ tokens, characters: Math.floor(ratio * tokens) }));

describe.each(tokenizers)('filler of a size as $name counts it', (tokenizer) => {
  it('has exactly as many tokens and characters as asked for', () => {
    fc.assert(
      fc.property(size, number, (wanted, serial) => {
        const { tokens, characters } = wanted;
        for (const text of [buildSized(wanted, serial), continueSized(wanted, serial)]) {
          expect({ tokens: tokenizer.count(text), characters: text.length }).toEqual({
            tokens,
            characters,
          });
        }
      }),
    );
  });
});

describe('filler of a size', () => {
  it.each<[string, FillerSize]>([
    ['says no characters', { tokens: 90 }],
    ['says four to a token', { tokens: 90, characters: 360 }],
  ])('is the usual one where it %s', (_, usual) => {
    expect(buildSized(usual, 7)).toBe(buildFiller(90, 7));
    expect(continueSized(usual, 7)).toBe(continueFiller(90, 7));
  });

  it.each<[string, FillerSize, number]>([
    ['fewer than tokens', { tokens: 90, characters: 20 }, 90],
    ['more than the longest words have', { tokens: 90, characters: 9_000 }, 12 + 13 * 89],
    ['none, of nothing', { tokens: 0, characters: 0 }, 0],
    ['some, of nothing', { tokens: 0, characters: 9 }, 0],
  ])('is as near as words come where characters are %s', (_, wanted, length) => {
    expect(buildSized(wanted, 1)).toHaveLength(length);
  });

  it.each([1.2, 2.5, 3.3, 5.1, 9])('is another one for each number, at %d a token', (ratio) => {
    const wanted = { tokens: 40, characters: 40 * ratio };
    const texts = Array.from({ length: 20_000 }, (_, serial) => buildSized(wanted, serial));
    expect(new Set(texts).size).toBe(texts.length);
  });
});
