type Words = readonly string[];

/** Words of which filler consists; each is one or two tokens in common tokenizers. */
const WORDS: Words =
  'river stone window garden paper light winter bridge table morning letter island summer market forest silver corner harbor yellow planet'.split(
    ' ',
  );
/** The same words in Chinese. */
export const CHINESE_WORDS: Words =
  '河流 石头 窗户 花园 纸张 光线 冬天 桥梁 桌子 早晨 信件 岛屿 夏天 市场 森林 银色 角落 港口 黄色 行星'.split(
    ' ',
  );
const WORDS_PER_SENTENCE = 11;
/** The first guess rests on a sample of that many words. */
const SAMPLE_WORDS = 200;
/** Corrections after which a counter that does not grow with the text is given up. */
const MOST_CORRECTIONS = 12;

/**
 * Text without meaning of about that many tokens, the same whenever it is asked for. Words are added and taken
 * away until the count is right, or as near as whole words come.
 */
export function buildFiller(
  tokens: number,
  countTokens: (text: string) => number,
  source: Words = WORDS,
): string {
  if (tokens <= 0) return '';
  const countWords = (words: number) => countTokens(writeWords(words, source));
  const tokensPerWord = Math.max(countWords(SAMPLE_WORDS) / SAMPLE_WORDS, 1 / 8);
  let words = Math.max(1, Math.round(tokens / tokensPerWord));
  let best = { words, distance: Number.POSITIVE_INFINITY };
  for (let corrections = 0; corrections < MOST_CORRECTIONS; corrections++) {
    const missing = tokens - countWords(words);
    if (Math.abs(missing) < best.distance) best = { words, distance: Math.abs(missing) };
    if (missing === 0) break;
    words = Math.max(1, words + awayFromZero(missing / tokensPerWord));
  }
  return writeWords(best.words, source);
}

function awayFromZero(value: number): number {
  return Math.sign(value) * Math.max(1, Math.round(Math.abs(value)));
}

function writeWords(count: number, source: Words): string {
  return Array.from({ length: count }, (_, index) => wordAt(index, source)).join(' ');
}

/** Words in a fixed order; the last of a sentence has a full stop. */
function wordAt(index: number, source: Words): string {
  const word = source[index % source.length] ?? '';
  return (index + 1) % WORDS_PER_SENTENCE === 0 ? `${word}.` : word;
}
