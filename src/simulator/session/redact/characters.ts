import { keepIn } from '../../lib/collections.ts';

/** Characters that stand for one another: of one script and case, and equally long in UTF-16 and UTF-8. */
export interface Characters {
  /** Each character replaced by the first of its kind, so that equal shapes may replace one another. */
  shapeOf(text: string): string;
  /** A random text of the same shape; `random` returns numbers in [0, 1). */
  readonly fill: (text: string, random: () => number) => string;
  /** The character at that share of its kind further on; itself only where it is the only one. */
  turn(character: string, share: number): string;
}

/** Letters, digits and all else that can spell something, including marks, enclosed letters, Braille, flags, tags, private and unassigned ones. */
export const UNIT =
  /[\p{L}\p{M}\p{N}\p{Co}\p{Cn}\p{Cs}\u2460-\u24ff\u2800-\u28ff\u{1f100}-\u{1f1ff}\u{e0000}-\u{e01ef}]+/gu;

/** Scripts that share blocks, or span several. */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x0410, 0x042f], // Cyrillic capitals
  [0x0430, 0x044f], // Cyrillic small letters
  [0x24b6, 0x24cf], // capitals in circles
  [0x24d0, 0x24e9], // small letters in circles
  [0x3041, 0x3096], // Hiragana
  [0x30a1, 0x30fa], // Katakana
  [0x4e00, 0x9fa5], // ideographs
  [0xac00, 0xd7a3], // Hangul
  [0x1f1e6, 0x1f1ff], // letters of flags
];
const BLOCK_SIZE = 128;
const CATEGORIES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No So Cf Co Cs Cn'
  .split(' ')
  .map((name) => new RegExp(`^\\p{${name}}$`, 'u'));
/** Joiners and selectors, which change the drawing of their neighbours. */
const STAYS = /^(?:\u200d|\ufe0e|\ufe0f)$/;

/** Creates kinds of characters, each found where it is first met. */
export function createCharacters(): Characters {
  const byName = new Map<string, readonly string[]>();
  const byCharacter = new Map<string, readonly string[]>();
  const kindOf = (character: string): readonly string[] =>
    keepIn(byCharacter, character, () =>
      keepIn(byName, nameOf(character), () => membersLike(character)),
    );
  return {
    shapeOf: (text) => Array.from(text, (character) => kindOf(character)[0]).join(''),
    fill: (text, random) =>
      Array.from(text, (character) => {
        const kind = kindOf(character);
        return kind[Math.floor(random() * kind.length)];
      }).join(''),
    turn: (character, share) => {
      const kind = kindOf(character);
      const by = 1 + Math.floor(share * (kind.length - 1));
      return kind[(kind.indexOf(character) + by) % kind.length] ?? character;
    },
  };
}

function nameOf(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (STAYS.test(character)) return character;
  const range = rangeOf(codePoint);
  if (range !== undefined) return `from ${range[0]}`;
  const category = CATEGORIES.findIndex((test) => test.test(character));
  return `${category} ${Math.floor(codePoint / BLOCK_SIZE)}`;
}

function rangeOf(codePoint: number) {
  return RANGES.find(([first, last]) => codePoint >= first && codePoint <= last);
}

function membersLike(character: string): readonly string[] {
  const codePoint = character.codePointAt(0) ?? 0;
  const blockStart = codePoint - (codePoint % BLOCK_SIZE);
  const [first, last] = rangeOf(codePoint) ?? [blockStart, blockStart + BLOCK_SIZE - 1];
  const name = nameOf(character);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    String.fromCodePoint(first + index),
  ).filter((other) => nameOf(other) === name);
}
