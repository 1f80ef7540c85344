/** Whether a value is a list of texts, of which there may be none. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
