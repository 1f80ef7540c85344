import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldOver } from '../../../src/engine/history.ts';
import { type Shared, sharedFold } from '../../../src/simulator/replay/shared-fold.ts';

/** Items of one letter mean the same, whoever made them; those of `-` change nothing. */
interface Item {
  readonly letter: string;
}

interface Text extends Shared<Text> {
  readonly text: string;
}

const MEANINGS = new Map(['a', 'b', 'c', '-'].map((letter) => [letter, { letter }]));

function textOf(text: string, content?: object, meaning?: object): Text {
  return { text, content, meaning, next: undefined, others: undefined };
}

function createSpelling(keptBy: 'content' | 'meaning' = 'meaning') {
  const added: string[] = [];
  const asked: string[] = [];
  const spelling = sharedFold<Item, Item, Text>({
    start: textOf(''),
    contentOf: (item) => item,
    meaningOf: ({ letter }) => {
      asked.push(letter);
      return MEANINGS.get(letter) ?? { letter };
    },
    keptBy,
    add: (value, meaning, content) => {
      added.push(meaning.letter);
      return meaning.letter === '-' ? value : textOf(value.text + meaning.letter, content, meaning);
    },
  });
  return { spelling, added, asked };
}

const toItems = (letters: string): readonly Item[] => Array.from(letters, (letter) => ({ letter }));

describe('a shared fold', () => {
  it('comes to the same as if every list were gone through', () => {
    const units = fc.constantFrom('a', 'b', 'c', 'd', '-');
    const texts = fc.array(fc.string({ unit: units, maxLength: 6 }));
    fc.assert(
      fc.property(texts, fc.constantFrom('content', 'meaning'), (lists, keptBy) => {
        const { spelling } = createSpelling(keptBy);
        const first = { letter: 'a' };
        for (const letters of lists) {
          const { text } = foldOver([first, ...toItems(letters)], spelling);
          expect(text).toBe(`a${letters.replaceAll('-', '')}`);
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

  it('shares nothing of lists whose first items are kept by other objects', () => {
    const { spelling, added } = createSpelling('content');
    for (const letters of ['ab', 'ab']) foldOver(toItems(letters), spelling);
    expect(added.join('')).toBe('abab');
  });

  it('keeps by itself only what came next last, so that lists that are gone take theirs along', () => {
    const { spelling } = createSpelling('content');
    const first = { letter: 'a' };
    const value = foldOver([first], spelling);
    const [toB, toC] = [toItems('b'), toItems('c')];
    for (const items of [toB, toC]) foldOver([first, ...items], spelling);
    expect(value.next?.text).toBe('ac');
    expect(value.others?.get(toB[0] as Item)?.text).toBe('ab');
    expect(value.others?.has(MEANINGS.get('b') as Item)).toBe(false);
    foldOver([first, ...toB], spelling);
    expect(value.next?.text).toBe('ab');
    expect(spelling.start.next).toBeUndefined();
  });

  it('knows an item by its content before it asks what that means', () => {
    const { spelling, asked } = createSpelling();
    const items = toItems('abc');
    for (const _ of [1, 2]) expect(foldOver([...items], spelling).text).toBe('abc');
    expect(asked.join('')).toBe('abca');
  });
});
