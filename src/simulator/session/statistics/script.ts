/** A writing system; Chinese, Japanese and Korean are one, for their texts mix characters. */
export type Script = 'latin' | 'cjk' | 'cyrillic' | 'other';

const NON_ASCII = /[^\0-\x7f]/;
const ASCII_LETTERS = /[a-z]/gi;
const LETTERS: readonly (readonly [Script, RegExp])[] = [
  ['latin', /\p{Script=Latin}+/gu],
  ['cjk', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu],
  ['cyrillic', /\p{Script=Cyrillic}+/gu],
];
const ANY_LETTERS = /\p{L}+/gu;
const FIRST_LOW_SURROGATE = 0xdc00;
const LAST_LOW_SURROGATE = 0xdfff;

/** The script that most letters of a text are of; absent where it has none. */
export function scriptOf(text: string): Script | undefined {
  if (!NON_ASCII.test(text)) return text.search(ASCII_LETTERS) === -1 ? undefined : 'latin';
  const counts = LETTERS.map(([script, letters]) => ({ script, count: countOf(text, letters) }));
  const known = counts.reduce((sum, { count }) => sum + count, 0);
  const other = {
    script: 'other' as const,
    count: Math.max(0, countOf(text, ANY_LETTERS) - known),
  };
  const [most] = [...counts, other].toSorted((a, b) => b.count - a.count);
  return most === undefined || most.count === 0 ? undefined : most.script;
}

/** How many letters stand in all runs of them. */
function countOf(text: string, runs: RegExp): number {
  let count = 0;
  for (const run of text.match(runs) ?? []) count += lengthOf(run);
  return count;
}

/** Letters of two units count once. */
function lengthOf(run: string): number {
  let length = 0;
  for (let index = 0; index < run.length; index += 1) {
    const unit = run.charCodeAt(index);
    if (unit < FIRST_LOW_SURROGATE || unit > LAST_LOW_SURROGATE) length += 1;
  }
  return length;
}
