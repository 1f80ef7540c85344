/** Words of a text in order, each from where to where, and how far into the text it lies. */
export interface ScannedWords {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Words before it; a character of a script without spaces is half a word. */
  readonly at: readonly number[];
}

/** What a character is part of. */
const OTHER = 0;
const WORD = 1;
const ALONE = 2;

/** Share of a word that one character of a script without spaces is. */
const ALONE_WEIGHT = 0.5;
const ASCII_END = 128;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** First and last characters of scripts that put no space between words. */
const UNSPACED = [
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xd840, 0xd888],
  [0xf900, 0xfaff],
] as const;

const ASCII: readonly number[] = Array.from({ length: ASCII_END }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? WORD : OTHER,
);

/** The words of a text; where a script has no spaces, each character is one. */
export function scanWords(text: string): ScannedWords {
  const starts: number[] = [];
  const ends: number[] = [];
  const at: number[] = [];
  let before = 0;
  let open = -1;
  const close = (end: number) => {
    if (open < 0) return;
    starts.push(open);
    ends.push(end);
    at.push(before);
    before += 1;
    open = -1;
  };
  for (let index = 0; index < text.length; index++) {
    const kind = kindOf(text.charCodeAt(index));
    if (kind === WORD) {
      if (open < 0) open = index;
      continue;
    }
    close(index);
    if (kind === OTHER) continue;
    starts.push(index);
    ends.push(index + 1);
    at.push(before);
    before += ALONE_WEIGHT;
  }
  close(text.length);
  return { starts, ends, at };
}

/** Whether a character belongs to a word of several. */
export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && character !== '' && kindOf(character.charCodeAt(0)) === WORD;
}

function kindOf(code: number): number {
  if (code < ASCII_END) return ASCII[code] ?? OTHER;
  if (UNSPACED.some(([first, last]) => code >= first && code <= last)) return ALONE;
  return LETTER.test(String.fromCharCode(code)) ? WORD : OTHER;
}
