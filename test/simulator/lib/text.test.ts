import { describe, expect, it } from 'vitest';
import { copyOf, listed, remembered } from '../../../src/simulator/lib/text.ts';

it.each<[readonly string[], string]>([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c'],
])('%j is %s', (words, text) => {
  expect(listed(words, 'or')).toBe(text);
});

/** Lengths of texts, and of which texts it was asked. */
function recording() {
  const asked: number[] = [];
  const lengthOf = remembered((text) => {
    asked.push(text.length);
    return text.length;
  });
  return { asked, lengthOf };
}

describe('remembered', () => {
  it.each([
    ['asks once for a text', ['a', 'bb', 'a', 'bb'], [1, 2]],
    ['takes a key of every object for a text', ['__proto__', '__proto__'], [9]],
    ['remembers what an empty text gives', ['', ''], [0]],
    ['does not keep a very long text', ['x'.repeat(4_001), 'x'.repeat(4_001)], [4_001, 4_001]],
  ])('%s', (_, texts, expected) => {
    const { asked, lengthOf } = recording();
    expect(texts.map(lengthOf)).toEqual(texts.map((text) => text.length));
    expect(asked).toEqual(expected);
  });

  it('forgets when it holds very much', () => {
    const { asked, lengthOf } = recording();
    lengthOf('first');
    for (let index = 0; index < 501; index++) lengthOf(String(index).padEnd(4_000));
    lengthOf('first');
    expect(asked.filter((length) => length === 5)).toHaveLength(2);
  });
});

describe('copyOf', () => {
  it.each(['', 'plain', 'ünïcödé 漢字 😀', '\ud800 alone', 'a\0b'])('gives %j', (text) => {
    expect(copyOf(text)).toBe(text);
  });
});
