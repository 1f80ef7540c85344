import { describe, expect, it } from 'vitest';
import { createSparing } from '../../../../src/simulator/session/redact/gather.ts';
import { copyVisited, type Visitor } from '../../../../src/simulator/session/redact/redactor.ts';
import { replaceUnits } from '../../../../src/simulator/session/redact/units.ts';
import type { Span } from '../../../../src/simulator/session/shell.ts';

/** The text with an `x` for every unit that does not stay. */
function replaced(text: string, spared: readonly Span[]): string {
  const stays = createSparing(spared);
  return replaceUnits(text, (place) => (stays(place) ? place.unit : 'x'));
}

describe('createSparing', () => {
  it.each<[string, readonly Span[], string]>([
    ['nothing where nothing is spared', [], 'x x_x x'],
    ['a unit that is spared', [{ start: 0, end: 3 }], 'one x_x x'],
    ['all units of a place', [{ start: 4, end: 12 }], 'x two_four x'],
    ['no unit of which a part is spared', [{ start: 0, end: 2 }], 'x x_x x'],
    ['no unit that begins before the place', [{ start: 5, end: 12 }], 'x x_four x'],
    [
      'what lies in several places',
      [
        { start: 0, end: 3 },
        { start: 13, end: 18 },
      ],
      'one x_x three',
    ],
    [
      'what lies in the same place twice',
      [
        { start: 0, end: 3 },
        { start: 0, end: 3 },
      ],
      'one x_x x',
    ],
  ])('spares %s', (_, spared, expected) => {
    expect(replaced('one two_four three', spared)).toBe(expected);
  });
});

const asItIs: Visitor = {
  text: (text) => text,
  number: (value) => value,
  key: (key) => key,
};

describe('copyVisited', () => {
  it('copies whatever JSON can hold, and maps', () => {
    const value = JSON.parse('{"__proto__":{"a":[1,null,true,""]},"messages":[{"x":{}}]}');
    const copy = copyVisited({ value, costs: new Map([['a', { total: 1 }]]) }, asItIs);
    expect(copy).toEqual({ value, costs: new Map([['a', { total: 1 }]]) });
    expect(Object.keys(copy.value)).toEqual(['__proto__', 'messages']);
    expect(Object.getPrototypeOf(copy.value)).toBe(Object.prototype);
  });

  it('leaves out what JSON does not know', () => {
    const value = { a: () => 'kettle', b: Symbol('kettle'), c: 1n };
    expect(copyVisited(value, asItIs)).toEqual({ a: undefined, b: undefined, c: undefined });
  });
});
