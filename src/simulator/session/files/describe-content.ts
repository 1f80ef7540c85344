import { isObject, parseJson } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';

const SHOWN_KEYS = 6;
const SHOWN_KEY_CHARS = 24;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** What is no session, told by how it begins once it is text. */
const OTHER_FILES: readonly (readonly [start: RegExp, words: string])[] = [
  [/^\s*<(?:!doctype html|html)\b/i, 'an HTML page'],
  [/^\p{Cc}\ufffd/u, 'a packed file'],
];

/** What a file holds, in a few words that are safe to print. */
export function describeContent(file: SourceFile): string {
  if (file.text.trim() === '') return 'an empty file';
  const other = OTHER_FILES.find(([start]) => start.test(file.text));
  if (other !== undefined) return other[1];
  const document = file.json();
  if (document !== undefined) return describeValue(document);
  if (isTorn(file.text)) return 'a JSON document that is not whole';
  const { records, brokenLines } = file.lines();
  if (records.length === 0) return 'text that is not JSON';
  return `JSON lines that begin with ${describeValue(records[0])}${describeBroken(brokenLines)}`;
}

/** What a file says of itself, such as the name of a field, shortened, with everything that a terminal would not print spelled out. */
export function quote(text: string, maxChars: number): string {
  const shown = text.slice(0, maxChars).replace(UNPRINTABLE, escapeChar);
  return `"${shown}${text.length > maxChars ? '…' : ''}"`;
}

/** Whether a text, which is no JSON as a whole, begins like a document that has more than one line. */
function isTorn(text: string): boolean {
  const [firstLine = ''] = text.trimStart().split('\n', 1);
  return /^[{[]/.test(firstLine) && parseJson(firstLine) === undefined;
}

function describeBroken(lines: number): string {
  if (lines === 0) return '';
  return lines === 1 ? ', and 1 line that is no JSON' : `, and ${lines} lines that are no JSON`;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return describeList(value);
  if (isObject(value)) return `a JSON object with ${describeKeys(Object.keys(value))}`;
  return value === null ? 'a JSON null' : `a JSON ${typeof value}`;
}

function describeList(values: readonly unknown[]): string {
  const [first] = values;
  if (values.length === 0) return 'an empty JSON array';
  if (isObject(first)) return `a JSON array of objects with ${describeKeys(Object.keys(first))}`;
  return 'a JSON array';
}

function describeKeys(keys: readonly string[]): string {
  if (keys.length === 0) return 'no keys';
  const shown = keys.slice(0, SHOWN_KEYS).map((key) => quote(key, SHOWN_KEY_CHARS));
  const rest = keys.length - shown.length;
  return `keys ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function escapeChar(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
