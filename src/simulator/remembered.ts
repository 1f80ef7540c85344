/** Characters of texts after which everything is forgotten. */
const MOST_CHARS = 2_000_000;
/** A longer text hardly comes again. */
const LONGEST_CHARS = 4_000;

/**
 * A function of a text made to remember what it gave, in bounded memory. It has to give the same for the same
 * text, and what nobody changes.
 */
export function remembered<Value extends {}>(
  make: (text: string) => Value,
): (text: string) => Value {
  const values = new Map<string, Value>();
  let chars = 0;
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    if (text.length > LONGEST_CHARS) return make(text);
    if (chars > MOST_CHARS) {
      values.clear();
      chars = 0;
    }
    const key = copyOf(text);
    const value = make(key);
    values.set(key, value);
    chars += key.length;
    return value;
  };
}

/** A text of its own: a piece of another one keeps that one in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
