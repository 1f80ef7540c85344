/** Subjects of facts: which of them a piece of text is about. */

import { keepIn } from '../../lib/collections.ts';
import { remembered } from '../../lib/text.ts';
import type { PlantedFact } from '../../session/facts.ts';
import SUBJECT_WORDS from './subject-words.json' with { type: 'json' };
import { VALUE } from './values.ts';

export interface Subject {
  /** The same for facts about the same. */
  readonly key: string;
  readonly all: readonly string[];
  /** Or all, where it has none of its own. */
  readonly words: readonly string[];
}

const JOINING =
  /^(?:the|an?|of|for|to|in|on|by|and|each|every|as|has|it|some|is|at|from|with|der|die|das|den|dem|des|eine?[snrm]?|für|von|zu|zum|zur|bei|im|und|jede[srnm]?|le|la|les|du|de|un|une|pour|et|el|los|las|del|para|y|по|для|и|в|на|의|の|的|里|每个|は|が|を|に|で|と|各|每|个|中)$/u;
const SCRIPTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** At the start of two forms of a word; the share is of the shorter. */
const LEAST_STEM = 4;
const STEM_SHARE = 0.7;
/** Endings of a short word; a longer one may also change within. */
const ENDING = /^(?:s|es|'s|n|en|e|ed|d|er|ern|ing|в|а|ы|и|ов|ам|у|е|ой|ом)?$/u;

const tokensOf = remembered(
  (text): readonly string[] =>
    text
      .toLowerCase()
      .replaceAll(VALUE, ' ')
      .match(/[\p{Script=Latin}\p{N}_']+|(?:(?!\p{Script=Latin})[\p{L}\p{N}_'])+/gu) ?? [],
);

const MEANINGS = Object.values(SUBJECT_WORDS)
  .flatMap((theme) => theme.split(', '))
  .map((meaning) => meaning.split(' '));

/** A word, and those of other languages that mean the same; of a compound, as its parts do. */
const translationsOf = remembered((word): readonly string[] => [
  ...new Set([word, ...MEANINGS.filter((own) => own.some((one) => hasPart(word, one))).flat()]),
]);

const MEASURES = new Set(SUBJECT_WORDS.limits.split(/,? /));

/** Tests if a word names what of a thing is measured, as limits of many things are. */
export function isMeasure(word: string): boolean {
  return MEASURES.has(word);
}

/** The subjects of facts, by the id of the fact. */
export function subjectsOf(facts: readonly PlantedFact[]): ReadonlyMap<string, Subject> {
  const uses = new Map<string, Set<string>>();
  for (const { kind, subject } of facts) {
    for (const word of subjectWords(subject))
      keepIn(uses, `${kind} ${word}`, () => new Set()).add(subject.toLowerCase());
  }
  return new Map(
    facts.map(({ id, kind, subject }) => {
      const all = subjectWords(subject);
      const own = all.filter((word) => uses.get(`${kind} ${word}`)?.size === 1);
      return [id, { key: subject.toLowerCase(), all, words: own.length > 0 ? own : all }];
    }),
  );
}

/** The share of some words that a piece of text has; 0 of none. */
export function shareNamed(words: readonly string[], text: string): number {
  return words.length === 0 ? 0 : namedWords(words, text).length / words.length;
}

/** Those of some words that a piece of text has. */
export function namedWords(words: readonly string[], text: string): readonly string[] {
  const tokens = tokensOf(text);
  return words.filter((word) => translationsOf(word).some((one) => isNamed(one, text, tokens)));
}

function subjectWords(subject: string): readonly string[] {
  const words: string[] = [];
  let end = 0;
  for (const { segment, index, isWordLike } of segmenter.segment(
    subject.normalize('NFKC').toLowerCase(),
  )) {
    if (isWordLike !== true || JOINING.test(segment)) continue;
    const last = words.at(-1);
    const isBound = index === end && segment.length === 1 && SCRIPTED.test(segment);
    if (isBound && last !== undefined && SCRIPTED.test(last))
      words[words.length - 1] = last + segment;
    else words.push(segment);
    end = index + segment.length;
  }
  return words;
}

function isNamed(word: string, text: string, tokens: readonly string[]): boolean {
  if (SCRIPTED.test(word)) {
    // Each half of a longer word in Chinese characters may stand for it.
    const isLong = word.length > 2 && /^\p{Script=Han}+$/u.test(word);
    const halves = isLong ? [word.slice(0, 2), word.slice(-2)] : [];
    return [word, ...halves].some((one) => text.includes(one));
  }
  return tokens.some((token) => isSameWord(word, token));
}

function hasPart(word: string, part: string): boolean {
  if (SCRIPTED.test(part)) return word === part || (part.length > 1 && word.includes(part));
  return isSameWord(part, word) || (part.length >= LEAST_STEM && word.startsWith(part));
}

/** Such as `widget` and `widgets`, or a part of a compound. */
function isSameWord(word: string, token: string): boolean {
  if (word === token || word.replace(/ies$/, 'y') === token.replace(/ies$/, 'y')) return true;
  const shorter = Math.min(word.length, token.length);
  const shared = sharedStart(word, token);
  if (shared === shorter && ENDING.test((word.length > shorter ? word : token).slice(shared)))
    return true;
  if (shared > LEAST_STEM && shared >= STEM_SHARE * shorter) return true;
  return word.length > LEAST_STEM && token.includes(word);
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
