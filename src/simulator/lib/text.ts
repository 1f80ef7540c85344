const MOST_CHARS = 2_000_000;
const LONGEST_CHARS = 4_000;

/** Joins words as in a sentence: `a`, `a or b`, `a, b or c`. */
export function listed(words: readonly string[], last: 'and' | 'or'): string {
  const [end = '', ...others] = words.toReversed();
  return others.length === 0 ? end : `${others.toReversed().join(', ')} ${last} ${end}`;
}

/** Compares two strings by code units, the same in every locale. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The source of a pattern that matches any of some words. Those in Latin letters, which may be patterns, are matched whole; others anywhere. */
export function anyWords(latin: readonly string[], others: readonly string[] = []): string {
  return [`(?<![\\w-])(?:${latin.join('|')})(?![\\w-])`, ...others].join('|');
}

/** Splits values at commas and trims the pieces; blank pieces stay. */
export function splitAtCommas(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).map((text) => text.trim());
}

/** Edits from one string to the other: a letter more, less or changed, or two of them swapped. */
export function typosBetween(one: string, other: string): number {
  let [before, row]: number[][] = [
    [],
    Array.from({ length: other.length + 1 }, (_, index) => index),
  ];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row?.[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before?.[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row?.at(-1) ?? 0;
}

/** Memoizes a pure function of a string, in bounded memory. */
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

/** A copy of a string; a slice would keep the whole string in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
