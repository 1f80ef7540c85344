/** The number of a line with what sets it off, as tools put it before each line of a file or of a search. */
const LINE_NUMBER = /^[ \t]*\d{1,7}(?:→|\t|[:-](?!\d)|[ \t]*\|)/gm;

/** The output of a tool without the numbers that it puts before lines: they are no numbers of the session. */
export function withoutLineNumbers(output: string): string {
  return output.replaceAll(LINE_NUMBER, '');
}
