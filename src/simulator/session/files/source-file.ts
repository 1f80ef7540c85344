import { parseJson } from '../../lib/json.ts';
import type { JsonLines, SourceFile, SourceLine, Surroundings } from '../format.ts';
import { readJsonLine } from './json-text.ts';

/** What a file holds, as one text or line by line. */
export interface SourceContent extends Pick<SourceFile, 'linesWith' | 'takeLines'> {
  readText(): string;
}

/** What may stand before a text to tell how it is written. */
export const BYTE_ORDER_MARK = '\uFEFF';
const BEHIND_BLANKS = /^\s*\S/;

/** The surroundings of a text that lies nowhere. */
export const NO_SURROUNDINGS: Surroundings = { filesIn: () => [] };

/** A file's content, read and parsed on first use. */
export function createSourceFile(
  name: string,
  content: string | SourceContent,
  surroundings: Surroundings = NO_SURROUNDINGS,
): SourceFile {
  const given = typeof content === 'string' ? contentOf(content) : content;
  const text = once(() => given.readText());
  const json = once(() => parseDocument(text()));
  const lines = once(() => readLines(text(), json()));
  return {
    name,
    get text() {
      return text();
    },
    json,
    lines,
    linesWith: (part) => given.linesWith(part),
    takeLines: () => given.takeLines(),
    surroundings,
  };
}

/** The lines of a text that have a part in them; every line has nothing. */
export function* linesIn(text: string, part = ''): Generator<SourceLine, void, undefined> {
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const line = text.slice(start, end);
    if (line.includes(part)) yield { text: line };
    start = end + 1;
  }
}

function contentOf(content: string): SourceContent {
  const text = withoutMark(content);
  return {
    readText: () => text,
    linesWith: (part) => linesIn(text, part),
    takeLines: () => linesIn(text),
  };
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** A whole value in the first line of several tells at little cost that they are no one document. */
function parseDocument(text: string): unknown {
  const end = text.indexOf('\n');
  const isFirstWhole = end !== -1 && parseJson(text.slice(0, end)) !== undefined;
  return isFirstWhole && BEHIND_BLANKS.test(text.slice(end)) ? undefined : parseJson(text);
}

/** A document is its own only record: nothing is gained by reading its lines one by one. */
function readLines(text: string, document: unknown): JsonLines {
  if (document !== undefined) return { records: [document], brokenLines: 0, gluedRecords: 0 };
  const records: unknown[] = [];
  let brokenLines = 0;
  let gluedRecords = 0;
  for (const line of text.split('\n')) {
    const { values, isBroken } = readJsonLine(line);
    for (const value of values) records.push(value);
    brokenLines += isBroken ? 1 : 0;
    gluedRecords += Math.max(0, values.length - 1);
  }
  return { records, brokenLines, gluedRecords };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
