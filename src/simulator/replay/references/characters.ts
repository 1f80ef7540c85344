/** What characters are part of, as bits: words and names are made of the first four, names of the others too. */
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
/** Stands in names only and makes a name of any word. */
export const DOT = 16;
export const SLASH = 32;
/** Stands in names only. */
export const LINK = 64;
/** Of any other script, and no part of names. */
export const LETTER = 128;
/** A word by itself. */
export const IDEOGRAPH = 256;

/** Of words in ASCII. */
export const ASCII_WORD = LOWER | UPPER | DIGIT | UNDERSCORE;

const CODES = 0x10000;
const LAST_CONTROL = 0xa0;
const FIRST_IDEOGRAPH = 0x3040;
const LAST_IDEOGRAPH = 0xd7a3;
const KINDS = kindsOfAll();

/** The codes of a text's characters, which are faster to go through than the text, and a 0 that ends its last word. */
export function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length + 1);
  Buffer.from(codes.buffer).write(text, 'utf16le');
  return codes;
}

/** The bit of a character, by its code; 0 for one that stands between words. */
export function kindOf(code: number): number {
  return KINDS[code] ?? 0;
}

function kindsOfAll(): Uint16Array {
  const kinds = new Uint16Array(CODES);
  const set = (characters: string, kind: number) => {
    for (const character of characters) kinds[character.charCodeAt(0)] = kind;
  };
  kinds.fill(LETTER, LAST_CONTROL + 1);
  kinds.fill(IDEOGRAPH, FIRST_IDEOGRAPH, LAST_IDEOGRAPH + 1);
  set('abcdefghijklmnopqrstuvwxyz', LOWER);
  set('ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER);
  set('0123456789', DIGIT);
  set('_', UNDERSCORE);
  set('.\\', DOT);
  set('/', SLASH);
  set('~$-', LINK);
  return kinds;
}
