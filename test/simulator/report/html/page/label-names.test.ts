import { describe, expect, it } from 'vitest';
import { labelNames } from '../../../../../src/simulator/report/html/page/label-names.js';

interface Given {
  readonly name: string;
  readonly parts?: readonly string[];
  readonly note?: string;
}

const toNamed = ({ name, parts = name.split(' '), note = '' }: Given) => ({ name, parts, note });

describe('labelNames', () => {
  it.each<[string, readonly Given[], number, readonly string[]]>([
    ['leaves out what all share', [{ name: 'a=1 b=2' }, { name: 'a=1 b=3' }], 40, ['b=2', 'b=3']],
    [
      'keeps what only some share',
      [{ name: 'a=1 b=2' }, { name: 'a=1 b=3' }, { name: 'a=4 b=3' }],
      40,
      ['a=1 b=2', 'a=1 b=3', 'a=4 b=3'],
    ],
    ['leaves a single name whole', [{ name: 'a=1 b=2' }], 40, ['a=1 b=2']],
    [
      'leaves out what tells nothing',
      [
        { name: 'a=1 dead=1', parts: ['a=1'] },
        { name: 'a=2 dead=5', parts: ['a=2'] },
      ],
      40,
      ['a=1', 'a=2'],
    ],
    [
      'leaves names without parts as they are',
      [
        { name: 'one policy', parts: [] },
        { name: 'one other', parts: [] },
      ],
      40,
      ['one policy', 'one other'],
    ],
    [
      'says a note behind a name in any case',
      [{ name: 'a=1 b=2', note: ' (today)' }, { name: 'a=1 b=3' }],
      40,
      ['b=2 (today)', 'b=3'],
    ],
    [
      'cuts what stays different, with its note, to so many letters',
      [{ name: 'reserved=20000 protect=1', note: ' (today)' }, { name: 'protect=40000 minimum=2' }],
      16,
      ['reserve… (today)', 'protect=40000 m…'],
    ],
    [
      'cuts nothing where that would make two the same',
      [
        { name: 'protect=20000 minimum=1' },
        { name: 'protect=20000 minimum=2 x=3' },
        { name: 'z=4' },
      ],
      16,
      ['protect=20000 minimum=1', 'protect=20000 minimum=2 x=3', 'z=4'],
    ],
    [
      'cuts those that are the same anyway',
      [{ name: 'protect=20000 minimum=1' }, { name: 'protect=20000 minimum=1' }, { name: 'z=4' }],
      16,
      ['protect=20000 m…', 'protect=20000 m…', 'z=4'],
    ],
  ])('%s', (_, given, most, expected) => {
    expect(labelNames(given.map(toNamed), most)).toEqual(expected);
  });
});
