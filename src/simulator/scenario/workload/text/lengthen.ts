/** A text with as many additions as bring it nearest to a length. */
export function lengthen(text: string, characters: number, add: (text: string) => string): string {
  const longer = add(text);
  if (longer.length <= text.length || longer.length + text.length > 2 * characters) return text;
  return lengthen(longer, characters, add);
}
