import { firstAtLeast } from '../../../lib/collections.ts';
import type { PlantedFact } from '../../../session/facts.ts';
import type { Occurrence } from '../text/text-index.ts';
import { isInOwnColumn } from './columns.ts';
import type { Matching } from './matching.ts';
import { sideOfSubject } from './sides.ts';
import type { Anchor } from './subjects.ts';

/** A value, and a place that names its subject. */
interface Pair {
  readonly anchor: Anchor;
  readonly place: Occurrence;
}

/** Words within which a value belongs to a subject that stands in another unit. */
const REACH = 40;

/**
 * Whether a value stands with the subject of its fact: in its column, or in the same unit, or within reach of it, and
 * no subject of another fact of the kind between the two, or nearer, or right above. A value without subject stands for itself.
 */
export function isBound(matching: Matching, fact: PlantedFact, place: Occurrence): boolean {
  if (fact.subject === '') return true;
  const isOwnColumn = isInOwnColumn(matching, fact, place);
  if (isOwnColumn !== undefined) return isOwnColumn;
  const { unitOf } = matching.index;
  const side = sideOfSubject(matching, fact, place);
  const isWithin = (anchor: Anchor) =>
    unitOf[anchor.first] === unitOf[place.first]
      ? side === undefined || side === sideOf(anchor, place)
      : isInReach(matching, fact, { anchor, place });
  return matching
    .anchorsNear(fact.subject, place.first)
    .some((anchor) => isWithin(anchor) && !isPartedByOther(matching, fact, { anchor, place }));
}

/** Whether a value is near its subject in another unit, and not in that of another subject. */
function isInReach(matching: Matching, fact: PlantedFact, { anchor, place }: Pair): boolean {
  const isNear = distanceOf(matching.index.words.at, anchor, place) <= REACH;
  const isBehind = sideOf(anchor, place) === 'after';
  return (
    isNear &&
    !isOfOther(matching, fact, place) &&
    !(isBehind && isBelowOther(matching, fact, place))
  );
}

function sideOf(anchor: Anchor, place: Occurrence): 'before' | 'after' {
  return anchor.first < place.first ? 'before' : 'after';
}

/** Whether the unit of a value names the subject of another fact of the kind. */
function isOfOther(
  { index: { unitOf }, anchorsOfKind }: Matching,
  { kind, subject }: PlantedFact,
  place: Occurrence,
): boolean {
  const { places, subjects } = anchorsOfKind(kind);
  const next = firstAtLeast(places, place.first);
  return [next - 1, next].some(
    (other) => unitOf[places[other] ?? -1] === unitOf[place.first] && subjects[other] !== subject,
  );
}

/**
 * Whether a value stands within reach behind the subject of another fact of the kind, in a line below it, and no
 * number between the two: that has no value of its own yet.
 */
function isBelowOther(
  { index: { text, words }, anchorsOfKind }: Matching,
  { kind, subject }: PlantedFact,
  place: Occurrence,
): boolean {
  const { places, subjects } = anchorsOfKind(kind);
  const last = firstAtLeast(places, place.first) - 1;
  const first = places[last];
  if (first === undefined || subjects[last] === subject) return false;
  const isNear = distanceOf(words.at, { first, last: first }, place) <= REACH;
  return isNear && !/\d/.test(text.slice(words.ends[first], place.start));
}

function distanceOf(
  at: readonly number[],
  anchor: Pick<Anchor, 'first' | 'last'>,
  place: Occurrence,
): number {
  const [from, to] =
    anchor.last < place.first ? [anchor.last, place.first] : [place.last, anchor.first];
  return Math.max(0, (at[to] ?? 0) - (at[from] ?? 0));
}

/** Values of other facts of the kind between the two say the same of a list: each subject has its own value. */
function isPartedByOther(
  matching: Matching,
  { kind, subject }: PlantedFact,
  { anchor, place }: Pair,
): boolean {
  const [from, to] =
    anchor.last < place.first ? [anchor.last + 1, place.first] : [place.last + 1, anchor.first];
  const { places, subjects } = matching.anchorsOfKind(kind);
  for (let other = firstAtLeast(places, from); other < places.length; other++) {
    if ((places[other] ?? 0) >= to) return false;
    if (subjects[other] !== subject) return true;
  }
  return false;
}
