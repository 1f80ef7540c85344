import type { Occurrence, TextIndex } from '../text/text-index.ts';

/** Where cues of one sort stand in a text, in order. */
export interface CueIndex {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Finds the cues of one sort in a text. */
export function findCues({ text }: TextIndex, pattern: RegExp): CueIndex {
  const found = [...text.matchAll(pattern)];
  return {
    starts: found.map(({ index }) => index),
    ends: found.map(({ index, 0: cue }) => index + cue.length),
  };
}

/** A cue beside an occurrence, in the same unit. */
interface NearCue {
  readonly side: 'before' | 'after';
  /** What stands between the two. */
  readonly between: string;
}

/** The cues of the unit that stand within some words of an occurrence. */
export function cuesNear(
  index: TextIndex,
  occurrence: Occurrence,
  { cues, words }: { readonly cues: CueIndex; readonly words: number },
): readonly NearCue[] {
  const { text } = index;
  const { start, end } = windowOf(index, occurrence, words);
  const near: NearCue[] = [];
  for (let cue = firstAtLeast(cues.starts, start); cue < cues.starts.length; cue++) {
    const [from = 0, to = 0] = [cues.starts[cue], cues.ends[cue]];
    if (from >= end) break;
    if (to <= occurrence.start) {
      near.push({ side: 'before', between: text.slice(to, occurrence.start) });
    } else if (from >= occurrence.end) {
      near.push({ side: 'after', between: text.slice(occurrence.end, from) });
    }
  }
  return near;
}

/** Whether some cue stands anywhere in the unit of an occurrence, but not in the value itself. */
export function hasCueInUnit(index: TextIndex, occurrence: Occurrence, cues: CueIndex): boolean {
  const unit = index.units[index.unitOf[occurrence.first] ?? 0];
  if (unit === undefined) return false;
  for (let cue = firstAtLeast(cues.starts, unit.start); cue < cues.starts.length; cue++) {
    const [from = 0, to = 0] = [cues.starts[cue], cues.ends[cue]];
    if (from >= unit.end) return false;
    if (to <= occurrence.start || from >= occurrence.end) return true;
  }
  return false;
}

/** The first index whose number is not below a bound, of numbers in order. */
export function firstAtLeast(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Characters from some words before an occurrence to some behind it, within its unit. */
function windowOf(
  { words: { starts, ends, at }, units, unitOf }: TextIndex,
  { first, last }: Occurrence,
  words: number,
): { readonly start: number; readonly end: number } {
  const unit = units[unitOf[first] ?? 0];
  const [from = 0, to = 0] = [at[first], at[last]];
  const firstWord = firstAtLeast(at, from - words - 1);
  const lastWord = Math.min(firstAtLeast(at, to + words + 1), at.length - 1);
  return {
    start: Math.max(unit?.start ?? 0, starts[firstWord] ?? 0),
    end: Math.min(unit?.end ?? Infinity, ends[lastWord] ?? Infinity),
  };
}
