import { describe, expect, it } from 'vitest';
import {
  alignProse,
  alignRows,
  fillEnd,
  fitProse,
  wrapAfter,
  wrapProse,
} from '../../../src/simulator/report/prose.ts';
import { PIPE, terminalOf } from '../../support/terminals.ts';

const rows = [
  ['a', 'tokens', 'What is said of it in some words.'],
  ['読む', 'usd', 'Little.'],
];

describe('alignProse', () => {
  it.each<[where: string, terminal: Parameters<typeof alignProse>[1], lines: readonly string[]]>([
    [
      'whole where nobody knows how much room there is',
      PIPE,
      ['a     tokens  What is said of it in some words.', '読む  usd     Little.'],
    ],
    [
      'whole where there is room',
      terminalOf(47),
      ['a     tokens  What is said of it in some words.', '読む  usd     Little.'],
    ],
    [
      'below its start where there is too little',
      terminalOf(46),
      ['a     tokens  What is said of it in some', '              words.', '読む  usd     Little.'],
    ],
    [
      'below its row where there is next to none',
      terminalOf(33),
      ['a     tokens', '  What is said of it in some', '  words.', '読む  usd', '  Little.'],
    ],
  ])('has prose %s', (_, terminal, lines) => {
    expect(alignProse(rows, terminal).split('\n')).toEqual(lines);
  });

  it('breaks no name, and leaves it where it is', () => {
    expect(alignProse([['a name'], ['b']], terminalOf(4))).toBe('a name\nb');
  });
});

const RED = '\u001b[31mred\u001b[39m';

describe('alignRows', () => {
  it.each([
    {
      rule: 'names begin alike, numbers end alike',
      rows: [
        ['Tool', 'Calls'],
        ['read', '12'],
        ['e', '7'],
      ],
      lines: ['Tool  Calls', 'read     12', 'e         7'],
    },
    {
      rule: 'a wide character takes two columns',
      rows: [
        ['読む', '12'],
        ['read', '7'],
        ['書', '100'],
      ],
      lines: ['読む   12', 'read    7', '書    100'],
    },
    {
      rule: 'a colour takes none',
      rows: [
        [RED, '12'],
        ['blue', '7'],
      ],
      lines: [`${RED}   12`, 'blue   7'],
    },
    {
      rule: 'a row may be shorter than others',
      rows: [['a', '1', '2'], ['b']],
      lines: ['a  1  2', 'b'],
    },
    {
      rule: 'a column in which nothing stands is left out',
      rows: [
        ['a', '', '2'],
        ['b', '', '30'],
      ],
      lines: ['a   2', 'b  30'],
    },
    { rule: 'no row is no line', rows: [], lines: [''] },
  ])('$rule', ({ rows, lines }) => {
    expect(alignRows(rows).split('\n')).toEqual(lines);
  });

  it('takes the columns for names that it is told', () => {
    const rows = [
      ['a', 'long', '1'],
      ['bb', 'x', '22'],
    ];
    expect(alignRows(rows, (column) => column < 2)).toBe('a   long   1\nbb  x     22');
  });
});

describe('fillEnd', () => {
  it('leaves a text as it is that is wide enough', () => {
    expect([fillEnd('読む', 4), fillEnd('read', 2), fillEnd('e', 3)]).toEqual([
      '読む',
      'read',
      'e  ',
    ]);
  });
});

describe('wrapProse', () => {
  it.each<[what: string, text: string, lines: readonly string[]]>([
    ['nothing', '', ['']],
    ['a line that fits', 'one two 34', ['one two 34']],
    ['words where the next one does not fit', 'one two 345', ['one two', '345']],
    ['a word that is longer than a line', 'a /path/of/a/file b', ['a', '/path/of/a/file', 'b']],
    ['wide characters by their width', '読む 読む 読む', ['読む 読む', '読む']],
    ['an item below its first word', '- one two three', ['- one two', '  three']],
    ['an item that begins with a long word', '- /path/to/it: no', ['- /path/to/it:', '  no']],
    ['a line that stands farther in', '  one two three', ['  one two', '  three']],
    ['an item that stands farther in', '  ✗ one two', ['  ✗ one', '    two']],
    ['gaps as they are, but where it breaks', 'a  b  three four', ['a  b', 'three four']],
    ['each line of its own', 'one\ntwo three four\n', ['one', 'two three', 'four', '']],
    ['no line that a CI log obeys', 'one two ::error::x', ['one', 'two ::error::x']],
  ])('breaks %s', (_, text, lines) => {
    expect(wrapProse(text, 10).split('\n')).toEqual(lines);
  });

  it('has no line longer than one can read, however wide the terminal is', () => {
    const text = 'word '.repeat(60).trimEnd();
    for (const terminalColumns of [undefined, 200]) {
      const lengths = wrapProse(text, terminalColumns)
        .split('\n')
        .map((line) => line.length);
      expect(lengths).toEqual([99, 99, 99]);
    }
  });
});

describe('fitProse', () => {
  it('breaks nothing where nobody knows how wide the terminal is', () => {
    const text = `- ${'word '.repeat(60)}`;
    expect(fitProse(text, {})).toBe(text);
    expect(fitProse('one two', { terminalColumns: 3 })).toBe('one\ntwo');
  });
});

describe('wrapAfter', () => {
  it('keeps the opening whole, and begins further lines behind it', () => {
    expect(wrapAfter('a long name  ', 'one two three', 20)).toBe(
      'a long name  one two\n             three',
    );
  });
});
