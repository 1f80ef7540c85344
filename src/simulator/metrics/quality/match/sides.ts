import { firstAtLeast } from '../../../lib/collections.ts';
import type { PlantedFact } from '../../../session/facts.ts';
import type { Occurrence } from '../text/text-index.ts';
import { isGlue } from './glue.ts';
import type { Matching } from './matching.ts';

/** What parts the pairs of a list that stands in one line. */
const PARTS = /[,;、，；。)）|]|[.!?]\s|(?<![\w-])(?:and|und)(?![\w-])|(?<!\p{L})и(?!\p{L})/u;
/** What stands in brackets behind a value, and nothing more there, says what it is. */
const IN_BRACKETS = /^\s?[(（][^()（）\d]+[)）]/;
/** Characters over which no list goes on. */
const FAR = 80;
/** A number of a list, which is no value. */
const MARKER = /^\s*(?:[-*+•]|\d{1,3}[.)、])\s?/;

/**
 * On which side of a value the subject stands that it belongs to, where one of its kind stands on both: on that from
 * which nothing parts it, or else as in the rest of its line; `undefined` where there is nothing to choose.
 */
export function sideOfSubject(
  matching: Matching,
  { kind }: PlantedFact,
  place: Occurrence,
): 'before' | 'after' | undefined {
  const { index, anchorsOfKind } = matching;
  const { places } = anchorsOfKind(kind);
  const last = firstAtLeast(places, place.first) - 1;
  const next = firstAtLeast(places, place.last + 1);
  const [previous = -1, following = -1] = [places[last], places[next]];
  const unit = index.unitOf[place.first];
  if (index.unitOf[previous] !== unit || index.unitOf[following] !== unit) return undefined;
  const [from = 0, to = 0] = [index.words.ends[previous], index.words.starts[following]];
  if (to - place.end > FAR) return 'before';
  const before = index.text.slice(Math.max(from, place.start - FAR), place.start);
  const after = index.text.slice(place.end, to);
  if (PARTS.test(after) || !isGlue(after)) return 'before';
  if (PARTS.test(before) || isValueFirst(matching, kind, place)) return 'after';
  const isNamed = IN_BRACKETS.test(index.text.slice(place.end, place.end + FAR));
  return isNamed ? undefined : 'before';
}

/** Whether the line of a value has a number before it names any subject. */
function isValueFirst(
  { index, anchorsOfKind }: Matching,
  kind: PlantedFact['kind'],
  { first }: Occurrence,
): boolean {
  const start = index.units[index.unitOf[first] ?? 0]?.start ?? 0;
  const { places } = anchorsOfKind(kind);
  const subject = places[firstAtLeast(places, firstAtLeast(index.words.starts, start))] ?? first;
  const lead = index.text.slice(start, Math.min(start + FAR, index.words.starts[subject] ?? start));
  return /\d/.test(lead.replace(MARKER, ''));
}
