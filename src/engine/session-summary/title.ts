/** Characters of the longest title. */
const MAX_TITLE_LENGTH = 100;
/** UTF-16 units in which such a title is sure to end, so that a pasted megabyte is not read. */
const READ_LENGTH = 4 * MAX_TITLE_LENGTH;
/** The end of a sentence, but not that of `e.g.`, `v1.2` or the number of a list. */
const SENTENCE_END = /(?<=[\p{L}\p{Pe}\p{Pf}'"`])[.!?]+(?=\s+\P{Ll})|[。！？]/u;

/**
 * The first sentence or line of a text on one line, cut between words where it is too long, and between
 * characters where its first word already is; `undefined` for a blank text.
 */
export function toTitle(text: string): string | undefined {
  const start = text.trimStart().slice(0, READ_LENGTH);
  const [line = ''] = start.split(/[\n\r]/u, 1);
  const end = SENTENCE_END.exec(line);
  const sentence = end === null ? line : line.slice(0, end.index + end[0].length);
  return cutBetweenWords(sentence.trim().replaceAll(/\s+/gu, ' ')) || undefined;
}

function cutBetweenWords(sentence: string): string {
  const characters = Array.from(sentence);
  if (characters.length <= MAX_TITLE_LENGTH) return sentence;
  const lastSpace = characters.lastIndexOf(' ', MAX_TITLE_LENGTH);
  return characters.slice(0, lastSpace > 0 ? lastSpace : MAX_TITLE_LENGTH).join('');
}
