/** The values that stand one after another in a text, and whether what follows them is no JSON. */
export interface JsonValues {
  readonly values: readonly unknown[];
  readonly isBroken: boolean;
}

/** The text as one JSON value, or `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The values on one line. */
export function readJsonLine(line: string): JsonValues {
  const value = parseJson(line);
  return value === undefined ? splitValues(line) : { values: [value], isBroken: false };
}

/** All objects and arrays that are glued together in a text; reading ends at the first thing that is neither. */
export function splitValues(text: string): JsonValues {
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

/** Where the object or array that begins at `start` ends; -1 when none begins there or it never closes. */
export function endOfValue(text: string, start: number): number {
  if (!'{['.includes(text.charAt(start))) return -1;
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
