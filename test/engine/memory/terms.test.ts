import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '../../../src/engine/memory/terms.ts';

describe('termsOf', () => {
  it.each<[string, string, string]>([
    ['words in lower case', 'Fix the Tests, fix them!', 'fix the tests fix them'],
    ['words of any alphabet', 'Größe Ωμέγα ЁЖ', 'größe ωμέγα ёж'],
    ['composed and decomposed letters alike', 'e\u0301te\u0301', 'été'],
    ['full-width letters as plain ones', 'ＡＢＣ', 'abc'],
    ['numbers', '42 tests', '42 tests'],
    ['a path whole and in pieces', 'src/engine/loop.ts', 'src/engine/loop.ts src engine loop ts'],
    ['a path without the marks around it', './a/b/', 'a/b a b'],
    ['a version', 'v1.2', 'v1.2 v1 2'],
    ['snake case', 'max_tokens', 'max_tokens max tokens'],
    ['kebab case', 'by-age', 'by-age by age'],
    ['camel case', 'parseOutputCap', 'parseoutputcap parse output cap'],
    ['camel case with capitals in a row', 'XMLHttpRequest', 'xmlhttprequest xml http request'],
    ['camel case with digits', 'step2Done', 'step2done step2 done'],
    ['camel case within a path', 'a/bC', 'a/bc a bc b c'],
    ['a constant', 'PRUNE_MINIMUM', 'prune_minimum prune minimum'],
    ['Chinese as pairs', '压缩历史', '压缩 缩历 历史'],
    ['Japanese as pairs across its scripts', 'バグを修', 'バグ グを を修'],
    ['Korean as pairs', '안녕하', '안녕 녕하'],
    ['a single ideograph', '猫 a', '猫 a'],
    ['ideographs next to letters', 'src/日本語.ts', 'src 日本 本語 ts'],
    ['characters outside of the basic plane', '𠮷野家', '𠮷野 野家'],
    ['`__proto__`', '__proto__ constructor', 'proto constructor'],
    ['nothing in signs and pictures', '… -- 😀 ❤️ {}', ''],
    ['nothing in an empty text', '', ''],
    ['nothing in broken characters', '\ud800 \udc00', ''],
  ])('finds %s', (_, text, expected) => {
    expect([...termsOf(text)].join(' ')).toBe(expected);
  });

  it('leaves out data, but not what stands around it', () => {
    const data = 'Ab'.repeat(65);
    expect([...termsOf(`see ${data} and src/${data}`)]).toEqual(['see', 'and', 'src']);
  });

  it('keeps a word that is just short enough', () => {
    expect([...termsOf('x'.repeat(128))]).toEqual(['x'.repeat(128)]);
    expect([...termsOf('x'.repeat(129))]).toEqual([]);
  });

  it('finds terms in lower case, without spaces, and each again in itself', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(texts, (text) => {
        const terms = [...termsOf(text)];
        expect(terms.filter((term) => !/^[^\s\p{Lu}]+$/u.test(term.normalize('NFKC')))).toEqual([]);
        expect(terms.filter((term) => ![...termsOf(term)].includes(term))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
