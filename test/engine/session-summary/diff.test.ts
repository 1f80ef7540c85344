import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLineChanges, diffFiles } from '../../../src/engine/index.ts';

/** Few different lines, so that texts share many of them, in every order. */
const lines = fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', '\n', 'a\r\n');
const texts = fc
  .record({
    body: fc.array(lines, { maxLength: 16, size: 'max' }),
    end: fc.constantFrom('', '', 'a', 'b'),
  })
  .map(({ body, end }) => [...body, end].join(''));

describe('countLineChanges', () => {
  it.each<[string, string, string, number, number]>([
    ['finds nothing between equal texts', 'a\nb\n', 'a\nb\n', 0, 0],
    ['finds nothing between empty texts', '', '', 0, 0],
    ['counts every line of a new text', '', 'a\nb\n', 2, 0],
    ['counts every line of a text that is gone', 'a\nb', '', 0, 2],
    ['counts a changed line on both sides', 'a\nb\nc\n', 'a\nx\nc\n', 1, 1],
    ['counts a moved line on both sides', 'a\nb\nc\n', 'b\nc\na\n', 1, 1],
    ['keeps the longest common lines, not the first ones', 'x\na\nb\n', 'a\nb\nx\n', 1, 1],
    ['counts an inserted line once', 'a\nc\n', 'a\nb\nc\n', 1, 0],
    ['counts one of several equal lines', 'a\na\na\n', 'a\na\n', 0, 1],
    ['counts a blank line', 'a\nb\n', 'a\n\nb\n', 1, 0],
    ['takes a line break at the end for no further line', 'a\n', 'b\n', 1, 1],
    ['takes a missing line break at the end for another line', 'a\nb', 'a\nb\n', 1, 1],
    ['takes CRLF for one line break', 'a\r\nb\r\n', 'a\r\nb\r\nc\r\n', 1, 0],
    ['takes CRLF and LF for different line breaks', 'a\r\nb\n', 'a\nb\n', 1, 1],
    ['takes a lone CR for no line break', 'a\rb', 'a\rc', 1, 1],
  ])('%s', (...[, before, after, additions, deletions]) => {
    expect(countLineChanges(before, after)).toEqual({ additions, deletions });
  });

  it('finds the smallest difference', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const kept = commonLines(linesOf(before), linesOf(after));
        expect(countLineChanges(before, after)).toEqual({
          additions: linesOf(after).length - kept,
          deletions: linesOf(before).length - kept,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the other way round when the texts are exchanged', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { additions, deletions } = countLineChanges(before, after);
        expect(countLineChanges(after, before)).toEqual({
          additions: deletions,
          deletions: additions,
        });
      }),
    );
  });

  it('finds nothing exactly where nothing differs', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { additions, deletions } = countLineChanges(before, after);
        expect(additions + deletions === 0).toBe(before === after);
      }),
    );
  });

  it.each<[string, number, number, number]>([
    ['finds the smallest difference up to 20,000 lines', 19_999, 19_999, 1],
    ['counts everything between the common ends beyond', 20_000, 20_001, 2],
  ])('%s', (...[, repeats, additions, deletions]) => {
    const after = `b\n${'a\n'.repeat(repeats)}end\n`;
    expect(countLineChanges('a\nb\nend\n', after)).toEqual({ additions, deletions });
  });

  it('does not count what only one text has towards that limit', () => {
    const replaced = Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join('');
    const before = `a\n${'x\n'.repeat(30_000)}a\nend\n`;
    expect(countLineChanges(before, `b\na\n${replaced}a\n`)).toEqual({
      additions: 30_001,
      deletions: 30_001,
    });
  });
});

describe('diffFiles', () => {
  it('names the files that differ, in order of their paths', () => {
    const before = new Map([
      ['same.ts', 'a\n'],
      ['gone.ts', 'a\nb\n'],
      ['changed.ts', 'a\nb\n'],
    ]);
    const after = new Map([
      ['new.ts', 'a\n'],
      ['same.ts', 'a\n'],
      ['changed.ts', 'a\nc\nd\n'],
    ]);
    expect(diffFiles(before, after)).toEqual([
      { file: 'changed.ts', before: 'a\nb\n', after: 'a\nc\nd\n', additions: 2, deletions: 1 },
      { file: 'gone.ts', before: 'a\nb\n', after: '', additions: 0, deletions: 2 },
      { file: 'new.ts', before: '', after: 'a\n', additions: 1, deletions: 0 },
    ]);
  });

  it('names an empty file that is new', () => {
    expect(diffFiles(new Map(), new Map([['empty', '']]))).toEqual([
      { file: 'empty', before: '', after: '', additions: 0, deletions: 0 },
    ]);
  });

  it('takes `__proto__` for a path like any other', () => {
    const diff = diffFiles(new Map(), new Map([['__proto__', 'a\n']]));
    expect(diff.map(({ file, additions }) => [file, additions])).toEqual([['__proto__', 1]]);
  });
});

/** A second opinion: the length of the longest common subsequence by its textbook table. */
function commonLines(before: readonly string[], after: readonly string[]): number {
  let below = Array.from({ length: after.length + 1 }, () => 0);
  for (const line of before.toReversed()) {
    const row = [...below];
    for (let index = after.length - 1; index >= 0; index -= 1) {
      row[index] =
        line === after[index] ? below[index + 1]! + 1 : Math.max(below[index]!, row[index + 1]!);
    }
    below = row;
  }
  return below[0]!;
}

/** Lines with their endings, found otherwise than in the code under test. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}
