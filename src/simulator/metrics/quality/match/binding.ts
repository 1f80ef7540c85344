import type { PlantedFact } from '../../../session/facts.ts';
import type { Occurrence } from '../text/text-index.ts';
import { firstAtLeast } from '../../../first-at-least.ts';
import type { Matching } from './matching.ts';
import type { Anchor } from './subjects.ts';

/** Words within which a value belongs to a subject that stands in another unit. */
const REACH = 40;

/**
 * Whether a value stands with the subject of its fact: in the same unit, or within reach of it, and no subject of
 * another fact of the kind between the two. A value without subject stands for itself.
 */
export function isBound(matching: Matching, fact: PlantedFact, place: Occurrence): boolean {
  const { subject } = fact;
  if (subject === '') return true;
  const { unitOf, words } = matching.index;
  return matching.anchorsOf(subject).some((anchor) => {
    if (unitOf[anchor.first] !== unitOf[place.first]) {
      const isFar = distanceOf(words.at, anchor, place) > REACH;
      if (isFar || isOfOther(matching, fact, place)) return false;
    }
    return !isPartedByOther(matching, fact, { anchor, place });
  });
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

function distanceOf(at: readonly number[], anchor: Anchor, place: Occurrence): number {
  const [from, to] =
    anchor.last < place.first ? [anchor.last, place.first] : [place.last, anchor.first];
  return Math.max(0, (at[to] ?? 0) - (at[from] ?? 0));
}

/** Values of other facts of the kind between the two say the same of a list: each subject has its own value. */
function isPartedByOther(
  matching: Matching,
  { kind, subject }: PlantedFact,
  { anchor, place }: { readonly anchor: Anchor; readonly place: Occurrence },
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
