import { array, assert, boolean, constantFrom, pre, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFamilies } from '../../../../src/simulator/session/repeats/families.ts';
import { findSharedBeginnings } from '../../../../src/simulator/session/repeats/shared-beginnings.ts';

/** A session whose messages are letters; the first step is its second message. */
function marked(name: string, letters: string, isPartial = false) {
  const ofMessages = Float64Array.from(letters, (letter) => letter.codePointAt(0) ?? 0);
  return { name, isPartial, size: letters.length, marks: { ofMessages, least: 2 } };
}

/** Whether so much of a session that it is no chance stands in another one. */
function isStartIn({ isPartial, marks: { ofMessages, least } }: Marked, { marks }: Marked) {
  const text = ` ${marks.ofMessages.join(' ')} `;
  const starts = isPartial ? [0, 1] : [0];
  return starts.some((start) => {
    const own = ofMessages.slice(start, Math.max(least, start + 1));
    return own.length > 0 && text.includes(` ${own.join(' ')} `);
  });
}

type Marked = ReturnType<typeof marked>;

describe('findFamilies', () => {
  it.each<[string, readonly Marked[], readonly (readonly string[])[]]>([
    ['two forks', [marked('b', 'abcx'), marked('a', 'abcdef')], [['a', 'b']]],
    [
      'two families, and who stands alone in none',
      [
        marked('a', 'abx'),
        marked('b', 'cdx'),
        marked('c', 'efg'),
        marked('d', 'aby'),
        marked('e', 'cdy'),
      ],
      [
        ['a', 'd'],
        ['b', 'e'],
      ],
    ],
    [
      'who goes on from the middle of one that others begin alike with',
      [marked('c', 'Scdxyz', true), marked('b', 'abcd'), marked('a', 'abq')],
      [['a', 'b', 'c']],
    ],
    [
      'forks that go on in the middle of two sessions without a beginning in common',
      [marked('a', 'pqab'), marked('b', 'xpqrs'), marked('c', 'ypqab'), marked('d', 'pqrs')],
      [['a', 'b', 'c', 'd']],
    ],
    ['no one who shares less than a step', [marked('a', 'axy'), marked('b', 'abc')], []],
  ])('finds %s', (_, sessions, expected) => {
    const found = new Map(expected.flatMap((own) => own.map((name) => [name, own[0]])));
    expect(findFamilies(sessions)).toEqual(found);
    expect(findFamilies(sessions.toReversed())).toEqual(findFamilies(sessions));
  });

  it('finds none where no step can be told from others', () => {
    const sessions = [marked('a', 'abc'), marked('b', 'abd')].map((session) => ({
      ...session,
      marks: { ...session.marks, least: Number.POSITIVE_INFINITY },
    }));
    expect(findFamilies(sessions)).toEqual(new Map());
  });

  it('has every session together with the one that it shares its beginning with', () => {
    const letters = array(constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 5 });
    const sessions = array(record({ letters, isPartial: boolean() }), {
      minLength: 3,
      maxLength: 6,
    });
    assert(
      property(sessions, (drawn) => {
        const all = drawn.map((one, index) =>
          marked(`s${index}`, one.letters.join(''), one.isPartial),
        );
        const shared = findSharedBeginnings(all);
        pre(shared.length > 0);
        const families = findFamilies(all);
        for (const { name, sharedWith } of shared) {
          expect(families.get(name)).toBeDefined();
          expect(families.get(name)).toBe(families.get(sharedWith));
        }
        // Nobody else is in a family: each member begins with what another one holds, or holds what another one begins with.
        for (const [name, first] of families) {
          const own = all.find((one) => one.name === name)!;
          const others = all.filter((one) => one !== own && families.get(one.name) === first);
          expect(others.some((other) => isStartIn(own, other) || isStartIn(other, own))).toBe(true);
        }
      }),
    );
  });
});
