/** Values of an option that can be repeated, each possibly several with commas between; blank ones are left out. */
export function splitList(values: readonly string[]): readonly string[] {
  const all = values.flatMap((value) => value.split(',')).map((value) => value.trim());
  return [...new Set(all)].filter((value) => value !== '');
}
