import type { Passage } from './head.ts';
import { proseLines } from './prose.ts';

/** Marks that end a sentence, what closes with it, and the white space behind; a stop needs white space. */
const END =
  /[.!?。！？．]+["'()[\]{}«»“”‘’「」『』（）【】《》〈〉]*(?:\s+|(?<=[^!-~]))|[\r\n\u2028\u2029]\s*/g;
/** What goes on with the sentence before it. */
const CONTINUATION = /[,:;\-–—、，：；.!?。！？．]/;
/** The first letter behind a full stop is a small one: the stop is of a shortened word, or of a number. */
const SMALL_NEXT = /[^\p{L}\r\n.!?。！？．]{0,80}\p{Ll}/uy;
const FULL_STOP = /[.．][^.．!?。！？]*$/;
/** Lines with a cue that are looked at: far more than a summary holds, few enough to be quick. */
const FIRST_LINES = 500;
const LAST_LINES = 1_500;

/**
 * The sentences of a text, each with the white space that follows it; together they are the text.
 * A stop directly before the next word ends none: it belongs to a name, as in `App.Test.tsx`.
 */
export function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(END)) {
    const end = index + mark.length;
    if (end === text.length || goesOn(text, end, mark)) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) sentences.push(text.slice(start));
  return sentences;
}

/** The sentences of passages in which a cue occurs, in order; of very many lines the first and the last. */
export function findSentences(
  passages: readonly Passage[],
  cue: Pick<RegExp, 'test'>,
): readonly Passage[] {
  const lines = passages.flatMap((passage) =>
    proseLines(passage.text)
      .filter((line) => cue.test(line))
      .map((text) => ({ ...passage, text })),
  );
  return withoutMiddle(lines).flatMap((line) =>
    splitSentences(line.text)
      .filter((sentence) => cue.test(sentence))
      .map((text) => ({ ...line, text })),
  );
}

/** Whether what stands behind a mark belongs to the same sentence. */
function goesOn(text: string, end: number, mark: string): boolean {
  if (/[\r\n\u2028\u2029]/.test(mark)) return false;
  if (CONTINUATION.test(text.charAt(end))) return true;
  SMALL_NEXT.lastIndex = end;
  return FULL_STOP.test(mark) && SMALL_NEXT.test(text);
}

function withoutMiddle(lines: readonly Passage[]): readonly Passage[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), ...lines.slice(-LAST_LINES)];
}
