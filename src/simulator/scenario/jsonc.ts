/** A string, or a comment of either kind. */
const STRING_OR_COMMENT = /"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[^]*?\*\//g;

/** A string, or a comma before the end of a list or an object. */
const STRING_OR_LAST_COMMA = /"(?:\\.|[^"\\\n])*"|,(?=\s*[\]}])/g;

const BYTE_ORDER_MARK = /^\uFEFF/;

/** The value of a JSON text that may have comments and trailing commas. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJsonc(text: string): unknown {
  const plain = text
    .replace(BYTE_ORDER_MARK, '')
    .replace(STRING_OR_COMMENT, keepStrings)
    .replace(STRING_OR_LAST_COMMA, keepStrings);
  return JSON.parse(plain);
}

function keepStrings(match: string): string {
  return match.startsWith('"') ? match : ' ';
}
