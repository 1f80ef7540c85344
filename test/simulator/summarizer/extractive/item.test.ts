import { describe, expect, it } from 'vitest';
import { dropRepeated, rankItems } from '../../../../src/simulator/summarizer/extractive/item.ts';

const item = (text: string, weight: number, at: number) => ({ text, weight, at });
const textsOf = (items: readonly { readonly text: string }[]) => items.map(({ text }) => text);

describe('dropRepeated', () => {
  it('keeps the newest of those with one key, with the greatest weight of them', () => {
    const items = [
      { ...item('a', 3, 0), key: 'k' },
      item('b', 1, 1),
      { ...item('c', 2, 2), key: 'k' },
      { ...item('d', 1, 3), key: 'k' },
    ];
    expect(dropRepeated(items)).toEqual([item('b', 1, 1), { ...item('d', 3, 3), key: 'k' }]);
  });

  it('compares texts without case and final stops where there is no key', () => {
    const items = ['Do it!', 'do it.', 'DO IT', 'do that'].map((text) => ({
      text,
      weight: 0,
      at: 0,
    }));
    expect(textsOf(dropRepeated(items))).toEqual(['DO IT', 'do that']);
  });

  it('drops empty items', () => {
    expect(dropRepeated([item('', 3, 0)])).toEqual([]);
  });
});

describe('rankItems', () => {
  it('puts heavier before lighter, newer before older, later before earlier', () => {
    const items = [item('a', 1, 5), item('b', 2, 1), item('c', 2, 3), item('d', 2, 3)];
    expect(textsOf(rankItems(items))).toEqual(['d', 'c', 'b', 'a']);
  });
});
