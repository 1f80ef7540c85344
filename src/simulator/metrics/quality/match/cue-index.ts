import { firstAtLeast } from '../../../lib/collections.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';

/** Where cues of one sort stand in a text, in order. */
export interface CueIndex {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A cue beside an occurrence, in the same unit. */
export interface NearCue {
  readonly side: 'before' | 'after';
  readonly cue: string;
  /** What stands between the two. */
  readonly between: string;
  /** What stands behind the cue, to the end of the unit or some characters on. */
  readonly behind: string;
}

/** Which cues are looked for, and how far away. */
interface NearOptions {
  readonly cues: CueIndex;
  readonly words: number;
  /** In the lines beside too, where they are of the same sentence. */
  readonly isAcrossLines: boolean;
}

/** A piece of a text, in characters. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Characters behind a cue that are looked at. */
const BEHIND = 40;

/** Finds the cues of one sort in a text. */
export function findCues({ text }: TextIndex, pattern: RegExp): CueIndex {
  const found = [...text.matchAll(pattern)];
  return {
    starts: found.map(({ index }) => index),
    ends: found.map(({ index, 0: cue }) => index + cue.length),
  };
}

/** The cues of one sort without those that are a part of others. */
export function withoutParts({ starts, ends }: CueIndex, others: CueIndex): CueIndex {
  const kept = starts.map((start, cue) => {
    const other = firstAtLeast(others.ends, start + 1);
    return (others.starts[other] ?? Infinity) >= (ends[cue] ?? 0);
  });
  return {
    starts: starts.filter((_, cue) => kept[cue]),
    ends: ends.filter((_, cue) => kept[cue]),
  };
}

/** The cues of the unit that stand within some words of an occurrence. */
export function cuesNear(
  index: TextIndex,
  occurrence: Occurrence,
  { cues, words, isAcrossLines }: NearOptions,
): readonly NearCue[] {
  const { text } = index;
  const unit = sentenceAround(index, occurrence, { isAcrossLines });
  const around = windowOf(index, occurrence, words);
  const [start, end] = [Math.max(unit.start, around.start), Math.min(unit.end, around.end)];
  const near: NearCue[] = [];
  for (let cue = firstAtLeast(cues.starts, start); cue < cues.starts.length; cue++) {
    const [from = 0, to = 0] = [cues.starts[cue], cues.ends[cue]];
    if (from >= end) break;
    const own = {
      cue: text.slice(from, to),
      behind: text.slice(to, Math.min(unit.end, to + BEHIND)),
    };
    if (to <= occurrence.start) {
      near.push({ ...own, side: 'before', between: text.slice(to, occurrence.start) });
    } else if (from >= occurrence.end) {
      near.push({ ...own, side: 'after', between: text.slice(occurrence.end, from) });
    }
  }
  return near;
}

/** The unit of an occurrence; with the lines beside that are of its sentence, if these count. */
function sentenceAround(
  { units, unitOf }: TextIndex,
  { first, last }: Occurrence,
  { isAcrossLines }: Pick<NearOptions, 'isAcrossLines'>,
): Span {
  const [from, to] = [unitOf[first] ?? 0, unitOf[isAcrossLines ? last : first] ?? 0];
  const [unit, next] = [units[from], units[to + 1]];
  const before = isAcrossLines && unit?.isContinuation === true ? units[from - 1] : unit;
  const after = isAcrossLines && next?.isContinuation === true ? next : units[to];
  return { start: before?.start ?? 0, end: after?.end ?? Infinity };
}

/** Characters from some words before an occurrence to some behind it. */
function windowOf(
  { words: { starts, ends, at } }: TextIndex,
  { first, last }: Occurrence,
  words: number,
): Span {
  const [from = 0, to = 0] = [at[first], at[last]];
  const firstWord = firstAtLeast(at, from - words - 1);
  const lastWord = firstAtLeast(at, to + words + 1);
  return { start: starts[firstWord] ?? 0, end: ends[lastWord] ?? Infinity };
}
