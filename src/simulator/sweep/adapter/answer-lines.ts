/** A line, and whether another whole one came in one piece with it. */
export interface AnswerLine {
  readonly text: string;
  readonly isFollowed: boolean;
}

const NEWLINE = '\n';

/**
 * The lines of a stream as they come; what stands behind the last line end is none. Throws what `tooLong` makes of a
 * line that is longer than that many characters, also where it never ends.
 */
export async function* answerLines(
  stream: AsyncIterable<string>,
  maxCharacters: number,
  tooLong: () => Error,
): AsyncGenerator<AnswerLine, void, void> {
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const [first = '', ...others] = chunk.split(NEWLINE);
    pieces.push(first);
    length += first.length;
    for (const [index, next] of others.entries()) {
      if (length > maxCharacters) throw tooLong();
      yield { text: pieces.join(''), isFollowed: index < others.length - 1 };
      pieces = [next];
      length = next.length;
    }
    if (length > maxCharacters) throw tooLong();
  }
}
