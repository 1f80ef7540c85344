/** Characters of scripts that are written without spaces, or whose words change too much to be compared. */
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
const UNSPACED_RUN = String.raw`(?:(?=[\p{L}\p{N}])${UNSPACED})+`;
const WORD = String.raw`(?!${UNSPACED})[\p{L}\p{N}](?:(?!${UNSPACED})[\p{L}\p{N}\p{M}])*`;
/** Words that stand together as in `src/engine/loop.ts`, `max_tokens` or `v1.2`. */
const COMPOUND = `${WORD}(?:[/._-]+${WORD})*`;
const RUNS = new RegExp(`(${UNSPACED_RUN})|${COMPOUND}`, 'gu');
const SEPARATORS = /[/._-]+/u;
/** Between the words of `camelCase` and of `XMLHttpRequest`. */
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** UTF-16 units of the longest term; what is longer is data that nobody searches for. */
const MAX_TERM_LENGTH = 128;

/**
 * The terms by which a text is found, each as often as it occurs: words in lower case; paths and
 * identifiers whole and in pieces; Chinese, Japanese and Korean as pairs of neighbouring characters.
 */
export function* termsOf(text: string): Generator<string> {
  for (const [run, unspaced] of text.normalize('NFKC').matchAll(RUNS)) {
    yield* unspaced === undefined ? compoundTerms(run) : pairsOf(unspaced);
  }
}

function* pairsOf(run: string): Generator<string> {
  let previous: string | undefined;
  for (const character of run) {
    if (previous !== undefined) yield previous + character;
    previous = character;
  }
  if (previous === run) yield run;
}

function* compoundTerms(compound: string): Generator<string> {
  const words = compound.split(SEPARATORS);
  if (words.length > 1 && isTerm(compound)) yield compound.toLowerCase();
  for (const word of words.filter(isTerm)) {
    const pieces = word.split(HUMPS);
    yield word.toLowerCase();
    if (pieces.length > 1) yield* pieces.map((piece) => piece.toLowerCase());
  }
}

function isTerm(text: string): boolean {
  return text.length <= MAX_TERM_LENGTH;
}
