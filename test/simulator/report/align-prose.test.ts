import { describe, expect, it } from 'vitest';
import { alignProse } from '../../../src/simulator/report/align-prose.ts';
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
