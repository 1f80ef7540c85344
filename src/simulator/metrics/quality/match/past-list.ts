import type { Occurrence, TextIndex } from '../text/text-index.ts';
import type { Span } from './neighbours.ts';

/** A cue, from where to where, and the number of the value that it speaks of. */
interface Told extends Span {
  readonly number: number;
}

/** What stands between two values that are listed, whatever says so of one. */
const PAIR = /^\s?(?:\/|and|und|и|和|及|と)\s?$/u;
/** The same with commas, which stand between a value that held and one that holds as well. */
const LIST = /^\s?(?:[,、，/|]|(?:, ?)?(?:and|und|и|和|及|と))\s?$/u;
/** Says of a cue that what stands behind it, in brackets or after a colon, is a list. */
const OPENS = /[(（][^()（）]*$/u;
const COLON = /^\s?[:：]/u;
/** Says of a cue that all that is listed before it is meant. */
const PLURAL =
  /^\s(?:are|were|have been|sind|wurden)(?: \w+)?\s$|^(?:都|均|皆|は(?:いずれも|すべて))/u;
/** Characters before a cue that are looked at. */
const BEFORE = 80;
/** Values in a list; nobody names more that held before. */
const MOST = 20;

/** The values in order that a cue speaks of: the one that it stands next to, and those that are listed with it. */
export function listedWith(
  { text }: TextIndex,
  places: readonly Occurrence[],
  { start, end, number }: Told,
): readonly Occurrence[] {
  const place = places[number];
  if (place === undefined) return [];
  const isAhead = place.start >= end;
  const others = isAhead
    ? places.slice(number + 1, number + MOST)
    : places.slice(Math.max(0, number - MOST), number).toReversed();
  const between = isAhead ? text.slice(end, place.start) : text.slice(place.end, start);
  const isList = isAhead
    ? COLON.test(between) || OPENS.test(text.slice(Math.max(0, start - BEFORE), start))
    : PLURAL.test(between);
  if (!isAhead && !isList) return [place];
  return [place, ...followers(text, [place, ...others], isList ? LIST : PAIR)];
}

/** Values each of which is joined to the one before it in a list, in either direction. */
function followers(
  text: string,
  places: readonly Occurrence[],
  link: RegExp,
): readonly Occurrence[] {
  const broken = places.findIndex((place, number) => {
    const next = places[number + 1];
    if (next === undefined) return true;
    const [left, right] = place.start < next.start ? [place, next] : [next, place];
    return !link.test(text.slice(left.end, right.start));
  });
  return places.slice(1, broken + 1);
}
