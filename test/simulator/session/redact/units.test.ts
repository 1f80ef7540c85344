import { describe, expect, it } from 'vitest';
import { createWeighing } from '../../../../src/simulator/session/redact/units.ts';

const LONGEST_COUNTED_CHARS = 4_000;
const lettersOf = (text: string): number => text.replaceAll(/\d/g, '').length;

/** A weighing by letters, with every text that it counted. */
function weighed(unit: string, filler: string) {
  const counted: string[] = [];
  const count = (text: string): number => {
    counted.push(text);
    return lettersOf(text);
  };
  const tokensOff = createWeighing(unit, new Map([[' ', 3]]), count).errorOf(filler);
  return { tokensOff, counted };
}

/** Letters and digits of which no two thousand in a row are those of others. */
const dataOf = (length: number): string =>
  Array.from({ length }, (_, index) => `a${index}`)
    .join('')
    .slice(0, length);

describe('createWeighing', () => {
  it.each<[string, number]>([
    ['a word', 9],
    ['data', 200],
    ['data as long as is counted at once', LONGEST_COUNTED_CHARS],
    ['data with a character more', LONGEST_COUNTED_CHARS + 1],
    ['data of many pieces', 10 * LONGEST_COUNTED_CHARS + 17],
  ])('weighs %s at all its places', (_, length) => {
    const [unit, filler] = [dataOf(length), '1'.repeat(length)];
    expect(weighed(unit, filler).tokensOff).toBe(-3 * lettersOf(unit));
  });

  it('counts no text that is long for a tokenizer', () => {
    const { counted } = weighed(dataOf(50_000), dataOf(50_001));
    expect(Math.max(...counted.map(({ length }) => length))).toBe(LONGEST_COUNTED_CHARS);
  });

  it('counts the pieces of a repeated character once for each text', () => {
    const { counted } = weighed('x'.repeat(400_000), 'y'.repeat(400_000));
    expect(counted).toHaveLength(2);
  });
});
