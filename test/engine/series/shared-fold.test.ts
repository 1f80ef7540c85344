import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldOver } from '../../../src/engine/series/fold.ts';
import { grow } from '../../../src/engine/series/series.ts';
import { sharedFold } from '../../../src/engine/series/shared-fold.ts';

/** Items of one letter mean the same, whoever made them; a content is of one item. */
interface Item {
  readonly letter: string;
}

const MEANINGS = new Map(['a', 'b', 'c'].map((letter) => [letter, { letter }]));

function createSpelling() {
  const added: string[] = [];
  const spelling = sharedFold<Item, Item, string>({
    start: '',
    contentOf: (item) => item,
    meaningOf: ({ letter }) => MEANINGS.get(letter) ?? { letter },
    add: (text, { letter }, index) => {
      added.push(letter);
      return `${text}${letter}${index}`;
    },
  });
  return { spelling, added };
}

const toItems = (letters: string): readonly Item[] =>
  Array.from(letters).reduce<readonly Item[]>((items, letter) => grow(items, { letter }), []);
const spell = (letters: string) => Array.from(letters, (letter, index) => letter + index).join('');

describe('a shared fold', () => {
  it('comes to the same as if every list were gone through', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 6 }));
    fc.assert(
      fc.property(texts, (lists) => {
        const { spelling } = createSpelling();
        const first = { letter: 'a' };
        for (const letters of lists) {
          const { value } = foldOver([first, ...toItems(letters)], spelling);
          expect(value).toBe(spell(`a${letters}`));
        }
      }),
    );
  });

  it('adds what lists have in common once, also behind what was not the first to come next', () => {
    const { spelling, added } = createSpelling();
    const first = { letter: 'a' };
    for (const letters of ['bc', 'cb', 'bc', 'cb', 'cba']) {
      foldOver([first, ...toItems(letters)], spelling);
    }
    expect(added.join('')).toBe('abccba');
  });

  it('knows an item by its content before it asks what that means', () => {
    let asked = 0;
    const count = sharedFold<Item, Item, number>({
      start: 0,
      contentOf: (item) => item,
      meaningOf: (item) => {
        asked += 1;
        return item;
      },
      add: (total) => total + 1,
    });
    const items = toItems('abcd');
    foldOver([...items], count);
    expect(foldOver([...items], count).value).toBe(4);
    expect(asked).toBe(4);
  });
});
