const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

const LONGEST_NAME = 40;

/**
 * A text of one line with what nobody would see of it spelled out.
 * @param {string} text
 */
export function shown(text) {
  return text.replace(HIDDEN, toEscape);
}

/**
 * A text with lines and tabs of its own, with what nobody would see of it spelled out.
 * @param {string} text
 */
export function shownLines(text) {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(shown).join('\t'))
    .join('\n');
}

/**
 * A name as it fits into a picture.
 * @param {string} name
 */
export function brief(name, most = LONGEST_NAME) {
  const whole = shown(name);
  return whole.length > most ? `${whole.slice(0, most - 1)}…` : whole;
}

/** @param {string} character */
function toEscape(character) {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
