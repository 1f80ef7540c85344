/** Tells how each unit of a text is replaced: alike in the whole file, or only in its sentence, identifier or path. */

import { eachUnit, isShortNumber, numberKey, prefixOf, type UnitPlace } from './units.ts';

/** The filler of a unit: shifted digits, the one that it has in the file, or one drawn under a key. */
export type Treatment =
  | { readonly as: 'number'; readonly key: string }
  | { readonly as: 'unit' }
  | ({ readonly as: 'drawn' } & Drawing);

/** How a word is drawn. */
export interface Drawing {
  /** The same under the same key. */
  readonly key: string;
  /** Characters that may stand before it under this key. */
  readonly prefixes: readonly string[];
}

/** The treatments of the units of a text, which are asked for in their order. */
export type TreatmentsIn = (text: string, standing: Standing) => (place: UnitPlace) => Treatment;

/**
 * Where a text stands. A system prompt may be public, so none of its common words has the filler that it has elsewhere; of a
 * recorder's template only its identifiers and paths have, because it may hold content.
 */
export type Standing = 'system' | 'template' | 'content';

interface TreatmentOptions {
  /** True for a word that identifies nothing on its own. */
  readonly isCommon: (unit: string) => boolean;
}

/** A piece of a text whose common words have their filler from it: another piece gives them another. */
interface Piece {
  readonly start: number;
  readonly text: string;
}

const BREAK = /\n\s*|[.!?]["'”’)\]]*\s+|[。！？]/g;
/** Marks that tools write before a line: its number, its file and number, or the mark of a difference. */
const LINE_MARK = /^\s*(?:(?:[^\s:]+:)?\d+\s?[:→|\t-]|[+\-<>|]\s)\s*/;
/** Words before another that decide its filler, so that a phrase stays equal wherever it is copied but for its first words. */
const WORDS_BEFORE = 1;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
const JOINT = /[_.-]/;
const BEFORE_PATH = /[/\\]$/;
const BEHIND_PATH = /^:?[/\\]/;
/** Before a word that may stand behind several characters. */
const USUAL_PREFIXES = ['', ' ', '/'];
/** Longest identifier on either side of a word. */
const LONGEST_SIDE = 64;

/** Creates the treatments of texts. */
export function createTreatments({ isCommon }: TreatmentOptions): TreatmentsIn {
  return (text, standing) => {
    const phraseOf = createPhrases(text);
    return (place) => {
      if (isShortNumber(place.unit)) {
        return { as: 'number', key: `${standing} ${numberKey(place)}` };
      }
      if (!isCommon(place.unit)) return { as: 'unit' };
      const joined = joinedWords(place);
      const piece = joined ?? (isInPath(place) ? undefined : phraseOf(place));
      // A folder of a path and a line of one word stay equal in a whole file.
      if (piece === undefined && standing !== 'system') return { as: 'unit' };
      const scope = standing === 'template' && joined !== undefined ? 'content' : standing;
      const key = `${scope} ${piece?.text}`;
      const isFirst = piece === undefined || piece.start === place.start;
      if (isFirst && joined !== undefined) return { as: 'drawn', key, prefixes: USUAL_PREFIXES };
      const own = prefixOf(place);
      return { as: 'drawn', key, prefixes: isFirst ? [...USUAL_PREFIXES, own] : [own] };
    };
  };
}

/** Finds what the words of a text are bound to, which are asked for in their order; nothing for the word of a sentence of one. */
function createPhrases(text: string) {
  const sentences = sentencesOf(text);
  let next = sentences.next();
  let words: readonly UnitPlace[] = [];
  let [index, offset] = [0, 0];
  return ({ start }: UnitPlace): Piece | undefined => {
    let last: Piece | undefined;
    for (; !next.done && next.value.start <= start; next = sentences.next()) last = next.value;
    if (last !== undefined) {
      words = placesOf(last.text);
      [index, offset] = [0, last.start];
    }
    while (index < words.length - 1 && offset + (words[index]?.start ?? 0) < start) index++;
    if (words.length < 2) return undefined;
    const first = Math.max(0, index - WORDS_BEFORE);
    const phrase = words.slice(first, Math.max(index, WORDS_BEFORE + 1) + 1);
    const [begin] = words;
    return { start: offset + (begin?.start ?? 0), text: phrase.map(({ unit }) => unit).join(' ') };
  };
}

function placesOf(text: string): readonly UnitPlace[] {
  const places: UnitPlace[] = [];
  eachUnit(text, (place) => places.push(place));
  return places;
}

/** Splits a text at line breaks, behind the marks before a line, and at the ends of sentences. */
function* sentencesOf(text: string): Generator<Piece, void, void> {
  let start = 0;
  for (const { 0: mark, index } of [...text.matchAll(BREAK), { 0: '', index: text.length }]) {
    const sentence = text.slice(start, index);
    const begin = LINE_MARK.exec(sentence)?.[0].length ?? 0;
    if (begin > 0) yield { start, text: sentence.slice(0, begin) };
    yield trimmed(sentence, start, begin);
    start = index + mark.length;
  }
}

function trimmed(sentence: string, offset: number, begin: number): Piece {
  let [start, end] = [begin, sentence.length];
  while (start < end && !WORD_CHARACTER.test(sentence.charAt(start))) start++;
  while (start < end && !WORD_CHARACTER.test(sentence.charAt(end - 1))) end--;
  return { start: offset + start, text: sentence.slice(start, end) };
}

/** The identifier or the dotted name that a word is a part of; `undefined` for a word that stands alone. */
function joinedWords(place: UnitPlace): Piece | undefined {
  const { unit, text, start } = place;
  const neighbours = text.charAt(start - 1) + text.charAt(start + unit.length);
  if (!JOINT.test(neighbours)) return undefined;
  const identifier = expand(place, '_-');
  const joined = identifier.text === unit ? expand(place, '_-.') : identifier;
  return joined.text === unit ? undefined : joined;
}

function expand({ unit, text, start }: UnitPlace, joints: string): Piece {
  const isInside = (index: number): boolean =>
    WORD_CHARACTER.test(text.charAt(index)) || isJoint(text, index, joints);
  let first = start;
  while (first > start - LONGEST_SIDE && isInside(first - 1)) first--;
  const end = start + unit.length;
  let last = end;
  while (last < end + LONGEST_SIDE && isInside(last)) last++;
  return { start: first, text: text.slice(first, last) };
}

/** A joint has words on both sides. */
function isJoint(text: string, index: number, joints: string): boolean {
  const character = text.charAt(index);
  if (character === '' || !joints.includes(character)) return false;
  return WORD_CHARACTER.test(text.charAt(index - 1)) && WORD_CHARACTER.test(text.charAt(index + 1));
}

function isInPath({ unit, text, start }: UnitPlace): boolean {
  const end = start + unit.length;
  return BEFORE_PATH.test(text.charAt(start - 1)) || BEHIND_PATH.test(text.slice(end, end + 2));
}
