import type { Passage } from './head.ts';
import { proseLines } from './prose.ts';

// The locale is fixed so that the machine's own does not move a boundary.
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Longest stretch given to the segmenter, whose time grows with the square of it. */
const LONGEST_STRETCH = 2_000;
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
  let end = 0;
  for (const segment of segmentsOf(text)) {
    end += segment.length;
    if (/[!-~]/.test(segment.slice(-1)) && end < text.length) continue;
    sentences.push(text.slice(start, end));
    start = end;
  }
  return sentences;
}

/** The sentences of passages in which a cue occurs, in order; of very many lines the first and the last. */
export function findSentences(passages: readonly Passage[], cue: RegExp): readonly Passage[] {
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

function withoutMiddle(lines: readonly Passage[]): readonly Passage[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), ...lines.slice(-LAST_LINES)];
}

function* segmentsOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const stretch = stretchAt(text, start);
    for (const { segment } of segmenter.segment(stretch)) yield segment;
    start += stretch.length;
  }
}

/** The next stretch that the segmenter is given; it ends after a space where it has one. */
function stretchAt(text: string, start: number): string {
  const stretch = text.slice(start, start + LONGEST_STRETCH);
  if (start + LONGEST_STRETCH >= text.length) return stretch;
  return stretch.slice(0, stretch.lastIndexOf(' ') + 1 || LONGEST_STRETCH);
}
