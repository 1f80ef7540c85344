/** Filler text of an exact number of tokens. */

/** Words of four letters that are one token where a text begins with them, in the common tokenizers. */
export const FIRST_WORDS: readonly string[] =
  'time year word line hand part book work home game road team card fire wind lake moon rain snow tree gold iron rock sand ship boat bird fish lion bear wolf corn rice salt bell door wall roof lamp room desk note page song coat ring tool seed leaf root farm hill blue pink gray dark cold warm soft deep high'.split(
    ' ',
  );
/** Words of three letters that are one token together with the space before them. */
export const NEXT_WORDS: readonly string[] =
  'ant arm art ash bag bat bay bed bee big bow box boy bus cap car cat cow cup dog dry ear egg eye fan far fat few fig fly fog fox fun gas hat hay hen hot ice ink jam jar joy key kit lab law leg lip log low mad man map mat mix mud net new now nut oak oil old one own owl pan pea pen pet pie pig pin pot red row rug run sad sea sky son sun tea ten tie tin toy two van war wax way web wet win'.split(
    ' ',
  );

/** Characters of one token of filler. */
export const FILLER_CHARACTERS = 4;

/** Text without meaning of exactly that many tokens, another one for each number. */
export function buildFiller(tokens: number, number: number): string {
  if (tokens <= 0) return '';
  return `${wordAt(FIRST_WORDS, number)}${continueFiller(tokens - 1, number)}`;
}

/** Text without meaning of exactly that many tokens for the end of a text: it begins with a space. */
export function continueFiller(tokens: number, number: number): string {
  const stride = 1 + (number % (NEXT_WORDS.length - 1));
  const cycle = NEXT_WORDS.map((_, index) => ` ${wordAt(NEXT_WORDS, number + index * stride)}`);
  const cycles = Math.ceil(tokens / cycle.length);
  return cycle
    .join('')
    .repeat(cycles)
    .slice(0, FILLER_CHARACTERS * tokens);
}

function wordAt(words: readonly string[], index: number): string {
  return words[index % words.length] ?? '';
}
