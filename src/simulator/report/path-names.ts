import { cutLeft, shownText } from './shown-text.ts';

/** By how many characters names grow that look the same. */
const GROWTH = 8;

/** Paths as names of rows: cut from the left to this many characters, to more where two would look the same. */
export function namePaths(
  paths: readonly string[],
  maxCharacters: number,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  let rest: readonly string[] = [...new Set(paths)];
  for (let width = maxCharacters; rest.length > 0; width += GROWTH) {
    for (const path of rest) names.set(path, cutLeft(shownText(path), width));
    rest = findAlike(rest, names);
  }
  return names;
}

/** The paths whose name is that of another, as long as there is more of one to show. */
function findAlike(
  paths: readonly string[],
  names: ReadonlyMap<string, string>,
): readonly string[] {
  const shownOnce = new Set<string>();
  const shownTwice = new Set<string>();
  for (const path of paths) {
    const name = names.get(path) ?? '';
    (shownOnce.has(name) ? shownTwice : shownOnce).add(name);
  }
  return paths.filter((path) => {
    const name = names.get(path) ?? '';
    return shownTwice.has(name) && name !== shownText(path);
  });
}
