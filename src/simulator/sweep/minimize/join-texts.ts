import { FILLER_CHARACTERS } from '../../scenario/file/filler.ts';
import type { OutlineText } from './outline.ts';

/** Texts as one; a size alone where one of them is. */
export function joinTexts(texts: readonly OutlineText[]): OutlineText {
  const words = texts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const tokens = texts.reduce((total, text) => total + text.tokens, 0);
  const kind = texts.some(({ isSynthetic }) => isSynthetic) ? { isSynthetic: true } : {};
  return words.length === texts.length && words.length > 0
    ? { tokens, text: words.join('\n'), ...kind }
    : { tokens, ...joinedCharacters(texts), ...kind };
}

/** A text and a size are no text together, and what a person and what a program wrote is not by either. */
export function canJoinTexts(before: OutlineText, after: OutlineText): boolean {
  const areAlike = (before.text === undefined) === (after.text === undefined);
  return areAlike && before.isSynthetic === after.isSynthetic;
}

function joinedCharacters(texts: readonly OutlineText[]): Pick<OutlineText, 'characters'> {
  if (texts.every(({ characters }) => characters === undefined)) return {};
  return { characters: texts.reduce((total, text) => total + charactersOf(text), 0) };
}

function charactersOf({ tokens, text, characters }: OutlineText): number {
  return characters ?? text?.length ?? FILLER_CHARACTERS * tokens;
}
