import { expect, it } from 'vitest';
import {
  alignProse,
  alignRows,
  fitProse,
  wrapAfter,
  wrapProse,
} from '../../../src/simulator/report/layout.ts';
import { PIPE, terminalOf } from '../../support/terminals.ts';

const TOLD = [
  ['a', 'tokens', 'What is said of it in some words.'],
  ['読む', 'usd', 'Little.'],
];
const RED = '\u001b[31mred\u001b[39m';

const ROWS: readonly (readonly [string, readonly (readonly string[])[]])[] = [
  [
    'names begin alike, numbers end alike',
    [
      ['Tool', 'Calls'],
      ['read', '12'],
      ['e', '7'],
    ],
  ],
  [
    'a wide character takes two columns',
    [
      ['読む', '12'],
      ['read', '7'],
      ['書', '100'],
    ],
  ],
  ['a row may be shorter than others', [['a', '1', '2'], ['b']]],
  [
    'a column in which nothing stands is left out',
    [
      ['a', '', '2'],
      ['b', '', '30'],
    ],
  ],
  ['no row is no line', []],
];

const PROSE: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a line that fits', 'one two 34'],
  ['words where the next one does not fit', 'one two 345'],
  ['a word that is longer than a line', 'a /path/of/a/file b'],
  ['wide characters by their width', '読む 読む 読む'],
  ['an item below its first word', '- one two three'],
  ['an item that begins with a long word', '- /path/to/it: no'],
  ['a line that stands farther in', '  one two three'],
  ['an item that stands farther in', '  ✗ one two'],
  ['gaps as they are, but where it breaks', 'a  b  three four'],
  ['each line of its own', 'one\ntwo three four\n'],
  ['no line that a CI log obeys', 'one two ::error::x'],
];

it('lays rows and prose out in lines', async () => {
  const whole = alignProse(TOLD, PIPE);
  expect(alignProse(TOLD, terminalOf(47))).toBe(whole);
  const laidOut = [
    ...ROWS.map(([rule, rows]) => `${rule}:\n${alignRows(rows)}`),
    `columns that are names:\n${alignRows(
      [
        ['a', 'long', '1'],
        ['bb', 'x', '22'],
      ],
      (column) => column < 2,
    )}`,
    `prose whole:\n${whole}`,
    `prose below its start:\n${alignProse(TOLD, terminalOf(46))}`,
    `prose below its row:\n${alignProse(TOLD, terminalOf(33))}`,
    ...PROSE.map(([what, text]) => `breaks ${what}:\n${wrapProse(text, 10)}`),
    `behind an opening:\n${wrapAfter('a long name  ', 'one two three', 20)}`,
  ];
  await expect(`${laidOut.join('\n\n')}\n`).toMatchFileSnapshot(
    '../../fixtures/snapshots/prose.txt',
  );
});

it('gives colours no room', () => {
  expect(
    alignRows([
      [RED, '12'],
      ['blue', '7'],
    ]),
  ).toBe(`${RED}   12\nblue   7`);
});

it('has no line longer than one can read, however wide the terminal is', () => {
  const text = 'word '.repeat(60).trimEnd();
  for (const terminalColumns of [undefined, 200]) {
    const lines = wrapProse(text, terminalColumns).split('\n');
    expect(lines.map(({ length }) => length)).toEqual([99, 99, 99]);
  }
});

it('breaks nothing where nobody knows how wide the terminal is', () => {
  const text = `- ${'word '.repeat(60)}`;
  expect(fitProse(text, {})).toBe(text);
  expect(fitProse('one two', { terminalColumns: 3 })).toBe('one\ntwo');
});
