import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';

/** Characters that make one piece of a text when they stand in a row, by kind. */
export const alphabets = {
  'one letter': ['a'],
  'lower case': Array.from('abcdefghijklmnopqrstuvwxyz'),
  'both cases': Array.from('aAbBeEtTnN'),
  punctuation: Array.from('=-_./*{}()<>"#'),
  spaces: [' '],
  'accented letters': Array.from('éàüñçßøå'),
  ideographs: Array.from('中文字符的一是不了人我在有他这为之大来以个'),
  kana: Array.from('あいうえおカキクケコー'),
  emoji: ['😀', '👍', '🚀', '❤️', '👨‍👩‍👧'],
  'combining marks': ['e\u0301', 'a\u0308', '\u0300'],
  'lone surrogates': ['\ud800', '\udc00', '\udbff\ud83d'],
  'bytes of UTF-8': ['\u00c3', '\u00a9', '\u00e2', '\u0080'],
  'byte order marks': ['\ufeff', 'a'],
} as const satisfies Record<string, readonly string[]>;

/** Texts over an alphabet whose UTF-8 bytes lie in that range, unless a single letter is longer. */
export function textOf(
  alphabet: readonly string[],
  { minBytes, maxBytes }: { minBytes: number; maxBytes: number },
): fc.Arbitrary<string> {
  return fc
    .integer({ min: minBytes, max: maxBytes })
    .chain((bytes) => lettersOf(alphabet, bytes).map((letters) => cutToBytes(letters, bytes)));
}

function lettersOf(alphabet: readonly string[], length: number): fc.Arbitrary<string[]> {
  return fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length });
}

function cutToBytes([first = '', ...rest]: readonly string[], maxBytes: number): string {
  let text = first;
  for (const letter of rest) {
    if (Buffer.byteLength(text + letter) > maxBytes) break;
    text += letter;
  }
  return text;
}
