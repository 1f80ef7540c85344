import { array, assert, constantFrom, nat, property, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSharedBeginnings } from '../../../../src/simulator/session/repeats/shared-beginnings.ts';

/** A session whose messages are letters; the first step is its second message. */
function marked(name: string, letters: string, isPartial = false) {
  const ofMessages = Float64Array.from(letters, (letter) => letter.codePointAt(0) ?? 0);
  return { name, isPartial, size: letters.length, marks: { ofMessages, least: 2 } };
}

const found = (...sessions: readonly ReturnType<typeof marked>[]) =>
  findSharedBeginnings(sessions).map(({ name, sharedWith, messages }) => [
    name,
    sharedWith,
    messages,
  ]);

describe('findSharedBeginnings', () => {
  it.each<[string, readonly ReturnType<typeof marked>[], readonly unknown[]]>([
    [
      'a session that goes another way',
      [marked('fork', 'abcxy'), marked('long', 'abcdefg')],
      [['fork', 'long', 3]],
    ],
    [
      'every one of several with the longest',
      [marked('one', 'abcx'), marked('two', 'abyz'), marked('long', 'abcde')],
      [
        ['one', 'long', 3],
        ['two', 'long', 2],
      ],
    ],
    [
      'what two forks share beyond the longest',
      [marked('one', 'abxyz'), marked('two', 'abxy'), marked('long', 'abcdefg')],
      [
        ['one', 'long', 2],
        ['two', 'one', 4],
      ],
    ],
    ['the second by name of two alike', [marked('b', 'abc'), marked('a', 'abc')], [['b', 'a', 3]]],
    [
      'what goes on from the middle, however long it is',
      [marked('resumed', 'Scdefghij', true), marked('old', 'abcd')],
      [['resumed', 'old', 3]],
    ],
    [
      'what goes on behind the first message',
      [marked('resumed', 'Sbcdefghij', true), marked('old', 'abcd')],
      [['resumed', 'old', 4]],
    ],
    [
      'one of two that begin alike but for a summary before one of them',
      [marked('resumed', 'Sabcd', true), marked('other', 'abcdefg')],
      [['resumed', 'other', 5]],
    ],
    [
      'the other one where it is shorter',
      [marked('resumed', 'Sabcdef', true), marked('other', 'abcd')],
      [['other', 'resumed', 4]],
    ],
    ['nothing behind a first message that differs', [marked('a', 'Xbcd'), marked('b', 'abcd')], []],
    ['no greeting that nobody answered', [marked('a', 'axyz'), marked('b', 'abcd')], []],
    [
      'nothing in sessions without a beginning in common',
      [marked('a', 'abc'), marked('b', 'def')],
      [],
    ],
  ])('finds %s', (_, sessions, expected) => {
    expect(found(...sessions)).toEqual(expected);
    expect(found(...sessions.toReversed())).toEqual(expected);
  });

  it('finds nothing where no step can be told from others', () => {
    const [one, other] = [marked('one', 'abcd'), marked('other', 'abc')].map((session) => ({
      ...session,
      marks: { ...session.marks, least: Number.POSITIVE_INFINITY },
    }));
    expect(findSharedBeginnings([one!, other!])).toEqual([]);
  });

  it('counts every message of a family of forks once, whatever the order of the files', () => {
    // Each session is a path in a tree: a letter, then a branch of the one before.
    const path = array(constantFrom('l', 'r'), { minLength: 1, maxLength: 6 });
    const paths = uniqueArray(path, { minLength: 2, maxLength: 6, selector: String });
    assert(
      property(paths, nat(), (family, turn) => {
        const sessions = family.map((steps) => {
          const nodes = ['', ...steps].map((_, index) => steps.slice(0, index).join(''));
          const ofMessages = Float64Array.from(nodes, (node) =>
            Number.parseInt(`1${toBits(node)}`, 2),
          );
          const name = steps.join('');
          return { name, isPartial: false, size: 0, marks: { ofMessages, least: 1 } };
        });
        const shift = turn % sessions.length;
        const shared = findSharedBeginnings([
          ...sessions.slice(shift),
          ...sessions.slice(0, shift),
        ]);
        expect(shared).toEqual(findSharedBeginnings(sessions));
        const skipped = new Map(shared.map(({ name, messages }) => [name, messages]));
        const counted = sessions.flatMap(({ name, marks }) => [
          ...marks.ofMessages.subarray(skipped.get(name) ?? 0),
        ]);
        const all = sessions.flatMap(({ marks }) => [...marks.ofMessages]);
        expect(counted).toHaveLength(new Set(all).size);
        expect(new Set(counted)).toEqual(new Set(all));
      }),
    );
  });
});

const toBits = (path: string) => path.replaceAll('l', '0').replaceAll('r', '1');
