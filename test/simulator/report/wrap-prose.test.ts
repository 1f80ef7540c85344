import { describe, expect, it } from 'vitest';
import { fitProse, wrapAfter, wrapProse } from '../../../src/simulator/report/wrap-prose.ts';

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
