/** Words of a text in order, each from where to where, and how far into the text it lies. */
export interface ScannedWords {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Words before it; a character of a script without spaces is half a word. */
  readonly at: readonly number[];
}

/** What a character is part of. */
const [UNKNOWN, OTHER, WORD, ALONE, SUFFIX] = [0, 1, 2, 3, 4];

/** Share of a word that one character of a script without spaces is. */
const ALONE_WEIGHT = 0.5;
const ASCII_END = 128;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** First and last characters of scripts that put no space between words. */
export const UNSPACED = [
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xd840, 0xd888],
  [0xf900, 0xfaff],
] as const;

/** First and last characters of scripts that put no space between a name in Latin letters and what they write onto it. */
export const ONTO_NAMES = [
  [0x0e00, 0x0eff],
  [0x1000, 0x11ff],
  [0x1780, 0x17ff],
  [0x3130, 0x318f],
  [0xac00, 0xd7af],
] as const;

/** Kinds of characters that were met, by their codes. */
const KINDS = new Uint8Array(0x1_00_00);

/** The words of a text; where a script has no spaces, each character is one. */
export function scanWords(text: string): ScannedWords {
  const starts: number[] = [];
  const ends: number[] = [];
  const at: number[] = [];
  let before = 0;
  for (let start = 0; start < text.length; ) {
    const kind = kindOf(text.charCodeAt(start));
    const end = isInWord(kind) ? endOfWord(text, start, kind) : start + 1;
    if (kind !== OTHER) {
      starts.push(start);
      ends.push(end);
      at.push(before);
      before += isInWord(kind) ? 1 : ALONE_WEIGHT;
    }
    start = end;
  }
  return { starts, ends, at };
}

/** Whether a character belongs to a word of several. */
export function isWordCharacter(character: string | undefined): boolean {
  return isInWord(kindOfCharacter(character));
}

/** Whether two characters beside one another belong to one word. */
export function isOneWord(one: string | undefined, other: string | undefined): boolean {
  return isWordCharacter(one) && kindOfCharacter(one) === kindOfCharacter(other);
}

function endOfWord(text: string, start: number, kind: number): number {
  let end = start + 1;
  while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end += 1;
  return end;
}

function isInWord(kind: number): boolean {
  return kind === WORD || kind === SUFFIX;
}

function kindOfCharacter(character = ''): number {
  return character === '' ? OTHER : kindOf(character.charCodeAt(0));
}

function kindOf(code: number): number {
  const known = KINDS[code] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  const kind = findKind(code);
  KINDS[code] = kind;
  return kind;
}

function findKind(code: number): number {
  if (code < ASCII_END) return /\w/.test(String.fromCharCode(code)) ? WORD : OTHER;
  if (isIn(UNSPACED, code)) return ALONE;
  if (isIn(ONTO_NAMES, code)) return SUFFIX;
  return LETTER.test(String.fromCharCode(code)) ? WORD : OTHER;
}

function isIn(ranges: typeof UNSPACED | typeof ONTO_NAMES, code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last);
}
