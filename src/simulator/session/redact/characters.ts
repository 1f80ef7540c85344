/** Characters that stand for one another: of one script and case, and equally long in UTF-16 and UTF-8. */
export interface Characters {
  /** Each character replaced by the first of its kind, so that equal shapes may replace one another. */
  shapeOf(text: string): string;
  /** A random text of the same shape; `random` returns numbers in [0, 1). */
  readonly fill: (text: string, random: () => number) => string;
  /** The character at that share of its kind further on; itself only where it is the only one. */
  turn(character: string, share: number): string;
}

/** Letters, digits and all else that can spell something, including marks, enclosed letters, Braille, flags, tags, private and unassigned ones. */
export const UNIT =
  /[\p{L}\p{M}\p{N}\p{Co}\p{Cn}\p{Cs}\u2460-\u24ff\u2800-\u28ff\u{1f100}-\u{1f1ff}\u{e0000}-\u{e01ef}]+/gu;
