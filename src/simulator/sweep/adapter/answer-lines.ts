const NEWLINE = '\n';

/** The lines of a stream as they come; what stands behind the last line end is none. */
export async function* answerLines(
  stream: AsyncIterable<string>,
): AsyncGenerator<string, void, void> {
  let pieces: string[] = [];
  for await (const chunk of stream) {
    const [first = '', ...others] = chunk.split(NEWLINE);
    pieces.push(first);
    for (const next of others) {
      yield pieces.join('');
      pieces = [next];
    }
  }
}
