/**
 * What a terminal could obey or hide, or XML cannot hold: controls, invisible formatting, lone surrogates, line
 * separators, noncharacters. Joiners belong to writing.
 */
const UNPRINTABLE =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

/** The marks by which CI services take a line of a log for a command. */
const COMMAND_START = /^(\s*):(?=:)/;
const COMMAND_ANYWHERE = /(##\w*)\[/g;

/** A text from outside as it may stand anywhere in one line: what a terminal or a CI log might obey is spelled out as `\uXXXX`. */
export function shownText(text: string): string {
  return text
    .replace(UNPRINTABLE, toEscape)
    .replace(COMMAND_START, `$1${toEscape(':')}`)
    .replace(COMMAND_ANYWHERE, `$1${toEscape('[')}`);
}

/** The same for a text that has lines of its own. */
export function shownLines(text: string): string {
  return text.split('\n').map(shownText).join('\n');
}

/** A text with these characters spelled out too. */
export function withoutCharacters(text: string, characters: RegExp): string {
  return text.replace(characters, toEscape);
}

/** A path cut from the left to this many characters: at a folder if one begins in what stays. */
export function cutLeft(path: string, maxCharacters: number): string {
  const characters = Array.from(path);
  if (characters.length <= maxCharacters) return path;
  const end = characters.slice(1 - maxCharacters);
  return `…${end.slice(Math.max(0, end.indexOf('/'))).join('')}`;
}

function toEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
