/** Which fact a value in a text belongs to: subjects are looked for around it, from near to far. */

import type { PlantedFact } from '../../session/facts.ts';
import { keyOf, type Matching } from './matching.ts';
import { clausesAbout, hasNone } from './polarity.ts';
import { type Place, VALUE } from './read-text.ts';
import { namedWords, shareNamed, type Subject } from './subjects.ts';
import type { WordLanguage } from './word-lists.ts';

export type Binding = 'own' | 'other' | 'alone' | 'doubtful';

interface Surrounding {
  readonly words: string;
  readonly places: readonly Place[];
  /** The clause, and those beside it that have no value. */
  readonly isNear: boolean;
}

interface Rival {
  readonly subject: Subject;
  readonly key: string;
}

const DUMP = 3;

/** Looks for the subject around a value, from near to far, and for nearer ones. */
export function bindingOf(matching: Matching, fact: PlantedFact, place: Place): Binding {
  const subject = matching.subjects.get(fact.id);
  if (subject === undefined || subject.words.length === 0) return 'own';
  const others = otherSubjects(matching, fact);
  if (fact.polarity === 'do' && isNamedEmpty(subject, place, matching.language)) return 'other';
  for (const { words, places, isNear } of surroundings(place)) {
    const isNamed = shareNamed(subject.words, words) > 0;
    const free = others.filter(({ key }) => isNear && !places.some((one) => one.key === key));
    const rivals = free.map((one) => ({ ...one, is: rivalry(subject, one.subject, words) }));
    if (rivals.some(({ is }) => is === 'nearer')) return 'other';
    if (!isNamed) continue;
    const isEven = rivals.some((one) => one.is === 'even' && !hasOwnPlace(matching, one, subject));
    return isEven && !matching.isTranslated ? 'doubtful' : 'own';
  }
  return 'alone';
}

/** Pieces of text around a place, the nearest first. */
export function surroundings({ clause }: Place): readonly Surrounding[] {
  const { sentence, column } = clause;
  const { line } = sentence;
  const at = line.sentences.indexOf(sentence);
  const around = [line.sentences[at - 1], line.sentences[at + 1]].map((one) => one?.words ?? '');
  return [
    { words: clause.words, places: clause.places, isNear: true },
    {
      words: clausesAbout(clause)
        .map(({ words }) => words)
        .join(' '),
      places: clause.places,
      isNear: true,
    },
    ...[sentence.words, column, ...around, ...line.above].map((words) => ({
      words,
      places: [],
      isNear: false,
    })),
  ];
}

/** Values of a line that says nothing. */
export function isDump({ clause }: Place): boolean {
  const { words } = clause.sentence.line;
  const values = words.split(VALUE).length - 1;
  const others = words.match(/[\p{L}]{2,}/gu)?.length ?? 0;
  return values >= DUMP && others < values;
}

/** By the words that only one of them has. */
function rivalry(own: Subject, other: Subject, text: string): 'nearer' | 'even' | 'farther' {
  const ownWords = own.all.filter((word) => !other.all.includes(word));
  const otherWords = other.all.filter((word) => !own.all.includes(word));
  const ownShare = shareNamed(ownWords, text);
  const otherShare = shareNamed(otherWords, text);
  if (ownShare === 0 && otherShare === 1) return 'nearer';
  return otherShare > 0 && ownShare < 1 && otherShare >= ownShare && shareNamed(own.words, text) < 1
    ? 'even'
    : 'farther';
}

/** With its own subject, and without the words of this one. */
function hasOwnPlace({ placesAt }: Matching, rival: Rival, subject: Subject): boolean {
  const ownWords = subject.all.filter((word) => !rival.subject.all.includes(word));
  return placesAt(rival.key).some(
    ({ clause }) =>
      shareNamed(rival.subject.words, clause.words) > 0 && shareNamed(ownWords, clause.words) === 0,
  );
}

function otherSubjects({ live, subjects }: Matching, fact: PlantedFact): readonly Rival[] {
  const own = subjects.get(fact.id)?.key;
  return live.flatMap((one) => {
    const subject = subjects.get(one.id);
    return subject === undefined || subject.key === own || subject.words.length === 0
      ? []
      : [{ subject, key: keyOf(one) }];
  });
}

/** Another clause says that the rest of the subject has no such value. */
function isNamedEmpty({ words }: Subject, { clause }: Place, language: WordLanguage): boolean {
  const here = namedWords(words, clause.words);
  const missing = words.filter((word) => !here.includes(word));
  if (here.length === 0) return false;
  return clause.sentence.clauses.some(
    (other) =>
      other !== clause &&
      other.places.length === 0 &&
      shareNamed(missing, other.words) === 1 &&
      hasNone(other.words, language),
  );
}
