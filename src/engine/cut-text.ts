const HIGH_SURROGATES = /[\uD800-\uDBFF]$/;
const LOW_SURROGATES = /^[\uDC00-\uDFFF]/;

/** The beginning of a text, at most so many UTF-16 units of it, without half a character at its end. */
export function beginningOf(text: string, length: number): string {
  const beginning = text.slice(0, length);
  return beginning.length < text.length ? beginning.replace(HIGH_SURROGATES, '') : beginning;
}

/** The end of a text, at most so many UTF-16 units of it, without half a character at its beginning. */
export function endOf(text: string, length: number): string {
  const end = length <= 0 ? '' : text.slice(-length);
  return end.length < text.length ? end.replace(LOW_SURROGATES, '') : end;
}
