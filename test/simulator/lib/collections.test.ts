import { array, assert, constantFrom, property, shuffledSubarray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinGroups, known } from '../../../src/simulator/lib/collections.ts';

const NAMES = Array.from('abcdefgh');

it('knows all fields but those without a value', () => {
  expect(Object.keys(known({ a: undefined, b: null, c: 0, d: '' }))).toEqual(['b', 'c', 'd']);
});

describe('joinGroups', () => {
  it('knows each member by the first of all that it hangs together with', () => {
    const groups = [['c', 'b'], ['e', 'd'], ['f'], ['b', 'a']];
    expect(Object.fromEntries(joinGroups(groups))).toEqual({
      a: 'a',
      b: 'a',
      c: 'a',
      d: 'd',
      e: 'd',
      f: 'f',
    });
  });

  it('gives the same whatever the order, and is done when it is done', () => {
    const group = array(constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
    assert(
      property(
        array(group, { minLength: 1, maxLength: 8 }),
        shuffledSubarray(NAMES),
        (groups, order) => {
          const joined = joinGroups(groups);
          const turned = groups
            .map((members) => members.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
            .toReversed();
          expect(Object.fromEntries(joinGroups(turned))).toEqual(Object.fromEntries(joined));
          for (const members of groups)
            expect(new Set(members.map((member) => joined.get(member))).size).toBe(1);
          const again = joinGroups([...joined].map((pair) => [...pair]));
          expect(Object.fromEntries(again)).toEqual(Object.fromEntries(joined));
        },
      ),
    );
  });
});
