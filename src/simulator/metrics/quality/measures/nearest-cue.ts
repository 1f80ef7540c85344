import type { Occurrence, TextIndex } from '../text/text-index.ts';

/** A name for what a text says, and the words that say it. */
export type NamedCue<Name extends string> = readonly [name: Name, pattern: RegExp];

/** A piece of a text, in characters. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** What stands around a value: in its unit, right behind it, and above. */
interface TextsAround {
  readonly before: string;
  readonly after: string;
  readonly tail: string;
  readonly above: string;
}

/** Words behind a value that may tell what it is before those that stand in front of it do. */
const TAIL =
  /^\s*(?:[-:=(（[|–—→]|(?:[)\]],?|,)?\s*(?:is|are|was|were|has|have|had|will|won['’]t|must|should|shall|needs?|remains?|stays?|still|ist|sind|wird|wurde)\b|を|は|が|已|被|还|尚|まだ)/u;
const TAIL_LENGTH = 40;
/** A sentence of a few words behind the one that a value ends. */
const VERDICT = /^[)\]]?[.!。]\s*(?<verdict>[^\s.!。:：][^.!。:：]{0,30})[.!。]/u;
/** Characters over which no cue speaks of a value. */
const FAR = 4_000;

/**
 * What the words around a value say of it: a sentence of nothing else behind it, or else those right behind it, or the
 * nearest before it in its unit, or the nearest behind it, or those of the heading above.
 */
export function nearestCue<Name extends string>(
  index: TextIndex,
  place: Occurrence,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  const { tail, before, after, above } = textsAround(index, place);
  return (
    verdictOf(index, place, cues) ??
    firstOf(tail, cues) ??
    lastOf(before, cues) ??
    firstOf(after, cues) ??
    lastOf(above, cues)
  );
}

/** What they say where nothing counts that is only somewhere behind the value. */
export function leadingCue<Name extends string>(
  index: TextIndex,
  place: Occurrence,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  const { tail, before, above } = textsAround(index, place);
  return firstOf(tail, cues) ?? lastOf(before, cues) ?? lastOf(above, cues);
}

function textsAround(
  { text, units, unitOf }: TextIndex,
  { start, end, first }: Occurrence,
): TextsAround {
  const unit = units[unitOf[first] ?? 0];
  const before = text.slice(Math.max(unit?.start ?? 0, start - FAR), start);
  const after = text.slice(end, Math.min(end + FAR, Math.max(end, unit?.end ?? end)));
  const tail = TAIL.test(after) ? after.slice(0, TAIL_LENGTH) : '';
  return { before, after, tail, above: unit?.above ?? '' };
}

function verdictOf<Name extends string>(
  { text }: TextIndex,
  { end }: Occurrence,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  const { verdict = '' } = VERDICT.exec(text.slice(end, end + TAIL_LENGTH))?.groups ?? {};
  return placed(verdict, cues).find((cue) => cue.start === 0 && cue.end === verdict.length)?.name;
}

function firstOf<Name extends string>(
  text: string,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  return placed(text, cues).toSorted((a, b) => a.start - b.start || b.end - a.end)[0]?.name;
}

function lastOf<Name extends string>(
  text: string,
  cues: readonly NamedCue<Name>[],
): Name | undefined {
  return placed(text, cues).toSorted((a, b) => b.end - a.end || a.start - b.start)[0]?.name;
}

/** Every cue in a text; one inside of another, as "done" in "not done", does not count. */
function placed<Name extends string>(text: string, cues: readonly NamedCue<Name>[]) {
  if (text === '') return [];
  const all = cues.flatMap(([name, pattern]) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      name,
      start: index,
      end: index + found.length,
    })),
  );
  return all.toSorted((a, b) => a.start - b.start || b.end - a.end).filter(createOutermost());
}

/** Whether one of some pieces of a text, in order, lies in no longer one. */
function createOutermost(): (piece: Span) => boolean {
  let outer: Span = { start: -1, end: -1 };
  return (piece) => {
    const isIn = piece.end <= outer.end && piece.end - piece.start < outer.end - outer.start;
    if (piece.end > outer.end) outer = piece;
    return !isIn;
  };
}
