import { expect, it } from 'vitest';
import { listed } from '../../src/simulator/listed.ts';

it.each<[readonly string[], string]>([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c'],
])('%j is %s', (words, text) => {
  expect(listed(words, 'or')).toBe(text);
});
