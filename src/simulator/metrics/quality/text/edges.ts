/** Whether a value stands whole where it was found, or as part of a longer name or number. */

import { UNITS } from './other-forms.ts';
import { isOneWord, isWordCharacter } from './scan-words.ts';

/** What may stand before a value that is the end of an absolute path, or of one cut short. */
const ROOT = /(?:^|[^\w./~-])(?:~|\.{3}|…|[a-z]:)?(?:\/[\w.@~-]*)*\/$|[a-z]+:\/\/[\w./@~:-]*\/$/;
/** A number, with its unit or without. */
const NUMBER = /^\d+(?:[.,]\d+)*(?: ?[a-z%]+)?$/;
/** No path before a value is longer. */
const LONGEST_ROOT = 200;

/** Units that are not parts of numbers, as letters for thousands and millions are. */
const WHOLE_UNITS = [...UNITS.filter((unit) => !['k', 'm', '%'].includes(unit)), 'byte', 'b'];
const WITH_UNIT = new RegExp(`^(\\d+)(?:${WHOLE_UNITS.join('|')})$`);
const UNIT_BEHIND = new RegExp(`^-?(?:${WHOLE_UNITS.join('|')})(?![\\w-])`);
/** No unit with what it is tied to a number with is longer. */
const LONGEST_UNIT = 12;
const BARE_NUMBER = /^\d[\d.,_' ]*$/;

/** What makes a word of a name that says no more than the name. */
const OF_THAT_NAME =
  /^-(?:based|specific|types?|typed|related|driven|backed|powered|aware)(?![\w-])/;
const LONGEST_ENDING = 12;

/** What names of one kind look like, each of which is whole beside another one: `E_OLD/E_NEW`. */
const KINDS = [
  /^(?:e|err)_\w+$|^\w+(?:error|exception)$/,
  /^(?=[\w-]*\d)(?=[\w-]*[_-])[\w-]+$/,
  /^[a-z]\w*_\w+$/,
];
const NAME_BEFORE = /(?<![\w./~@-])[\w-]+(?=\/$)/;
const NAME_BEHIND = /^\/([\w-]+)(?![\w/@-]|\.\w)/;
const LONGEST_NAME = 100;

/** The digits of a number that is written in one word with its unit. */
export function digitsOf(word: string): string | undefined {
  const isMixed = /^\d/.test(word) && /\D$/.test(word);
  return isMixed ? WITH_UNIT.exec(word)?.[1] : undefined;
}

/** What a value begins behind: nothing of its own, the folders that lead to it, or the start of a longer name. */
export function edgeBefore(
  text: string,
  start: number,
  value: string,
): 'free' | 'rooted' | 'joined' {
  const before = text[start - 1];
  if (before === undefined) return 'free';
  const isWord = isWordCharacter(value[0]);
  if (isOneWord(before, value[0])) return 'joined';
  if (before === '/') {
    if (isAlternative(value, nameBefore(text, start))) return 'free';
    const root = text.slice(Math.max(0, start - LONGEST_ROOT), start);
    return ROOT.test(root) ? 'rooted' : 'joined';
  }
  if (isMinus(before, text[start - 2]) && NUMBER.test(value)) return 'joined';
  const isPoint = before === '.' && (hasDots(value) || isDigit(value[0], text[start - 2]));
  const isLink = before === '-' || before === ',' || isPoint;
  const isJoined = isLink && isWordCharacter(text[start - 2]) && isWord;
  const isNumberGroup = before === ',' && !/\d/.test(value[0] ?? '');
  return isJoined && !isNumberGroup ? 'joined' : 'free';
}

/** Whether a value goes on behind its end. */
export function isJoinedAfter(text: string, end: number, value: string): boolean {
  if (!isWordCharacter(value.at(-1))) return false;
  const [next = '', afterNext] = [text[end], text[end + 1]];
  if (isOneWord(value.at(-1), next)) return !isBeforeWholeUnit(text, end, value);
  if (next === '-') {
    return (
      isWordCharacter(afterNext) &&
      !isBeforeWholeUnit(text, end, value) &&
      !isInWordOfName(text, end)
    );
  }
  if (next === '/') {
    return isWordCharacter(afterNext) && !isAlternative(value, nameBehind(text, end));
  }
  if (next === '.') {
    return hasDots(value) ? isWordCharacter(afterNext) : isDigit(value.at(-1), afterNext);
  }
  return next === ',' && /\d/.test(afterNext ?? '') && /\d$/.test(value);
}

function nameBefore(text: string, start: number): string | undefined {
  return NAME_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_NAME), start))?.[0];
}

function nameBehind(text: string, end: number): string | undefined {
  return NAME_BEHIND.exec(text.slice(end, end + LONGEST_NAME))?.[1];
}

function isAlternative(value: string, other: string | undefined): boolean {
  return other !== undefined && KINDS.some((kind) => kind.test(value) && kind.test(other));
}

function isBeforeWholeUnit(text: string, end: number, value: string): boolean {
  return BARE_NUMBER.test(value) && UNIT_BEHIND.test(text.slice(end, end + LONGEST_UNIT));
}

function isInWordOfName(text: string, end: number): boolean {
  return OF_THAT_NAME.test(text.slice(end, end + LONGEST_ENDING));
}

/** A number with a minus is another one; a hyphen between words is none. */
function isMinus(character: string, before: string | undefined): boolean {
  return (
    character === '−' || (character === '-' && (before === undefined || !/[-\w]/.test(before)))
  );
}

/** Whether a full stop beside it makes another value of it: of a path or a number. */
function hasDots(value: string): boolean {
  return value.includes('/') || /^\d+$/.test(value);
}

/** Digits on both sides of a full stop make one number of it, as of a version. */
function isDigit(...characters: readonly (string | undefined)[]): boolean {
  return characters.every((character) => /^\d$/.test(character ?? ''));
}
