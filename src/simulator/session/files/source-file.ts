import { constants } from 'node:buffer';
import { known } from '../../lib/collections.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import type { JsonLines, SourceFile, SourceLine, Surroundings } from '../format.ts';

export interface SourceContent
  extends Pick<SourceFile, 'archive' | 'database' | 'linesWith' | 'table' | 'takeLines'> {
  readText(): string;
}

/** JSON values on one line, with a mark where the rest of the line is no JSON. */
export interface JsonValues {
  readonly values: readonly unknown[];
  readonly isBroken: boolean;
}

/** The mark that may precede a text to announce its encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** The error code of Node.js for a string that is too long. */
export const TOO_LONG = 'ERR_STRING_TOO_LONG';
export const MAX_BYTES = 2 ** 31 - 1;

/** The surroundings of a text that is in no file. */
export const NO_SURROUNDINGS: Surroundings = { filesIn: () => [] };

const SHOWN_KEYS = 6;
const SHOWN_KEY_CHARS = 24;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const OTHER_FILES: readonly (readonly [start: RegExp, words: string])[] = [
  [/^\s*<(?:!doctype html|html)\b/i, 'an HTML page'],
  [/^\p{Cc}\ufffd/u, 'a packed file'],
];

const OPENING = '{[';
/** Depth beyond any real tool input; `JSON.stringify` would fail on it. */
const MAX_DEPTH = 500;

/** A file's content, read and parsed on first use. */
export function createSourceFile(
  name: string,
  content: string | SourceContent,
  surroundings: Surroundings = NO_SURROUNDINGS,
): SourceFile {
  const given = typeof content === 'string' ? contentOf(content) : content;
  const text = once(() => given.readText());
  // A line of ASCII takes a byte a character; as a piece of a text with one wider character it takes two.
  const each = () => given.linesWith('');
  const json = once(() => ({ document: isManyValues(each()) ? undefined : parseJson(text()) }));
  const lines = once(() => readLines(each(), json().document));
  return {
    name,
    get text() {
      return text();
    },
    json: () => json().document,
    lines,
    linesWith: (part) => given.linesWith(part),
    takeLines: () => given.takeLines(),
    ...known({ database: given.database, archive: given.archive, table: given.table }),
    surroundings,
  };
}

/** Throws `TOO_LONG` above `maxBytes`; a string may fail below it as well. */
export function checkSize(bytes: number, maxBytes = MAX_BYTES): void {
  if (bytes > maxBytes) throw Object.assign(new Error(TOO_LONG), { code: TOO_LONG });
}

/** Lines of a text that contain `part`; all lines contain ''. */
export function* linesIn(text: string, part = ''): Generator<SourceLine, void, undefined> {
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const line = text.slice(start, end);
    if (line.includes(part)) yield { text: line };
    start = end + 1;
  }
}

/** Describes the content of a file in a few printable words. */
export function describeContent(file: SourceFile): string {
  const { database, archive, table } = file;
  if (database !== undefined) {
    return database.tables.size === 0
      ? 'an empty database'
      : `a database with tables ${quoteSome([...database.tables])}`;
  }
  if (archive !== undefined) {
    return archive.names.length === 0
      ? 'an empty archive'
      : `an archive with files ${quoteSome(archive.names)}`;
  }
  if (table !== undefined) return `a table with columns ${quoteSome(table.columns)}`;
  if (file.text.trim() === '') return 'an empty file';
  const other = OTHER_FILES.find(([start]) => start.test(file.text));
  if (other !== undefined) return other[1];
  const document = file.json();
  if (document !== undefined) return describeValue(document);
  // The start of a multi-line document in a text that is not JSON as a whole.
  const [firstLine = ''] = file.text.trimStart().split('\n', 1);
  const isTorn = /^[{[]/.test(firstLine) && parseJson(firstLine) === undefined;
  if (isTorn) return 'a JSON document that is not whole';
  const { records, brokenLines: broken } = file.lines();
  if (records.length === 0) return 'text that is not JSON';
  const others = broken === 1 ? '1 line that is no JSON' : `${broken} lines that are no JSON`;
  const end = broken === 0 ? '' : `, and ${others}`;
  return `JSON lines that begin with ${describeValue(records[0])}${end}`;
}

/** A quoted excerpt from a file, shortened, with unprintable characters escaped. */
export function quote(text: string, maxChars: number): string {
  const shown = text
    .slice(0, maxChars)
    .replace(UNPRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return `"${shown}${text.length > maxChars ? '…' : ''}"`;
}

/** The values on one line. */
export function readJsonLine(line: string): JsonValues {
  const value = parseJson(line);
  return value === undefined ? splitValues(line) : { values: [value], isBroken: false };
}

/** The end of the object or array that begins at `start`; -1 if none begins there or it never closes. */
export function endOfValue(text: string, start: number): number {
  if (!OPENING.includes(text.charAt(start))) return -1;
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const char = text[index];
    if (char === '"') index = endOfString(text, index);
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth === 0) return index + 1;
  }
  return -1;
}

/** Checks for values nested deeper than any real tool writes. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return level.length > 0;
}

/** A value as JSON; empty where it is none or too deep. */
export function toJsonText(value: unknown): string {
  return isTooDeep(value) ? '' : (JSON.stringify(value) ?? '');
}

function quoteSome(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_KEYS).map((name) => quote(name, SHOWN_KEY_CHARS));
  return shown.join(', ');
}

function contentOf(content: string): SourceContent {
  const text = content.startsWith(BYTE_ORDER_MARK) ? content.slice(1) : content;
  return {
    readText: () => text,
    linesWith: (part) => linesIn(text, part),
    takeLines: () => linesIn(text),
  };
}

function once<Value extends {}>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

/** True if the first line is a value and not the only one. */
function isManyValues(lines: Iterable<SourceLine>): boolean {
  let isFirst = true;
  for (const { text } of lines) {
    if (isFirst && parseJson(text) === undefined) return false;
    if (!isFirst && text.trim() !== '') return true;
    isFirst = false;
  }
  return false;
}

function readLines(lines: Iterable<SourceLine>, document: unknown): JsonLines {
  if (document !== undefined) return { records: [document], brokenLines: 0, gluedRecords: 0 };
  const records: unknown[] = [];
  let [brokenLines, gluedRecords, chars] = [0, 0, 0];
  for (const { text } of lines) {
    chars += text.length;
    // What a text could not hold has no room as records either.
    checkSize(chars, constants.MAX_STRING_LENGTH);
    const { values, isBroken } = readJsonLine(text);
    for (const value of values) records.push(value);
    brokenLines += isBroken ? 1 : 0;
    gluedRecords += Math.max(0, values.length - 1);
  }
  return { records, brokenLines, gluedRecords };
}

function describeValue(value: unknown): string {
  if (isObject(value)) return `a JSON object with ${describeKeys(value)}`;
  if (!Array.isArray(value)) return value === null ? 'a JSON null' : `a JSON ${typeof value}`;
  if (value.length === 0) return 'an empty JSON array';
  const first: unknown = value[0];
  return isObject(first) ? `a JSON array of objects with ${describeKeys(first)}` : 'a JSON array';
}

function describeKeys(value: object): string {
  const keys = Object.keys(value);
  const rest = keys.length - SHOWN_KEYS;
  if (keys.length === 0) return 'no keys';
  return `keys ${quoteSome(keys)}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function splitValues(text: string): JsonValues {
  const values: unknown[] = [];
  let start = skipBlanks(text, 0);
  while (start < text.length) {
    const end = endOfValue(text, start);
    const value = end === -1 ? undefined : parseJson(text.slice(start, end));
    if (value === undefined) return { values, isBroken: true };
    values.push(value);
    start = skipBlanks(text, end);
  }
  return { values, isBroken: false };
}

function skipBlanks(text: string, start: number): number {
  let index = start;
  while (index < text.length && text.charAt(index).trim() === '') index++;
  return index;
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index;
  }
  return text.length;
}
