import { firstAtLeast, groupBy } from '../../lib/collections.ts';
import { remembered } from '../../lib/text.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { type TextIndex, wordsOf } from './text-index.ts';
import { normaliseValue } from './words.ts';

/** A place where a text speaks of a subject. */
export interface Anchor {
  /** The first and the last of the words that name it. */
  readonly first: number;
  readonly last: number;
  /** None of its words is absent. */
  readonly isWhole: boolean;
}

/** Other words that must surround a word for it to name a subject. */
interface Around {
  readonly others: readonly { readonly word: string; readonly places: readonly number[] }[];
  /** How many of them may be absent. */
  readonly mayLack: number;
}

/** Places that name a subject, in order, and the first words of these. */
interface SubjectPlaces {
  readonly all: readonly Anchor[];
  readonly firsts: readonly number[];
}

/** Words that say nothing of what a subject is. */
const EMPTY_WORDS = new Set(
  'the a an of for each on in to is at by from 的 之 对 为 用 于 の は を が に と で も へ'.split(
    ' ',
  ),
);
/** Words over which the name of a subject may be spread. */
const SPREAD = 10;
/** Subjects of at least this many words may lack one. */
const LONG_SUBJECT = 4;
/** Words of a subject around which the others are looked for, those that a text has least often. */
const MOST_RARE = 2;

/** The words by which a subject is known; remembered, for many texts are scored by the same facts. */
export const subjectWords = remembered((subject): readonly string[] => {
  const words = wordsOf(normaliseValue(subject));
  const telling = words.filter((word) => !EMPTY_WORDS.has(word));
  return [...new Set(telling.length === 0 ? words : telling)];
});

/** Separators of a name from words that belong to no name or to another one. */
const PARTS =
  /[,;:、，；：。|=→\d]|->|[.!?]\s|(?<![\w-])(?:and|or|und|oder)(?![\w-])|(?<!\p{L})(?:и|или)(?!\p{L})/u;
/** Places of a longer subject around a word, of which one may reach over the next. */
const NEXT = 2;

/** How many of the words of a subject may be absent where it is named. */
export function mostMissing(words: readonly string[]): number {
  return words.length < LONG_SUBJECT ? 0 : 1;
}

/** Where a text names each subject of some facts; inside of the name of a longer one of the kind it names that. */
export function findSubjects(
  index: TextIndex,
  facts: readonly PlantedFact[],
): ReadonlyMap<string, SubjectPlaces> {
  const subjects = new Set(facts.map(({ subject }) => subject).filter(Boolean));
  const found = new Map([...subjects].map((subject) => [subject, placesOf(index, subject)]));
  const longer = longerSubjects(facts);
  return new Map(
    [...found].map(([subject, places]) => {
      const others = [...(longer.get(subject) ?? [])].flatMap((other) => found.get(other) ?? []);
      return [subject, others.length === 0 ? places : without(index, places, others)];
    }),
  );
}

function placesOf(index: TextIndex, subject: string): SubjectPlaces {
  return toPlaces(findAnchors(index, subjectWords(subject)));
}

function toPlaces(all: readonly Anchor[]): SubjectPlaces {
  return { all, firsts: all.map(({ first }) => first) };
}

/** Where a text names a subject: its words near each other in one unit, or some of them in the heading above. */
function findAnchors(index: TextIndex, words: readonly string[]): readonly Anchor[] {
  const all = words.map((word) => ({ word, places: index.placesOf(word) }));
  const present = all
    .filter(({ places }) => places.length > 0)
    .toSorted((a, b) => a.places.length - b.places.length);
  const anchors = new Map<number, Anchor>();
  for (const { word, places } of present.slice(0, MOST_RARE)) {
    const others = all.filter((other) => other.word !== word);
    for (const place of places) {
      const anchor = anchorAround(index, place, { others, mayLack: mostMissing(words) });
      if (anchor !== undefined && !anchors.has(anchor.first)) anchors.set(anchor.first, anchor);
    }
  }
  const inOrder = [...anchors.values()].toSorted((a, b) => a.first - b.first);
  return inOrder.filter(
    (anchor, number) => ![inOrder[number - 1], inOrder[number + 1]].some(isTighter(anchor)),
  );
}

function anchorAround(
  index: TextIndex,
  place: number,
  { others, mayLack }: Around,
): Anchor | undefined {
  let [first, last, lacking] = [place, place, 0];
  for (const { word, places } of others) {
    const near = nearestPlace(index, places, place);
    if (near >= 0) [first, last] = [Math.min(first, near), Math.max(last, near)];
    else if (!aboveOf(index, place).includes(word)) lacking += 1;
    if (lacking > mayLack) return undefined;
  }
  return { first, last, isWhole: lacking === 0 };
}

/** The nearest of some places that lies in the same unit, not too far away; -1 where there is none. */
function nearestPlace(index: TextIndex, places: readonly number[], place: number): number {
  const next = firstAtLeast(places, place);
  const [before = -1, after = -1] = [places[next - 1], places[next]];
  const isBefore = isNear(index, before, place);
  if (!isNear(index, after, place)) return isBefore ? before : -1;
  return isBefore && place - before < after - place ? before : after;
}

function isNear({ unitOf, words: { at } }: TextIndex, other: number, place: number): boolean {
  if (other < 0 || unitOf[other] !== unitOf[place]) return false;
  return Math.abs((at[other] ?? 0) - (at[place] ?? 0)) <= SPREAD;
}

function aboveOf({ units, unitOf }: TextIndex, place: number): string {
  return units[unitOf[place] ?? 0]?.above ?? '';
}

/** Tests if another place that shares a word names the subject more closely. */
function isTighter({ first, last }: Anchor): (other: Anchor | undefined) => boolean {
  return (other) =>
    other !== undefined &&
    other.first <= last &&
    first <= other.last &&
    other.last - other.first < last - first;
}

/** Subjects with others of a kind that have all of their words, and more. */
function longerSubjects(facts: readonly PlantedFact[]): ReadonlyMap<string, ReadonlySet<string>> {
  const longer = new Map<string, Set<string>>();
  for (const own of groupBy(facts, ({ kind }) => kind).values()) {
    const subjects = [...new Set(own.map(({ subject }) => subject))].filter(Boolean);
    for (const subject of subjects) {
      const others = subjects.filter((other) => hasMore(other, subject));
      longer.set(subject, new Set([...(longer.get(subject) ?? []), ...others]));
    }
  }
  return longer;
}

function hasMore(subject: string, than: string): boolean {
  const [words, fewer] = [subjectWords(subject), subjectWords(than)];
  return words.length > fewer.length && fewer.every((word) => words.includes(word));
}

function without(
  index: TextIndex,
  { all }: SubjectPlaces,
  others: readonly SubjectPlaces[],
): SubjectPlaces {
  return toPlaces(all.filter((anchor) => !others.some((other) => isCovered(index, anchor, other))));
}

/** Tests if a place that names a subject is part of the name of another one. */
function isCovered(index: TextIndex, anchor: Anchor, { all, firsts }: SubjectPlaces): boolean {
  const next = firstAtLeast(firsts, anchor.first + 1);
  return all
    .slice(Math.max(0, next - NEXT), next)
    .some((other) => other.isWhole && other.last >= anchor.last && isOneName(index, anchor, other));
}

function isOneName({ text, words: { starts, ends } }: TextIndex, part: Anchor, all: Anchor) {
  const before = text.slice(starts[all.first], starts[part.first]);
  const after = text.slice(ends[part.last], ends[all.last]);
  return !PARTS.test(before) && !PARTS.test(after);
}
