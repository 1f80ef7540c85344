/** Where the JSON object begins that ends at `end`, found from its end; -1 when none ends there or it never opens. */
export function startOfObject(text: string, end: number): number {
  if (text.charAt(end - 1) !== '}') return -1;
  let depth = 0;
  for (let index = end - 1; index >= 0; index--) {
    const char = text[index];
    if (char === '"') index = startOfString(text, index);
    else if (char === '}' || char === ']') depth++;
    else if (char === '{' || char === '[') depth--;
    if (depth === 0) return index;
  }
  return -1;
}

/** Where the opening quote of the string is that closes at `end`; -1 when there is none. */
function startOfString(text: string, end: number): number {
  for (let index = end - 1; index >= 0; index--) {
    if (text[index] === '"' && !isEscaped(text, index)) return index;
  }
  return -1;
}

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === '\\') start--;
  return (index - start) % 2 === 1;
}
