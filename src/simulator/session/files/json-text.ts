import { isObject, parseJson } from '../../lib/json.ts';
import { startOfObject } from './start-of-object.ts';

/** The values that stand one after another in a text, and whether what follows them is no JSON. */
export interface JsonValues {
  readonly values: readonly unknown[];
  readonly isBroken: boolean;
}

const OPENING = '{[';
/** What stands before a piece of something larger. */
const INSIDE = ':,[';

/** The values on one line. */
export function readJsonLine(line: string): JsonValues {
  const value = parseJson(line);
  return value === undefined ? splitValues(line) : { values: [value], isBroken: false };
}

/** Where the object or array that begins at `start` ends; -1 when none begins there or it never closes. */
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

/** All objects and arrays that are glued together in a text, but for one that was cut off. */
function splitValues(text: string): JsonValues {
  const values: unknown[] = [];
  let start = skipBlanks(text, 0);
  while (start < text.length) {
    const end = endOfValue(text, start);
    const value = end === -1 ? undefined : parseJson(text.slice(start, end));
    if (value === undefined) {
      return { values: [...values, ...valuesBehind(text, start)], isBroken: true };
    }
    values.push(value);
    start = skipBlanks(text, end);
  }
  return { values, isBroken: false };
}

/**
 * The objects that stand whole at the end of a text, behind a record that begins at `cut` and was cut off. No piece of
 * that record is taken for one: in what it says quotes are escaped, and its own objects stand behind a name or a comma.
 */
function valuesBehind(text: string, cut: number): readonly unknown[] {
  const values: unknown[] = [];
  if (!OPENING.includes(text.charAt(cut))) return values;
  let end = skipBlanksBack(text, text.length);
  for (let start = startOfObject(text, end); start > cut; start = startOfObject(text, end)) {
    const value = parseJson(text.slice(start, end));
    end = skipBlanksBack(text, start);
    if (!saysSomething(value) || INSIDE.includes(text.charAt(end - 1))) break;
    values.push(value);
  }
  return values.toReversed();
}

/** An empty object may stand in a text. */
function saysSomething(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

/** Where the closing quote of the string is that opens at `start`; the text's length when there is none. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index;
  }
  return text.length;
}

function skipBlanks(text: string, start: number): number {
  let index = start;
  while (index < text.length && text.charAt(index).trim() === '') index++;
  return index;
}

function skipBlanksBack(text: string, end: number): number {
  let index = end;
  while (index > 0 && text.charAt(index - 1).trim() === '') index--;
  return index;
}
