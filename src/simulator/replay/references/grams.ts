/** A letter of a script without spaces, or a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}_]+/gu;
const LONGEST_GRAM = 3;

/** Words and rows of two and three words of a text, whatever stands between them. */
export function gramsOf(text: string): ReadonlySet<string> {
  const grams = new Set<string>();
  const words = wordsOf(text);
  for (let index = 0; index < words.length; index += 1) {
    for (let length = 1; length <= LONGEST_GRAM; length += 1) {
      grams.add(words.slice(index, index + length).join(' '));
    }
  }
  return grams;
}

/** The rows of three words of a sentence; of a shorter one, all of it. */
export function rowsOf(sentence: string): readonly string[] {
  const words = wordsOf(sentence);
  if (words.length <= LONGEST_GRAM) return [words.join(' ')];
  return words
    .slice(LONGEST_GRAM - 1)
    .map((_, index) => words.slice(index, index + LONGEST_GRAM).join(' '));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
