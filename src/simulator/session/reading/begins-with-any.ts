/** Whether a text begins with one of some words, whatever space stands before them. */
export function beginsWithAny(text: string, words: readonly string[]): boolean {
  const start = text.trimStart();
  return words.some((word) => start.startsWith(word));
}
