/** Classes of characters, which let filler keep the shape of a text. */

/** Interchangeable characters: one script, one case, and the same length in UTF-16 and UTF-8. */
interface CharacterClass {
  /** The character that represents the class in a shape. */
  readonly sign: string;
  readonly members: readonly string[];
}

/** Maps characters to classes and back. */
export interface Classes {
  /** The shape of a text: one sign per character. */
  shapeOf(text: string): string;
  /** A random text of a shape; `random` returns numbers in [0, 1). */
  fill(shape: string, random: () => number): string;
  /** The character at that share of its class further on; itself only in a class of one. */
  turn(character: string, share: number): string;
}

interface Known {
  readonly byName: Map<string, CharacterClass>;
  readonly bySign: Map<string, CharacterClass>;
  readonly byCharacter: Map<string, CharacterClass>;
}

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
const CATEGORIES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No So Cf Co Cs Cn'.split(' ');
/** Characters that change the drawing of their neighbours. */
const STAYS: ReadonlySet<string> = new Set(['\u200d', '\ufe0e', '\ufe0f']);
const FIRST_SIGN = 0xe000;
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Classes with readable signs. */
const PLAIN: readonly (readonly [name: string, sign: string, members: string])[] = [
  ['Lu 0', 'A', UPPER],
  ['Ll 0', 'a', UPPER.toLowerCase()],
  ['Nd 0', '0', '0123456789'],
];

const categoryTests = CATEGORIES.map((name) => new RegExp(`^\\p{${name}}$`, 'u'));

/** Creates classes on first use of their characters. */
export function createClasses(): Classes {
  const known: Known = { byName: new Map(), bySign: new Map(), byCharacter: new Map() };
  for (const [name, sign, members] of PLAIN)
    addClass(known, name, { sign, members: members.split('') });
  return {
    shapeOf: (text) => {
      let shape = '';
      for (const character of text) shape += classOf(known, character).sign;
      return shape;
    },
    fill: (shape, random) =>
      Array.from(shape, (sign) => pick(known.bySign.get(sign)?.members ?? [sign], random)).join(''),
    turn: (character, share) => {
      const { members } = classOf(known, character);
      const by = 1 + Math.floor(share * (members.length - 1));
      return members[(members.indexOf(character) + by) % members.length] ?? character;
    },
  };
}

/** A random item; `random` returns numbers in [0, 1). */
function pick(list: readonly string[], random: () => number): string {
  return list[Math.floor(random() * list.length)] ?? '';
}

function classOf(known: Known, character: string): CharacterClass {
  const before = known.byCharacter.get(character);
  if (before !== undefined) return before;
  const name = nameOf(character);
  const found = known.byName.get(name) ?? addClass(known, name, makeClass(known, character));
  known.byCharacter.set(character, found);
  return found;
}

function makeClass({ byName }: Known, character: string): CharacterClass {
  return { sign: String.fromCharCode(FIRST_SIGN + byName.size), members: membersLike(character) };
}

function addClass(known: Known, name: string, added: CharacterClass): CharacterClass {
  known.byName.set(name, added);
  known.bySign.set(added.sign, added);
  return added;
}

function nameOf(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (STAYS.has(character)) return `stays ${character}`;
  const rangeIndex = RANGES.findIndex(([first, last]) => codePoint >= first && codePoint <= last);
  if (rangeIndex >= 0) return `range ${rangeIndex}`;
  return `${categoryOf(character)} ${Math.floor(codePoint / BLOCK_SIZE)}`;
}

function categoryOf(character: string): string {
  return CATEGORIES[categoryTests.findIndex((test) => test.test(character))] ?? 'other';
}

/** Characters of the same class nearby. */
function membersLike(character: string): readonly string[] {
  const codePoint = character.codePointAt(0) ?? 0;
  const range = RANGES.find(([first, last]) => codePoint >= first && codePoint <= last);
  const blockStart = codePoint - (codePoint % BLOCK_SIZE);
  const [first, last] = range ?? [blockStart, blockStart + BLOCK_SIZE - 1];
  const name = nameOf(character);
  const near = Array.from({ length: last - first + 1 }, (_, index) =>
    String.fromCodePoint(first + index),
  );
  return near.filter((other) => nameOf(other) === name);
}
