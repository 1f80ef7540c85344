/** What providers say of something: one pattern, or phrases that follow one another in a line. */
export type Wording = RegExp | readonly RegExp[];

const LINE_ENDS = /[\n\r\u2028\u2029]/;

/**
 * What a message says in such words, from the first of them to the last; nothing where it does not. Phrases are looked for
 * one behind the other, for one pattern with anything in its middle would begin anew at each of them.
 */
export function findWording(message: string, wording: Wording): string | undefined {
  if (wording instanceof RegExp) return wording.exec(message)?.[0];
  for (const line of message.split(LINE_ENDS)) {
    const found = findInLine(line, wording);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a message says something in such words. */
export function saysWording(message: string, wording: Wording): boolean {
  return findWording(message, wording) !== undefined;
}

function findInLine(line: string, phrases: readonly RegExp[]): string | undefined {
  let start: number | undefined;
  let end = 0;
  for (const phrase of phrases) {
    const found = phrase.exec(line.slice(end));
    if (found === null) return undefined;
    start ??= found.index;
    end += found.index + found[0].length;
  }
  return line.slice(start ?? 0, end);
}
