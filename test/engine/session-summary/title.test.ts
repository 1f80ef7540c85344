import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTitle } from '../../../src/engine/session-summary/title.ts';

const hundred = 'x'.repeat(100);

describe('toTitle', () => {
  it.each<[string, string, string | undefined]>([
    ['takes a short line as it is', 'fix the tests', 'fix the tests'],
    ['takes the first line', 'Fix the tests\nand then the docs', 'Fix the tests'],
    ['takes the first line before CR', 'Fix the tests\r\nand then', 'Fix the tests'],
    ['skips blank lines at the start', '\n \n  Fix it', 'Fix it'],
    ['takes the first sentence', 'Fix the tests. Then the docs.', 'Fix the tests.'],
    ['takes a sentence that asks', 'Why? Nobody knows', 'Why?'],
    ['takes all marks at the end of a sentence', 'Wait... What', 'Wait...'],
    ['ends a sentence after a quotation', 'Say "no". Then go', 'Say "no".'],
    ['ends a sentence at a full-width stop', '修正してください。次に', '修正してください。'],
    [
      'does not end a sentence within a name',
      'Read src/a.ts or v1.2 now',
      'Read src/a.ts or v1.2 now',
    ],
    ['does not end a sentence before a small letter', 'Use e.g. the cache', 'Use e.g. the cache'],
    ['does not end a sentence at the number of a list', '1. Fix the tests', '1. Fix the tests'],
    ['makes one space of several', 'Fix \t the  tests', 'Fix the tests'],
    ['keeps a hundred characters', hundred, hundred],
    ['keeps a hundred characters of several words', `a ${'x'.repeat(98)}`, `a ${'x'.repeat(98)}`],
    ['cuts between words', `${'x'.repeat(90)} yyyyyyyyy zzz`, `${'x'.repeat(90)} yyyyyyyyy`],
    ['cuts before a word that crosses the limit', `${'x'.repeat(90)} yyyyyyyyyy`, 'x'.repeat(90)],
    ['cuts a word that is too long itself', `${hundred}yyy zzz`, hundred],
    ['counts characters, not their halves', '😀'.repeat(101), '😀'.repeat(100)],
    ['finds none in a blank text', ' \n\t', undefined],
    ['finds none in an empty text', '', undefined],
  ])('%s', (_, text, expected) => {
    expect(toTitle(text)).toBe(expected);
  });

  it('is one line of at most a hundred characters, without space around it', () => {
    const texts = fc
      .array(fc.constantFrom('word', 'Ab', '. ', '\n', ' ', '。', '😀', '!'), {
        maxLength: 200,
        size: 'max',
      })
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const title = toTitle(text) ?? '';
        expect(title).not.toMatch(/[\n\r]|^\s|\s$/u);
        expect(Array.from(title).length).toBeLessThanOrEqual(100);
        expect(title === '').toBe(text.trim() === '');
      }),
    );
  });
});
