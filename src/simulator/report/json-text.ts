import { shownLines } from './shown-text.ts';

/** What stands in the place of a value. */
type Replace = (key: string, value: unknown) => unknown;

const INDENT = 2;

/** A document as JSON that people can read and no terminal obeys. */
export function jsonText(document: unknown, replace?: Replace): string {
  return `${shownLines(JSON.stringify(document, replace, INDENT))}\n`;
}
