import { firstAtLeast, groupBy } from '../../../lib/collections.ts';
import type { PlantedFact } from '../../../session/facts.ts';
import type { TextIndex } from '../text/text-index.ts';
import { type Anchor, findAnchors, subjectWords } from './subjects.ts';

/** Places that name a subject, in order, and the first words of these. */
export interface SubjectPlaces {
  readonly all: readonly Anchor[];
  readonly firsts: readonly number[];
}

/** What parts a name from words that belong to no name, or to another one. */
const PARTS =
  /[,;:、，；：。|=→\d]|->|[.!?]\s|(?<![\w-])(?:and|or|und|oder)(?![\w-])|(?<!\p{L})(?:и|или)(?!\p{L})/u;
/** Places of a longer subject around a word, of which one may reach over the next. */
const NEXT = 2;

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

/** Whether a place that names a subject is a piece of the name of another one. */
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
