/** States of facts in a text: each value is looked up, and what stands around it decides what is said of it. */

import { typosBetween } from '../../lib/text.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { bindingOf, isDump, surroundings } from './binding.ts';
import { chainsOf, factsAt, keyOf, type Matching, matchFacts } from './matching.ts';
import { isBanKept, isDenied, isOptionRejected, isPast, taskState } from './polarity.ts';
import { isDistinctive, type Place, plainText } from './read-text.ts';
import { shareNamed, subjectsOf } from './subjects.ts';

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
  if (!isOldTold || best === 'wrong-value' || best === 'unbound') return best;
  if (best !== 'kept' || places.every((place) => isPast(place, matching.language))) return 'stale';
  return isOldLast(matching, fact, old) ? 'unknown' : 'kept';
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

function placeState(
  matching: Matching,
  fact: PlantedFact,
  { place, before }: PlaceAfter,
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
  { place, before }: PlaceAfter,
): Exclude<FactState, 'kept'> | 'holds' {
  if (fact.kind === 'todo' && fact.todoState !== undefined) {
    return taskVerdict(fact, taskState(place, language), before);
  }
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
      !isDump(place) &&
      !isPast(place, language) &&
      isDenied(place, language, fact) !== 'contradicted' &&
      (subject === undefined ||
        surroundings(place).some(({ words }) => shareNamed(subject.words, words) > 0)),
  );
}

/** An old value behind the current one, with the subject, as if it held. */
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
