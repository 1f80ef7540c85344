import { expect, it } from 'vitest';
import { isTooDeep } from '../../../../src/simulator/session/files/source-file.ts';
import { createTally } from '../../../../src/simulator/session/reading/tally.ts';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

it('names at most twenty types, and shows no more of them than can be printed', () => {
  const tally = createTally();
  const types = Array.from({ length: 30 }, (_, index) => `type-${index}`);
  const first = `\u0007${'x'.repeat(90)}`;
  for (const type of [first, undefined, ...types, 'type-1']) tally.dropUnknown(type);
  const { dropped } = tally.toReport();
  expect(Object.keys(dropped)).toHaveLength(20);
  expect(dropped).toMatchObject({ 'unknown record': 13, 'unknown record "type-1"': 2 });
  expect(Object.keys(dropped)[0]).toBe(`unknown record "\\u{7}${'x'.repeat(39)}…"`);
});

it.each([
  [7, false],
  [nested(500), false],
  [nested(502), true],
  [nested(100_000), true],
])('tells what is nested too deep to be written', (value, expected) => {
  expect(isTooDeep(value)).toBe(expected);
});
