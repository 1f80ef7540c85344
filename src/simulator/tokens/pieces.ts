/** Longest text that the pattern sees at once: far longer runs of one kind exhaust its stack. */
const WINDOW_LENGTH = 2 ** 20;

/** How far past a full window a harmless place for the cut is looked for. */
const CUT_SEARCH_LENGTH = 2 ** 16;

/** After a letter or digit, what neither continues a word nor starts a contraction starts a piece. */
const PIECE_START = /(?<=[\p{L}\p{N}])[^\p{L}\p{M}\p{N}']/u;

/** Sum of a count over the pieces that an encoding's pattern splits a text into. */
export function sumOverPieces(
  text: string,
  pattern: RegExp,
  countPiece: (piece: string) => number,
): number {
  let sum = 0;
  for (const window of toWindows(text)) {
    let start = 0;
    // The pieces lie end to end, so that the end of one is the start of the next.
    pattern.lastIndex = 0;
    while (pattern.test(window)) {
      sum += countPiece(window.slice(start, pattern.lastIndex));
      start = pattern.lastIndex;
    }
  }
  return sum;
}

/** A text in windows that split into the same pieces, unless one run of a kind is longer than a window. */
export function* toWindows(text: string, windowLength: number = WINDOW_LENGTH): Generator<string> {
  let start = 0;
  while (text.length - start > windowLength) {
    const end = findCut(text, start + windowLength);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

/** The first place from there on that may end a window. */
function findCut(text: string, fromIndex: number): number {
  const searchEnd = fromIndex + CUT_SEARCH_LENGTH;
  const offset = text.slice(fromIndex - 1, searchEnd).search(PIECE_START);
  if (offset > 0) return fromIndex - 1 + offset;
  if (searchEnd >= text.length) return text.length;
  const isInsidePair = (text.codePointAt(fromIndex - 1) ?? 0) > 0xffff;
  return isInsidePair ? fromIndex + 1 : fromIndex;
}
