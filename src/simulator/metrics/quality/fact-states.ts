import SUBJECT_WORDS from './subject-words.json' with { type: 'json' };
import { groupBy, keepIn } from '../../lib/collections.ts';
import { remembered, typosBetween } from '../../lib/text.ts';
import { chainsOf, factsAt, type PlantedFact, type TodoState } from '../../session/facts.ts';
import * as polarity from './polarity.ts';
import {
  type Clause,
  isDistinctive,
  languageOf,
  namesIn,
  type Place,
  readText,
  VALUE,
  type WordLanguage,
} from './read-text.ts';
import { plainText, saysOpposite, switchWords, unitOf } from './spelling.ts';

export type FactState = (typeof FACT_STATES)[number];

interface Matching {
  readonly facts: readonly PlantedFact[];
  readonly live: readonly PlantedFact[];
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly strangers: readonly (readonly [string, readonly Place[]])[];
  readonly placesOf: (fact: PlantedFact) => readonly Place[];
  readonly before: (fact: PlantedFact) => readonly PlantedFact[];
  readonly clauses: readonly Clause[];
  readonly language: WordLanguage;
  readonly isTranslated: boolean;
}

interface Subject {
  readonly key: string;
  readonly all: readonly string[];
  /** Or all, where it has none of its own. */
  readonly words: readonly string[];
}

const JOINING =
  /^(?:the|an?|of|for|to|in|on|by|and|each|every|as|has|it|some|is|at|from|with|der|die|das|den|dem|des|eine?[snrm]?|für|von|zu|zum|zur|bei|im|und|jede[srnm]?|le|la|les|du|de|un|une|pour|et|el|los|las|del|para|y|по|для|и|в|на|의|の|的|里|每个|は|が|を|に|で|と|各|每|个|中)$/u;
const SCRIPTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const LEAST_STEM = 4;
const STEM_SHARE = 0.7;
/** Endings of a short word; a longer one may also change within. */
const ENDING = /^(?:s|es|'s|n|en|e|ed|d|er|ern|ing|в|а|ы|и|ов|ам|у|е|ой|ом)?$/u;

const tokensOf = remembered(
  (text): readonly string[] =>
    text
      .toLowerCase()
      .replaceAll(VALUE, ' ')
      .match(/[\p{Script=Latin}\p{N}_']+|(?:(?!\p{Script=Latin})[\p{L}\p{N}_'])+/gu) ?? [],
);

const MEANINGS = Object.values(SUBJECT_WORDS)
  .flatMap((theme) => theme.split(', '))
  .map((meaning) => meaning.split(' '));

const translationsOf = remembered((word): readonly string[] => [
  ...new Set([word, ...MEANINGS.filter((own) => own.some((one) => hasPart(word, one))).flat()]),
]);

const MEASURES = new Set(SUBJECT_WORDS.limits.split(/,? /));

const MOST_PLACES = 50;

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

const NEAR = 2;
const MOST_TOLD = 6;
const COUNT = /(?<![\p{Script=Latin}\d.,-])\d+(?![\d\p{Script=Latin}]|[.,]\d|[.)]\s)/u;
const LABELLED = /^([^:：=|→]+)[:：=|→]\s*([^|]+)/u;
const MOST_TYPOS = 2;
const LONG = 6;
const LEAST_TYPO = 4;
const SAME_START = 3;

/** A contradiction weighs more than doubt, and both more than a value alone. */
const ORDER = ['stale', 'contradicted', 'unknown', 'wrong-value', 'unbound'] as const;
const OPEN: readonly unknown[] = ['pending', 'in_progress'] satisfies TodoState[];

/** The state of each fact that holds at a step, by its id. */
export function factStates(
  text: string,
  facts: readonly PlantedFact[],
  atStep?: number,
): ReadonlyMap<string, FactState> {
  const { said, live } = factsAt(facts, atStep);
  const matching = matchFacts(text, { said, live });
  return new Map(live.map((fact) => [fact.id, stateOf(matching, fact)]));
}

function stateOf(matching: Matching, fact: PlantedFact): FactState {
  const places = matching.placesOf(fact);
  const old = matching.before(fact).filter((one) => keyOf(one) !== keyOf(fact));
  const isOldTold = old.some((one) => isToldAsCurrent(matching, fact, one));
  if (places.length === 0) return isOldTold ? 'stale' : absentState(matching, fact);
  const states = places.map((place) => placeState(matching, fact, place));
  const best = settle(states);
  if (best === 'unbound' && absentState(matching, fact) === 'wrong-value') return 'wrong-value';
  if (!isOldTold || best === 'wrong-value' || best === 'unbound') return best;
  const isPast = places.every((place) => polarity.isPast(place, matching.language));
  return best !== 'kept' || isPast ? 'stale' : 'kept';
}

function settle(states: readonly FactState[]): FactState {
  if (!states.includes('kept')) return ORDER.find((state) => states.includes(state)) ?? 'lost';
  return states.includes('contradicted') ? 'unknown' : 'kept';
}

function placeState(matching: Matching, fact: PlantedFact, place: Place): FactState {
  const binding = bindingOf(matching, fact, place);
  if (binding === 'other') return 'wrong-value';
  if (binding === 'alone' && !matching.isTranslated) return 'unbound';
  const verdict = verdictOf(matching, fact, place);
  return verdict === 'holds' ? 'kept' : verdict;
}

function verdictOf({ language, before }: Matching, fact: PlantedFact, place: Place) {
  if (fact.kind === 'todo' && fact.todoState !== undefined)
    return taskVerdict(fact, polarity.taskState(place, language), before(fact));
  if (place.isStruck) return 'contradicted';
  if (fact.polarity === 'do') return polarity.isDenied(place, language, fact);
  if (fact.kind === 'rejected') return polarity.isOptionRejected(place, language);
  return polarity.isBanKept(place, language);
}

function taskVerdict(
  { todoState }: PlantedFact,
  told: TodoState | undefined,
  before: readonly PlantedFact[],
) {
  if (told === todoState) return 'holds';
  if (told === undefined) return todoState === 'pending' ? 'holds' : 'unknown';
  if (before.some((one) => one.todoState === told)) return 'stale';
  return OPEN.includes(told) && OPEN.includes(todoState) ? 'unknown' : 'contradicted';
}

function isToldAsCurrent(matching: Matching, fact: PlantedFact, old: PlantedFact): boolean {
  const { language, placesOf } = matching;
  return placesOf(old).some(
    (place) =>
      !place.isStruck &&
      !polarity.isPast(place, language) &&
      polarity.isDenied(place, language, fact) !== 'contradicted' &&
      bindingOf(matching, fact, place) !== 'alone',
  );
}

function absentState(matching: Matching, fact: PlantedFact): FactState {
  const { strangers, facts, subjects, placesOf, clauses } = matching;
  const subject = subjects.get(fact.id);
  const isAbsent = placesOf(fact).length === 0;
  const isNamed = ({ words, column }: Clause) =>
    shareNamed(subject?.words ?? [], `${words}\n${column}`) > 0;
  const isTaker = ([written, places]: readonly [string, readonly Place[]]) =>
    isTypo(written, fact) ||
    places.some(
      ({ clause }) =>
        (isAbsent && shareNamed(subject?.words ?? [], clause.words) === 1) ||
        (isAlike(written, fact) && isNamed(clause)),
    );
  const isTaken = ({ id, subject: name, ...other }: PlantedFact) =>
    name !== fact.subject &&
    placesOf({ id, subject: name, ...other }).some(
      ({ clause }) =>
        isNamed(clause) && shareNamed(subjects.get(id)?.words ?? [], clause.words) === 0,
    );
  const isOpen = fact.polarity === 'do' && !isDistinctive(fact.value);
  const isOther =
    strangers.some(isTaker) ||
    facts.some(isTaken) ||
    (isOpen && clauses.some((one) => isNamed(one) && hasOtherValue(matching, fact, one)));
  const isTurned = clauses.some((one) => isNamed(one) && saysOpposite(fact, one.words));
  return isTurned ? 'contradicted' : isOther ? 'wrong-value' : 'lost';
}

/** A label with few words behind it, or a sentence with a name or a number. */
function hasOtherValue(
  { language, subjects }: Matching,
  { id, value }: PlantedFact,
  { words, sentence }: Clause,
): boolean {
  const isNumber = /^\d/.test(value);
  const { words: own = [], all = [] } = subjects.get(id) ?? {};
  const [, label = '', told = ''] = LABELLED.exec(sentence.words) ?? [];
  const isLabel = shareNamed(own, label) > 0;
  if (isNumber) return COUNT.test(isLabel ? told : words);
  if (polarity.isOpen(words, language)) return false;
  const length = told.match(/[\p{Script=Latin}\d]+|[^\p{Script=Latin}\s]/gu)?.length ?? 0;
  const isTold = length > 0 && length <= MOST_TOLD && polarity.taskIn(told, language) === undefined;
  if (isTold && isLabel) return true;
  return namesIn(words, language).some((name) => shareNamed(all, name) === 0);
}

function isAlike(written: string, { value }: PlantedFact): boolean {
  const plain = plainText(value);
  if (unitOf(plain) !== undefined) return unitOf(plain) === unitOf(written);
  if (/^\d+$/.test(plain)) return /^\d+(?: byte| ms)?$/.test(written);
  if (plain.includes('/')) return written.includes('/');
  return shapeOf(written) === shapeOf(plain) || written.startsWith(plain.slice(0, SAME_START));
}

function shapeOf(text: string): string {
  return text.replaceAll(/\p{L}+/gu, 'a').replaceAll(/\d+/g, '0');
}

function isTypo(written: string, { value, aliases = [] }: PlantedFact): boolean {
  return [value, value.split(' ').at(-1) ?? '', ...aliases].some((spelling) => {
    const plain = plainText(spelling);
    if (plain.length < LEAST_TYPO || !/\d/.test(plain) || unitOf(plain) !== undefined) return false;
    const most = plain.length < LONG ? 1 : MOST_TYPOS;
    return Math.abs(plain.length - written.length) <= most && typosBetween(plain, written) <= most;
  });
}

/** Looks for the subject around a value, from near to far, and for one that is nearer. */
function bindingOf(matching: Matching, fact: PlantedFact, place: Place) {
  const subject = matching.subjects.get(fact.id);
  if (subject === undefined || subject.words.length === 0) return 'own';
  if (fact.polarity === 'do' && isNamedEmpty(matching, subject, place)) return 'other';
  if (isOfOtherRow(matching, subject, place)) return 'other';
  const isPlain = fact.kind === 'todo' || !isDistinctive(fact.value);
  if (isPlain && shareNamed(subject.words, fact.value) > 0) return 'own';
  if (isOutbid(subject, place)) return 'other';
  for (const [index, words] of surroundings(place).entries()) {
    if (index < NEAR && hasNearer(matching, subject, { place, words })) return 'other';
    if (shareNamed(subject.words, words) > 0) return 'own';
  }
  return 'alone';
}

function isOfOtherRow({ clauses }: Matching, { words }: Subject, { clause }: Place): boolean {
  const { column, sentence } = clause;
  const missing = words.filter((word) => namedWords([word], column).length === 0);
  if (column === '' || shareNamed(missing, sentence.words) > 0) return false;
  return clauses.some(
    (other) => other.column === column && shareNamed(missing, other.sentence.words) === 1,
  );
}

/** A later clause of the sentence names more of the subject, with a value of its own. */
function isOutbid({ words }: Subject, { key, clause }: Place): boolean {
  const named = namedWords(words, clause.words);
  const own = named.length / words.length;
  const things = named.every(isMeasure) ? words.filter((word) => !isMeasure(word)) : [];
  const { clauses } = clause.sentence;
  return clauses
    .slice(clauses.indexOf(clause) + 1)
    .some(
      (other) =>
        other.places.length > 0 &&
        other.places.every((place) => place.key !== key) &&
        (shareNamed(words, other.words) > own || shareNamed(things, other.words) === 1),
    );
}

function surroundings({ clause }: Place): readonly string[] {
  const { sentence, column } = clause;
  const { line } = sentence;
  const at = line.sentences.indexOf(sentence);
  const around = [line.sentences[at - 1], line.sentences[at + 1]].map((one) => one?.words ?? '');
  return [
    clause.words,
    polarity.nearWords(clause),
    sentence.words,
    column,
    ...around,
    ...line.above,
  ];
}

/** Another fact whose value is not there, by the words that only one of them has. */
function hasNearer(
  { live, subjects }: Matching,
  own: Subject,
  { place, words }: { readonly place: Place; readonly words: string },
): boolean {
  return live.some((one) => {
    const rival = subjects.get(one.id);
    if (rival === undefined || rival.key === own.key) return false;
    const ownWords = own.all.filter((word) => !rival.all.includes(word));
    const rivalWords = rival.all.filter((word) => !own.all.includes(word));
    const isTold = place.clause.places.some(({ key }) => key === keyOf(one));
    return !isTold && shareNamed(ownWords, words) === 0 && shareNamed(rivalWords, words) === 1;
  });
}

/** Another clause says of the rest of the subject that it has none. */
function isNamedEmpty({ language }: Matching, { words }: Subject, { clause }: Place): boolean {
  const here = namedWords(words, clause.words);
  const missing = words.filter((word) => !here.includes(word));
  const others = clause.sentence.clauses.filter(({ places }) => places.length === 0);
  const isEmpty = (other: Clause) =>
    shareNamed(missing, other.words) === 1 && polarity.says(other.words, language, 'none');
  return here.length > 0 && others.some(isEmpty);
}

function matchFacts(text: string, { said, live }: ReturnType<typeof factsAt>): Matching {
  const chains = chainsOf(said);
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
    subjects: subjectsOf(said),
    before: (fact) => {
      const chain = chains.find((one) => one.includes(fact)) ?? [];
      return chain.slice(0, chain.indexOf(fact));
    },
    placesOf: (fact) => places.get(keyOf(fact)) ?? [],
    strangers: [...groupBy(known.get('') ?? [], ({ written }) => plainText(written))],
    clauses: read.clauses,
    language,
    isTranslated: own !== undefined && own !== language,
  };
}

function keyOf({ value }: PlantedFact): string {
  return plainText(value);
}

/** A share is also written as a fraction, what is counted has many names, and the reader joins groups with a sign between. */
function spellingsOf({ kind, value, aliases = [] }: PlantedFact): readonly string[] {
  const plain = plainText(value);
  const [, share] = /^(\d+(?:\.\d+)?) percent$/.exec(plain) ?? [];
  const [, count] = /^(\d+) \p{L}+/u.exec(plain) ?? [];
  const isCount = count !== undefined && unitOf(plain) === undefined;
  const share100 = share === undefined ? [] : [`${Number(share) / 100}`];
  const number = isCount ? count : value;
  const grouped = /^\d{5,}$/.test(number) ? [number.replaceAll(/\B(?=(?:\d{3})+$)/g, ' ')] : [];
  const switches = kind === 'state' ? switchWords(value) : [];
  return [value, ...aliases, ...share100, ...(isCount ? [count] : []), ...grouped, ...switches];
}

function isMeasure(word: string): boolean {
  return MEASURES.has(word);
}

function subjectsOf(facts: readonly PlantedFact[]): ReadonlyMap<string, Subject> {
  const uses = new Map<string, Set<string>>();
  for (const { kind, subject } of facts) {
    for (const word of subjectWords(subject))
      keepIn(uses, `${kind} ${word}`, () => new Set()).add(subject.toLowerCase());
  }
  return new Map(
    facts.map(({ id, kind, subject }) => {
      const all = subjectWords(subject);
      const own = all.filter((word) => uses.get(`${kind} ${word}`)?.size === 1);
      return [id, { key: subject.toLowerCase(), all, words: own.length > 0 ? own : all }];
    }),
  );
}

function shareNamed(words: readonly string[], text: string): number {
  return words.length === 0 ? 0 : namedWords(words, text).length / words.length;
}

function namedWords(words: readonly string[], text: string): readonly string[] {
  const tokens = tokensOf(text);
  return words.filter((word) => translationsOf(word).some((one) => isNamed(one, text, tokens)));
}

function subjectWords(subject: string): readonly string[] {
  const words: string[] = [];
  let end = 0;
  for (const { segment, index, isWordLike } of segmenter.segment(
    subject.normalize('NFKC').toLowerCase(),
  )) {
    if (isWordLike !== true || JOINING.test(segment)) continue;
    const last = words.at(-1);
    const isBound = index === end && segment.length === 1 && SCRIPTED.test(segment);
    if (isBound && last !== undefined && SCRIPTED.test(last))
      words[words.length - 1] = last + segment;
    else words.push(segment);
    end = index + segment.length;
  }
  return words;
}

function isNamed(word: string, text: string, tokens: readonly string[]): boolean {
  if (SCRIPTED.test(word)) {
    // Each half of a longer word in Chinese characters may stand for it.
    const isLong = word.length > 2 && /^\p{Script=Han}+$/u.test(word);
    const halves = isLong ? [word.slice(0, 2), word.slice(-2)] : [];
    return [word, ...halves].some((one) => text.includes(one));
  }
  return tokens.some((token) => isSameWord(word, token));
}

function hasPart(word: string, part: string): boolean {
  if (SCRIPTED.test(part)) return word === part || (part.length > 1 && word.includes(part));
  return isSameWord(part, word) || (part.length >= LEAST_STEM && word.startsWith(part));
}

/** Such as `widget` and `widgets`, or a part of a compound. */
function isSameWord(word: string, token: string): boolean {
  if (word === token || word.replace(/ies$/, 'y') === token.replace(/ies$/, 'y')) return true;
  const shorter = Math.min(word.length, token.length);
  const shared = sharedStart(word, token);
  if (shared === shorter && ENDING.test((word.length > shorter ? word : token).slice(shared)))
    return true;
  if (shared > LEAST_STEM && shared >= STEM_SHARE * shorter) return true;
  return word.length > LEAST_STEM && token.includes(word);
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
