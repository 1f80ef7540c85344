import { describe, expect, it } from 'vitest';
import { parseJsonc } from '../../../src/simulator/scenario/jsonc.ts';

describe('parseJsonc', () => {
  it.each<[string, string, unknown]>([
    ['plain JSON', '{"a": [1, null]}', { a: [1, null] }],
    ['a comment to the end of its line', '{"a": 1 // one, }\n}', { a: 1 }],
    ['a comment over several lines', '/* {\n */ {"a": /**/ 1}', { a: 1 }],
    ['a trailing comma in an object', '{"a": 1, }', { a: 1 }],
    ['a trailing comma in a list', '[1,\n // last\n]', [1]],
    [
      'what looks like a comment in a string',
      '{"url": "https://a/*b*/"}',
      { url: 'https://a/*b*/' },
    ],
    ['what looks like a trailing comma in a string', '["a,]", ",}"]', ['a,]', ',}']],
    ['a quote in a string', '["a\\"//b", "\\\\"] // end', ['a"//b', '\\']],
    ['a byte order mark', '\uFEFF{}', {}],
  ])('reads %s', (_, text, expected) => {
    expect(parseJsonc(text)).toEqual(expected);
  });

  it.each(['{"a": 1,, }', '{"a" 1}', '"open // string', '/* open {}', ''])('refuses %s', (text) => {
    expect(() => parseJsonc(text)).toThrow(SyntaxError);
  });
});
