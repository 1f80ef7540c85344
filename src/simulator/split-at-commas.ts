/** Texts with commas between them, of values each of which may hold several; blank ones among them. */
export function splitAtCommas(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).map((text) => text.trim());
}
