/** States of facts in a text: each value is looked up, and what stands around it decides what is said of it. */

import { typosBetween } from '../../lib/text.ts';
import { chainsOf, factsAt, keyOf, matchFacts, type Matching } from './matching.ts';
import {
  nearWords,
  hasNone,
  isOpen,
  taskIn,
  isBanKept,
  isDenied,
  isOptionRejected,
  isPast,
  taskState,
} from './polarity.ts';
import type { Clause, Place } from './read-text.ts';
import { plainText, unitOf } from './spelling.ts';
import { isDistinctive, VALUE } from './values.ts';
import { namedWords, shareNamed, type Subject } from './subjects.ts';
import { namesIn, type WordLanguage } from './word-lists.ts';
import type { PlantedFact } from '../../session/facts.ts';

type Binding = 'own' | 'other' | 'alone';

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

export type FactState = (typeof FACT_STATES)[number];

interface PlaceAfter {
  readonly place: Place;
  readonly before: readonly PlantedFact[];
}

/** As many surroundings are near. */
const NEAR = 2;
const MOST_TOLD = 6;
const ORDINAL = /^\s*\d+[.)]\s/;
const COUNT = /(?<![\p{L}\d.,-])\d+(?![\d\p{Script=Latin}]|[.,]\d)/u;
const LABELLED = /^([^:：=|→]+)[:：=|→]\s*([^|]+)/u;
const MOST_TYPOS = 2;
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

function stateOf(matching: Matching, fact: PlantedFact, before: readonly PlantedFact[]): FactState {
  const places = matching.placesOf(fact);
  const old = before.filter(({ value }) => keyOf({ ...fact, value }) !== keyOf(fact));
  const isOldTold = old.some((one) => isToldAsCurrent(matching, fact, matching.placesOf(one)));
  if (places.length === 0) return isOldTold ? 'stale' : absentState(matching, fact);
  const states = places.map((place) => placeState(matching, fact, { place, before }));
  const best = settle(states);
  if (best === 'unbound' && absentState(matching, fact) === 'wrong-value') return 'wrong-value';
  if (!isOldTold || best === 'wrong-value' || best === 'unbound') return best;
  if (best !== 'kept' || places.every((place) => isPast(place, matching.language))) return 'stale';
  return 'kept';
}

/** A contradiction weighs more than doubt, and both more than a value alone. */
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

function placeState(matching: Matching, fact: PlantedFact, { place, before }: PlaceAfter) {
  const binding = bindingOf(matching, fact, place);
  if (binding === 'other') return 'wrong-value';
  const verdict = verdictOf(matching, fact, { place, before });
  if (binding === 'alone') {
    const isOpen = matching.isTranslated && !isDump(place);
    if (!isOpen) return 'unbound';
  }
  return verdict === 'holds' ? 'kept' : verdict;
}

function verdictOf({ language }: Matching, fact: PlantedFact, { place, before }: PlaceAfter) {
  if (fact.kind === 'todo' && fact.todoState !== undefined)
    return taskVerdict(fact, taskState(place, language), before);
  if (place.isStruck) return 'contradicted';
  if (fact.polarity === 'do') return isDenied(place, language, fact);
  if (fact.kind === 'rejected') return isOptionRejected(place, language);
  return isBanKept(place, language);
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

function isToldAsCurrent(
  { language, subjects }: Matching,
  fact: PlantedFact,
  places: readonly Place[],
): boolean {
  const subject = subjects.get(fact.id);
  return places.some(
    (place) =>
      !place.isStruck &&
      !isPast(place, language) &&
      isDenied(place, language, fact) !== 'contradicted' &&
      (subject === undefined ||
        surroundings(place).some((words) => shareNamed(subject.words, words) > 0)),
  );
}

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
      const own = subjects.get(other.id)?.words ?? [];
      return shareNamed(subject.words, words) > 0 && shareNamed(own, words) === 0;
    });
  const others = facts.filter(({ id, subject: name }) => id !== fact.id && name !== fact.subject);
  const isOther =
    others.some(isTaken) ||
    (fact.polarity === 'do' &&
      !isDistinctive(fact.value) &&
      matching.clauses.some((one) => hasOtherValue(matching, fact, subject, one)));
  return isOther ? 'wrong-value' : 'lost';
}

/** A label with few words behind it, or a sentence with a name or a number. */
function hasOtherValue(
  { language }: Matching,
  fact: PlantedFact,
  subject: Subject,
  { words, sentence }: Clause,
): boolean {
  if (shareNamed(subject.words, words) === 0 || isOpen(words, language)) return false;
  const [, label = '', told = ''] = LABELLED.exec(sentence.words) ?? [];
  const length = told.match(/[\p{Script=Latin}\d]+|[^\p{Script=Latin}\s]/gu)?.length ?? 0;
  const isTold = length > 0 && length <= MOST_TOLD && taskIn(told, language) === undefined;
  if (isTold && shareNamed(subject.words, label) > 0) return true;
  if (/^\d/.test(fact.value)) return COUNT.test(words.replace(ORDINAL, ''));
  return namesIn(words, language).some((name) => shareNamed(subject.all, name) === 0);
}

function isAlike(written: string, { value }: PlantedFact): boolean {
  const plain = plainText(value);
  if (unitOf(plain) !== undefined) return unitOf(plain) === unitOf(written);
  if (/^\d+$/.test(plain)) return /^\d+(?: byte| ms)?$/.test(written);
  if (plain.includes('/')) return written.includes('/');
  return (
    shapeOf(written) === shapeOf(plain) ||
    written.slice(0, SAME_START) === plain.slice(0, SAME_START)
  );
}

function shapeOf(plain: string): string {
  return plain.replaceAll(/\p{L}+/gu, 'a').replaceAll(/\d+/g, '0');
}

function isTypo(written: string, { value, aliases = [] }: PlantedFact): boolean {
  return [value, value.split(' ').at(-1) ?? '', ...aliases].some((spelling) => {
    const plain = plainText(spelling);
    const isNear = Math.abs(plain.length - written.length) <= MOST_TYPOS;
    const most = plain.length < LONG ? 1 : MOST_TYPOS;
    return (
      isNear &&
      /\d/.test(plain) &&
      unitOf(plain) === undefined &&
      typosBetween(plain, written) <= most
    );
  });
}

/** Looks for the subject around a value, from near to far, and for one that is nearer. */
function bindingOf(matching: Matching, fact: PlantedFact, place: Place): Binding {
  const subject = matching.subjects.get(fact.id);
  if (subject === undefined || subject.words.length === 0) return 'own';
  if (fact.polarity === 'do' && isNamedEmpty(subject, place, matching.language)) return 'other';
  if (!isDistinctive(fact.value) && shareNamed(subject.words, fact.value) > 0) return 'own';
  if (fact.kind === 'todo' && shareNamed(subject.words, fact.value) > 0) return 'own';
  const rivals = rivalsOf(matching, fact, place.clause);
  if (isOutbid(subject, place)) return 'other';
  for (const [index, words] of surroundings(place).entries()) {
    if (index < NEAR && rivals.some((rival) => isNearer(rival, subject, words))) return 'other';
    if (shareNamed(subject.words, words) > 0) return 'own';
  }
  return 'alone';
}

/** A later clause of the sentence names more of the subject, with a value of its own. */
function isOutbid({ words }: Subject, { key, clause }: Place): boolean {
  const own = shareNamed(words, clause.words);
  const { clauses } = clause.sentence;
  return clauses
    .slice(clauses.indexOf(clause) + 1)
    .some(
      (other) =>
        other.places.length > 0 &&
        other.places.every((place) => place.key !== key) &&
        shareNamed(words, other.words) > own,
    );
}

/** The clause, those beside it that have no value, and what is farther. */
function surroundings({ clause }: Place): readonly string[] {
  const { sentence, column } = clause;
  const { line } = sentence;
  const at = line.sentences.indexOf(sentence);
  const around = [line.sentences[at - 1], line.sentences[at + 1]].map((one) => one?.words ?? '');
  return [clause.words, nearWords(clause), sentence.words, column, ...around, ...line.above];
}

/** Subjects of other facts whose values are not in the clause. */
function rivalsOf({ live, subjects }: Matching, fact: PlantedFact, { places }: Clause) {
  const own = subjects.get(fact.id)?.key;
  return live.flatMap((one) => {
    const subject = subjects.get(one.id);
    const isFree = !places.some(({ key }) => key === keyOf(one));
    return subject !== undefined && subject.key !== own && isFree ? [subject] : [];
  });
}

/** A list of values says nothing of them. */
function isDump({ clause }: Place): boolean {
  const { words } = clause.sentence.line;
  return (words.match(/\p{L}{2,}/gu)?.length ?? 0) < words.split(VALUE).length - 1;
}

/** By the words that only one of them has. */
function isNearer(rival: Subject, own: Subject, text: string): boolean {
  const ownWords = own.all.filter((word) => !rival.all.includes(word));
  const rivalWords = rival.all.filter((word) => !own.all.includes(word));
  return shareNamed(ownWords, text) === 0 && shareNamed(rivalWords, text) === 1;
}

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
