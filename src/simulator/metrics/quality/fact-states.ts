/** States of facts in a text: each value is looked up, and what stands around it decides what is said of it. */

import { groupBy } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { chainsOf, factsAt } from './live-facts.ts';
import {
  clausesAbout,
  hasNone,
  isBanKept,
  isDenied,
  isOptionRejected,
  isPast,
  taskState,
  type Verdict,
} from './polarity.ts';
import {
  isDistinctive,
  type Place,
  plainText,
  type ReadText,
  readText,
  VALUE,
} from './read-text.ts';
import { namedWords, shareNamed, type Subject, subjectsOf } from './subjects.ts';
import { languageOf, type WordLanguage } from './word-lists.ts';

/**
 * `kept`: value with its subject. `unbound`: value alone. `wrong-value`: subject with another value, or value with another subject.
 * `contradicted`: both, and the opposite is said. `stale`: what held before is told as what holds. `lost`: none of it.
 * `unknown`: doubt, for a judge to settle.
 */
export const FACT_STATES = [
  'kept',
  'unbound',
  'wrong-value',
  'contradicted',
  'stale',
  'lost',
  'unknown',
] as const;

/** What a text says of a fact. */
export type FactState = (typeof FACT_STATES)[number];

/** A text with the facts of a session found in it. */
interface Matching {
  readonly facts: readonly PlantedFact[];
  readonly live: readonly PlantedFact[];
  readonly subjects: ReadonlyMap<string, Subject>;
  /** Places of a value by its key. */
  readonly placesAt: (key: string) => readonly Place[];
  /** Strings that look like values and are none of a fact's, with their places. */
  readonly strangers: readonly (readonly [string, readonly Place[]])[];
  /** Places of a fact's value. */
  readonly placesOf: (fact: PlantedFact) => readonly Place[];
  readonly language: WordLanguage;
  /** The text is in another language than the facts: subjects may be translated. */
  readonly isTranslated: boolean;
}

/** How a place belongs to a fact. */
type Binding = 'own' | 'other' | 'alone' | 'doubtful';

/** Most values of a line that is no mere list of values, for each word in it. */
const VALUES_PER_WORD = 0.5;
const DUMP = 3;
/** The last places of a value that are looked at. */
const MOST_PLACES = 50;
const MOST_TYPOS = 2;
/** A shorter string has one typo at most. */
const LONG = 6;
const SAME_START = 3;

/** The state of each fact that holds at a step, by its id. */
export function factStates(
  text: string,
  facts: readonly PlantedFact[],
  atStep?: number,
): ReadonlyMap<string, FactState> {
  const { said, live } = factsAt(facts, atStep);
  const matching = matchFacts(text, { said, live });
  const before = new Map(
    chainsOf(said).flatMap((chain) =>
      chain.map((fact, at) => [fact.id, chain.slice(0, at)] as const),
    ),
  );
  return new Map(live.map((fact) => [fact.id, stateOf(matching, fact, before.get(fact.id) ?? [])]));
}

function matchFacts(
  text: string,
  { said, live }: { readonly said: readonly PlantedFact[]; readonly live: readonly PlantedFact[] },
): Matching {
  const read = readText(
    text,
    said.map((fact) => ({ key: keyOf(fact), spellings: spellingsOf(fact) })),
  );
  const known = groupBy(read.places, ({ key = '' }) => key);
  const places = new Map([...known].map(([key, own]) => [key, own.slice(-MOST_PLACES)]));
  const own = languageOf(
    live.map(({ subject, sentence = '' }) => `${subject} ${sentence}`).join(' '),
  );
  const language = languageOf(read.words.replaceAll(VALUE, ' '), own) ?? own ?? 'en';
  return {
    facts: said,
    live,
    subjects: subjectsOf(said.filter(({ role }) => role === undefined)),
    placesAt: (key) => places.get(key) ?? [],
    placesOf: (fact) => places.get(keyOf(fact)) ?? [],
    strangers: [...groupBy(known.get('') ?? [], ({ written }) => plainText(written))],
    language,
    isTranslated: own !== undefined && own !== language,
  };
}

/** A number may be written in groups; those with a sign between them are joined by the reader of the text. */
function spellingsOf({ value, aliases = [] }: PlantedFact): readonly string[] {
  const isNumber = /^\d{5,}$/.test(value);
  return [value, ...aliases, ...(isNumber ? [value.replaceAll(/\B(?=(?:\d{3})+$)/g, ' ')] : [])];
}

function keyOf({ value }: PlantedFact): string {
  return plainText(value);
}

function stateOf(matching: Matching, fact: PlantedFact, before: readonly PlantedFact[]): FactState {
  const places = matching.placesOf(fact);
  const old = before.filter(({ value }) => keyOf({ ...fact, value }) !== keyOf(fact));
  const isOldTold = old.some((one) => isToldAsCurrent(matching, fact, matching.placesOf(one)));
  if (places.length === 0) return isOldTold ? 'stale' : absentState(matching, fact);
  const states = places.map((place) => placeState(matching, fact, { place, before }));
  const best = settle(states);
  if (!isOldTold || best === 'wrong-value' || best === 'unbound') return best;
  if (best !== 'kept' || places.every((place) => isPast(place, matching.language))) return 'stale';
  return isOldLast(matching, fact, old) ? 'unknown' : 'kept';
}

/** Of several places, a plain contradiction weighs more than doubt, and both more than a value alone. */
function settle(states: readonly FactState[]): FactState {
  const has = (state: FactState) => states.includes(state);
  if (has('kept')) return has('contradicted') ? 'unknown' : 'kept';
  const order: readonly FactState[] = [
    'stale',
    'contradicted',
    'unknown',
    'wrong-value',
    'unbound',
  ];
  return order.find(has) ?? 'lost';
}

function placeState(
  matching: Matching,
  fact: PlantedFact,
  { place, before }: { readonly place: Place; readonly before: readonly PlantedFact[] },
): FactState {
  const binding = bindingOf(matching, fact, place);
  if (binding === 'other') return 'wrong-value';
  if (binding === 'doubtful') return 'unknown';
  const verdict = verdictOf(matching, fact, { place, before });
  if (binding === 'alone') {
    const isOpen = matching.isTranslated && isDistinctive(fact.value) && !isDump(place);
    if (!isOpen) return 'unbound';
  }
  return verdict === 'holds' ? 'kept' : verdict;
}

function verdictOf(
  { language }: Matching,
  fact: PlantedFact,
  { place, before }: { readonly place: Place; readonly before: readonly PlantedFact[] },
): Exclude<FactState, 'kept'> | 'holds' {
  if (fact.kind === 'todo' && fact.todoState !== undefined) {
    return taskVerdict(fact, taskState(place, language), before);
  }
  if (place.isStruck) return 'contradicted';
  const verdict: Verdict =
    fact.polarity === 'do'
      ? isDenied(place, language, fact)
      : fact.kind === 'rejected'
        ? isOptionRejected(place, language)
        : isBanKept(place, language);
  return verdict;
}

function taskVerdict(
  { todoState }: PlantedFact,
  told: PlantedFact['todoState'] | 'unclear',
  before: readonly PlantedFact[],
): Exclude<FactState, 'kept'> | 'holds' {
  if (told === todoState || told === 'unclear') return told === 'unclear' ? 'unknown' : 'holds';
  if (told === undefined) return todoState === 'pending' ? 'holds' : 'unknown';
  if (before.some((one) => one.todoState === told)) return 'stale';
  const isNear =
    told !== 'done' &&
    told !== 'cancelled' &&
    (todoState === 'pending' || todoState === 'in_progress');
  return isNear ? 'unknown' : 'contradicted';
}

/** Looks for the subject around a value, from near to far, and for others that are nearer. */
function bindingOf(matching: Matching, fact: PlantedFact, place: Place): Binding {
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

/** Tests if another fact stands somewhere with its own subject, and without the words of this one. */
function hasOwnPlace({ placesAt }: Matching, rival: Rival, subject: Subject): boolean {
  const ownWords = subject.all.filter((word) => !rival.subject.all.includes(word));
  return placesAt(rival.key).some(
    ({ clause }) =>
      shareNamed(rival.subject.words, clause.words) > 0 && shareNamed(ownWords, clause.words) === 0,
  );
}

/** How another subject stands to a fact's own in a piece of text, by the words that only one of them has. */
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

interface Surrounding {
  readonly words: string;
  readonly places: readonly Place[];
  /** The clause, and those beside it that have no value. */
  readonly isNear: boolean;
}

function surroundings({ clause }: Place): readonly Surrounding[] {
  const { sentence, column = '' } = clause;
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

/** The subject of another fact, with the key of its value. */
interface Rival {
  readonly subject: Subject;
  readonly key: string;
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

/** Tests if the rest of the subject stands in another clause of the sentence, which says that it has no such value. */
function isNamedEmpty({ words }: Subject, { clause }: Place, language: WordLanguage): boolean {
  const here = namedWords(words, clause.words);
  const missing = words.filter((word) => !here.includes(word));
  return clause.sentence.clauses.some(
    (other) =>
      other !== clause &&
      other.places.length === 0 &&
      shareNamed(missing, other.words) === 1 &&
      hasNone(other.words, language),
  );
}

/** Tests if the values of a line stand there without saying anything. */
function isDump({ clause }: Place): boolean {
  const { words } = clause.sentence.line;
  const values = words.split(VALUE).length - 1;
  const others = words.match(/[\p{L}]{2,}/gu)?.length ?? 0;
  return values >= DUMP && others < values / VALUES_PER_WORD / 2;
}

/** Tests if an old value is told as if it held. */
function isToldAsCurrent(
  { language, subjects }: Matching,
  fact: PlantedFact,
  places: readonly Place[],
): boolean {
  const subject = subjects.get(fact.id);
  return places.some(
    (place) =>
      !place.isStruck &&
      !isDump(place) &&
      !isPast(place, language) &&
      isDenied(place, language, fact) === 'holds' &&
      (subject === undefined ||
        surroundings(place).some(({ words }) => shareNamed(subject.words, words) > 0)),
  );
}

/** Tests if an old value stands with the subject, behind the last place of the current one, as if it held. */
function isOldLast(matching: Matching, fact: PlantedFact, old: readonly PlantedFact[]): boolean {
  const { placesOf, language, subjects } = matching;
  const last = placesOf(fact).at(-1)?.index ?? -1;
  const { words = [] } = subjects.get(fact.id) ?? {};
  return old.some((one) =>
    placesOf(one).some(
      (place) =>
        place.index > last && !isPast(place, language) && shareNamed(words, place.clause.words) > 0,
    ),
  );
}

/** The state of a fact whose value stands nowhere: another one may stand in its place. */
function absentState(matching: Matching, fact: PlantedFact): FactState {
  const { strangers, facts, subjects, placesOf } = matching;
  const subject = subjects.get(fact.id);
  const { words: names = [] } = subject ?? {};
  const isTaker = ([written, places]: readonly [string, readonly Place[]]) =>
    isTypo(written, fact) ||
    (isAlike(written, fact) && places.some(({ clause }) => shareNamed(names, clause.words) > 0));
  if (strangers.some(isTaker)) return 'wrong-value';
  if (subject === undefined || names.length === 0) return 'lost';
  const isTaken = (other: PlantedFact) =>
    placesOf(other).some((place) => {
      const { words } = place.clause;
      return shareNamed(subject.words, words) > 0 && !isOwnPlace(matching, other, words);
    });
  const others = facts.filter(({ id, subject: name }) => id !== fact.id && name !== fact.subject);
  return others.some(isTaken) ? 'wrong-value' : 'lost';
}

/** Tests if a clause is about the fact whose value it has. */
function isOwnPlace({ subjects, facts }: Matching, fact: PlantedFact, words: string): boolean {
  const subject = subjects.get(fact.id);
  if (subject !== undefined)
    return subject.words.length === 0 || shareNamed(subject.words, words) > 0;
  const about = facts.find(({ id }) => id === fact.about);
  const [decoy] = subjectsOf([fact]).values();
  const [real] = about === undefined ? [] : subjectsOf([about]).values();
  const extra = (decoy?.words ?? []).filter((word) => !real?.words.includes(word));
  return shareNamed(extra, words) > 0;
}

/** Tests if a string has the form of a fact's value: a path, a number, or the same start. */
function isAlike(written: string, { value }: PlantedFact): boolean {
  const plain = plainText(value);
  if (/^\d+$/.test(plain)) return /^\d+$/.test(written);
  if (plain.includes('/')) return written.includes('/');
  return written.slice(0, SAME_START) === plain.slice(0, SAME_START);
}

function isTypo(written: string, { value, aliases = [] }: PlantedFact): boolean {
  return [value, value.split(' ').at(-1) ?? '', ...aliases].some((spelling) => {
    const plain = plainText(spelling);
    const isNear = Math.abs(plain.length - written.length) <= MOST_TYPOS;
    const most = plain.length < LONG ? 1 : MOST_TYPOS;
    return isNear && /\d/.test(plain) && typosBetween(plain, written) <= most;
  });
}

/** Edits from one string to the other: a letter more, less or changed, or two of them swapped. */
function typosBetween(one: string, other: string): number {
  let [before, row]: number[][] = [
    [],
    Array.from({ length: other.length + 1 }, (_, index) => index),
  ];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row?.[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row?.[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before?.[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row?.at(-1) ?? 0;
}
