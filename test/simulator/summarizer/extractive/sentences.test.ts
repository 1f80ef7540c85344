import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proseLines } from '../../../../src/simulator/summarizer/extractive/prose.ts';
import {
  findSentences,
  splitSentences,
} from '../../../../src/simulator/summarizer/extractive/sentences.ts';

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

describe('findSentences', () => {
  it('looks at the first and the last of very many lines', () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `Cue ${index}.`).join('\n');
    const found = findSentences([{ text: lines, at: 3, turn: 1 }], /cue/i);
    expect(found).toHaveLength(2_000);
    expect(found.slice(499, 501).map(({ text }) => text)).toEqual(['Cue 499.', 'Cue 3500.']);
    expect(found[0]).toEqual({ text: 'Cue 0.', at: 3, turn: 1 });
  });
});

describe('proseLines', () => {
  it.each([
    ['a\r\nb\rc\n\nd', ['a', 'b', 'c', 'd']],
    ['a\n```ts\nb\n```\nc', ['a', 'c']],
    ['a\n~~~\nb\n~~~\nc', ['a', 'c']],
    ['a\n```\nb\n```\nc\n```\nd', ['a', 'c', 'd']],
    ['Do:\n- a\n* b\n3) c\nThen d\n- e', ['Do: a', 'Do: b', 'Do: c', 'Then d', 'e']],
    ['做：\n\n- 甲', ['做： 甲']],
    [`${'x'.repeat(300)}:\n- a`, ['a']],
    ['Do:', []],
  ])('of %j are %j', (text, expected) => {
    expect(proseLines(text)).toEqual(expected);
  });
});
