/** Fewer characters stay at their place by chance. */
const SHORTEST_RUN = 3;

/** Characters that are the same at the same place, where some in a row are; of a short text, all of them. */
export function countKept(before: string, after: string): number {
  const shortest = Math.min(SHORTEST_RUN, before.length);
  let kept = 0;
  let run = 0;
  for (let index = 0; index < before.length; index++) {
    run = before.charCodeAt(index) === after.charCodeAt(index) ? run + 1 : 0;
    if (run >= shortest) kept += run === shortest ? run : 1;
  }
  return kept;
}
