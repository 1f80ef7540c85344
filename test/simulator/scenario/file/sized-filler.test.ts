import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildFiller, continueFiller } from '../../../../src/simulator/scenario/file/filler.ts';
import { isFiller } from '../../../../src/simulator/scenario/file/is-filler.ts';
import {
  buildSized,
  continueSized,
  type FillerSize,
} from '../../../../src/simulator/scenario/file/sized-filler.ts';
import { loadTokenizer } from '../../../../src/simulator/tokens/tokenizer.ts';

const tokenizers = await Promise.all(['o200k_base', 'cl100k_base'].map(loadTokenizer));
const number = fc.nat(1_000_000);
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

  it('is known for what it is', () => {
    fc.assert(
      fc.property(size, number, (wanted, serial) => {
        expect(isFiller(buildSized(wanted, serial))).toBe(true);
        expect(isFiller(buildFiller(wanted.tokens, serial))).toBe(true);
      }),
    );
  });

  it.each(['', 'Read it.', 'time  ant', 'water river, stone', ' water', 'water\n', '12'])(
    'is not %j',
    (text) => {
      expect(isFiller(text)).toBe(false);
    },
  );
});
