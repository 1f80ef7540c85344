/** How many lines a text gained and lost. */
export interface LineChanges {
  readonly additions: number;
  readonly deletions: number;
}

/** One file that two snapshots hold differently; a side that has no such file counts as empty. */
export interface FileDiff extends LineChanges {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** The two sides of a comparison, line by line. */
type Sides<Line> = readonly [before: readonly Line[], after: readonly Line[]];

/** Differing lines up to which the smallest difference is looked for. */
const MAX_DIFFERING_LINES = 20_000;

/** The files that differ between two snapshots, each `path → text`, in order of their paths. */
export function diffFiles(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly FileDiff[] {
  const files = [...new Set([...before.keys(), ...after.keys()])];
  return files
    .filter((file) => before.get(file) !== after.get(file))
    .toSorted(byCodeUnits)
    .map((file) => diffFile(file, before.get(file) ?? '', after.get(file) ?? ''));
}

/**
 * The fewest lines that must be added and deleted to make one text of another, as `git diff --numstat
 * --minimal` counts them: a line includes its ending, so another ending, or a missing one at the end of
 * the text, is another line. Where more than `MAX_DIFFERING_LINES` of the lines that both texts contain
 * differ, everything between the common start and end counts as deleted and added.
 */
export function countLineChanges(before: string, after: string): LineChanges {
  const [deleted, added] = trimCommonEnds([splitLines(before), splitLines(after)]);
  const [from, to] = numberShared([deleted, added]);
  const gap = to.length - from.length;
  const lost = gap < 0 ? countLost(to, from) : countLost(from, to);
  const kept = lost === undefined ? 0 : Math.min(from.length, to.length) - lost;
  return { additions: added.length - kept, deletions: deleted.length - kept };
}

function diffFile(file: string, before: string, after: string): FileDiff {
  return { file, before, after, ...countLineChanges(before, after) };
}

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : 1;
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/u);
}

function trimCommonEnds([before, after]: Sides<string>): Sides<string> {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
}

/** The lines that both sides contain, equal lines as equal numbers; no other line can be kept. */
function numberShared([before, after]: Sides<string>): readonly [Int32Array, Int32Array] {
  const inAfter = new Set(after);
  const numbers = new Map<string, number>();
  for (const line of before) {
    if (inAfter.has(line) && !numbers.has(line)) numbers.set(line, numbers.size);
  }
  const toNumbers = (lines: readonly string[]) =>
    Int32Array.from(lines.flatMap((line) => numbers.get(line) ?? []));
  return [toNumbers(before), toNumbers(after)];
}

/**
 * Lines of the shorter side that the longest common subsequence leaves out, or `undefined` where too
 * many lines differ. `reached` holds for each diagonal how far into `longer` one comes with that many.
 * Source: Wu, Manber, Myers and Miller, "An O(NP) sequence comparison algorithm" (1990).
 */
function countLost(shorter: Int32Array, longer: Int32Array): number | undefined {
  const gap = longer.length - shorter.length;
  const origin = shorter.length + 1;
  const reached = new Int32Array(shorter.length + longer.length + 3).fill(-1);
  const advance = (diagonal: number) => {
    const below = reached[origin + diagonal - 1] ?? 0;
    const above = reached[origin + diagonal + 1] ?? 0;
    let index = Math.max(below + 1, above);
    while (index < longer.length && longer[index] === shorter[index - diagonal]) index += 1;
    reached[origin + diagonal] = index;
    return index;
  };
  for (let lost = 0; gap + 2 * lost <= MAX_DIFFERING_LINES; lost += 1) {
    for (let diagonal = -lost; diagonal < gap; diagonal += 1) advance(diagonal);
    for (let diagonal = gap + lost; diagonal > gap; diagonal -= 1) advance(diagonal);
    if (advance(gap) >= longer.length) return lost;
  }
  return undefined;
}
