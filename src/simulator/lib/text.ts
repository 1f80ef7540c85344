/** Characters of texts after which everything is forgotten. */
const MOST_CHARS = 2_000_000;
/** A longer text hardly comes again. */
const LONGEST_CHARS = 4_000;

/** Words as a sentence has them: `a`, `a or b`, `a, b or c`. */
export function listed(words: readonly string[], last: 'and' | 'or'): string {
  const [end = '', ...others] = words.toReversed();
  return others.length === 0 ? end : `${others.toReversed().join(', ')} ${last} ${end}`;
}

/** The order of two texts by code units, which is the same everywhere. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The source of a pattern that matches any of some words. Those in Latin letters, which may be patterns, are matched whole; others anywhere. */
export function anyWords(latin: readonly string[], others: readonly string[] = []): string {
  return [`(?<![\\w-])(?:${latin.join('|')})(?![\\w-])`, ...others].join('|');
}

/** Texts with commas between them, of values each of which may hold several; blank ones among them. */
export function splitAtCommas(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).map((text) => text.trim());
}

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
