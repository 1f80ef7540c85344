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

const ASCII_CODES = 128;
const LAST_CONTROL = 0xa0;
const FIRST_IDEOGRAPH = 0x3040;
const LAST_IDEOGRAPH = 0xd7a3;
const ASCII_KINDS = asciiKinds();

/** The bit of a character, by its code; 0 for one that stands between words. */
export function kindOf(code: number): number {
  if (code < ASCII_CODES) return ASCII_KINDS[code] ?? 0;
  if (code <= LAST_CONTROL) return 0;
  return code >= FIRST_IDEOGRAPH && code <= LAST_IDEOGRAPH ? IDEOGRAPH : LETTER;
}

function asciiKinds(): Uint8Array {
  const kinds = new Uint8Array(ASCII_CODES);
  const set = (characters: string, kind: number) => {
    for (const character of characters) kinds[character.charCodeAt(0)] = kind;
  };
  set('abcdefghijklmnopqrstuvwxyz', LOWER);
  set('ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER);
  set('0123456789', DIGIT);
  set('_', UNDERSCORE);
  set('.\\', DOT);
  set('/', SLASH);
  set('~$-', LINK);
  return kinds;
}
