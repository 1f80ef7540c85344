import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipLine, splitSentences, toLine, toShortLine } from '../../../src/simulator/lib/lines.ts';

describe('toLine', () => {
  it.each([
    ['one\n\ttwo\r\n  three ', 'one two three'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]0;never closed', ''],
    ['\u001bMup', 'up'],
    ['\u001b', ''],
    ['\u009b31mred', '31mred'],
    ['a\u0000b\u2028c\u202ed\u2066e\ufefff', 'a b c d e f'],
    ['half\ud800', 'half'],
    ['👨‍👩‍👧', '👨‍👩‍👧'],
    ['- item', 'item'],
    ['## Goal', 'Goal'],
    ['> * 1. deep', 'deep'],
    ['-x 3.5 #4', '-x 3.5 #4'],
  ])('of %j is %j', (raw, expected) => {
    expect(toLine(raw)).toBe(expected);
  });
});

describe('clipLine', () => {
  it.each<[string, number, string]>([
    ['short', 5, 'short'],
    ['One sentence. Another one.', 20, 'One sentence.…'],
    ['No. A long sentence follows here', 20, 'No. A long sentence…'],
    ['look at src/deep/file.ts now', 20, 'look at…'],
    ['look at src/deep/file.ts now', 26, 'look at src/deep/file.ts…'],
    ['see C:\\deep\\file.ts now', 12, 'see…'],
    ['src/deep/file.ts', 10, ''],
    ['修改文件，再测试一下程序', 8, '修改文件，再测…'],
    ['请修改“docs/设计/文件.md”这个', 9, '请修改“…'],
    ['identifier', 5, 'iden…'],
    ['an identifier', 7, 'an…'],
    ['😀😀😀', 4, '😀…'],
    ['e\u0301e\u0301e\u0301', 4, 'e\u0301…'],
    ['in src/App.Test.tsx. Then more', 24, 'in src/App.Test.tsx.…'],
    ['x', 0, ''],
  ])('%j at %i: %j', (line, maxChars, expected) => {
    expect(clipLine(line, maxChars)).toBe(expected);
  });

  it('gives a beginning that is no longer than asked for and holds no half path', () => {
    const words = fc.constantFrom(
      'a',
      'word',
      'src/a/b.ts',
      '中文',
      '/x/設計/y.md',
      'End. ',
      '“',
      '😀',
    );
    const lines = fc.tuple(
      fc.array(words, { minLength: 5, maxLength: 40 }),
      fc.constantFrom(' ', ' ', '，'),
    );
    fc.assert(
      fc.property(lines, fc.nat({ max: 60 }), ([list, separator], maxChars) => {
        const line = list.join(separator);
        fc.pre(line.length > maxChars);
        const clipped = clipLine(line, maxChars);
        const kept = clipped.replace(/…$/, '');
        expect(clipped.length).toBeLessThanOrEqual(maxChars);
        expect(line.startsWith(kept)).toBe(true);
        for (const word of kept.split(/[\s，“]+/).filter((part) => part.includes('/')))
          expect(list).toContain(word);
      }),
    );
  });
});

describe('toShortLine', () => {
  it('begins where the text does', () => {
    expect(toShortLine(`${'\n'.repeat(100)}word`, 5)).toBe('word');
  });

  it('reads no more of a huge text than it needs', () => {
    expect(toShortLine(`\n\n${'word '.repeat(1_000_000)}`, 11)).toBe('word word…');
  });
});

describe('splitSentences', () => {
  it.each([
    ['One. Two! Three?', ['One. ', 'Two! ', 'Three?']],
    ['See App.Test.tsx or v1.2.Beta. Next.', ['See App.Test.tsx or v1.2.Beta. ', 'Next.']],
    ['第一句。第二句！第三', ['第一句。', '第二句！', '第三']],
    ['一つ目です。二つ目です。', ['一つ目です。', '二つ目です。']],
    ['See e.g. this one. Next.', ['See e.g. this one. ', 'Next.']],
    ['It is no. 3 of them. Next.', ['It is no. 3 of them. ', 'Next.']],
    ['Wait! , he said. Next.', ['Wait! , he said. ', 'Next.']],
    ['“Wait.” Next (now!) and then.', ['“Wait.” ', 'Next (now!) ', 'and then.']],
    ['Why?! Because… of it.', ['Why?! ', 'Because… of it.']],
    ['«Да.» Потом.', ['«Да.» ', 'Потом.']],
    ['「はい。」次です。', ['「はい。」', '次です。']],
    ['One\nTwo', ['One\n', 'Two']],
    ['', []],
  ])('of %j are %j', (text, expected) => {
    expect(splitSentences(text)).toEqual(expected);
  });

  it('loses nothing, however long the text is', () => {
    const words = fc.constantFrom('word', 'End. ', ' ', '句。', '.Upper', 'x'.repeat(900), '? ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60, size: 'max' }), (list) => {
        expect(splitSentences(list.join('')).join('')).toBe(list.join(''));
      }),
    );
  });
});
