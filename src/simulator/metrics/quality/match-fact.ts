import { addToGroup, firstAtLeast, keepIn } from '../../lib/collections.ts';
import type { FactKind, PlantedFact } from '../../session/facts.ts';
import {
  BAN_AFTER,
  BAN_BEFORE,
  CLAUSE_BREAK,
  CORRECTION,
  DENIAL_AFTER,
  DENIAL_LAST,
  DENIAL_OF_SUBJECT,
  hasBan,
  LIFTED,
  NEGATION_BEFORE,
  NEGATION_CLOSE,
} from './cues.ts';
import { type CueIndex, findCues, isDenied, isForbidden, isGlue, withoutParts } from './denial.ts';
import { type Anchor, findSubjects, mostMissing, subjectWords } from './subjects.ts';
import {
  cellAt,
  type Cells,
  findValue,
  type Occurrence,
  type Row,
  type TextIndex,
  wordsOf as wordsOfTextIndex,
} from './text-index.ts';
import { findPastCues, type PastCues } from './told-past.ts';
import { normaliseValue, variantsOf } from './words.ts';

/**
 * How much of a fact a text holds: 3, its value to the letter; 2, its value in another form; 1, only its subject or
 * a part of the value, or the value of who knows what; 0, nothing.
 */
export type MatchLevel = 0 | 1 | 2 | 3;

/** The result of matching a fact in a text. */
export interface FactMatch {
  readonly fact: PlantedFact;
  readonly level: MatchLevel;
  /** The value stands with its subject and has the right polarity. */
  readonly isKept: boolean;
  /** The value stands with its subject, but only with the wrong polarity. */
  readonly isFlipped: boolean;
  /** Places where the value stands with its subject. */
  readonly bound: readonly Occurrence[];
  /** All places of the value. */
  readonly occurrences: readonly Occurrence[];
}

/** A text with its search indices. */
export interface Matching {
  readonly index: TextIndex;
  readonly past: PastCues;
  readonly corrections: CueIndex;
  readonly anchorsOf: (subject: string) => readonly Anchor[];
  /** The places that name a subject next to a word, in order; the others are farther away in every way. */
  readonly anchorsNear: (subject: string, word: number) => readonly Anchor[];
  /** First words of all places that name a subject of a kind, in order, each with the subject. */
  readonly anchorsOfKind: (kind: FactKind) => AnchorsOfKind;
  /** Tests if a value is denied, or not, as its fact has it; a value that is its own statement decides for itself. */
  readonly isSaidRight: (fact: PlantedFact, place: Occurrence) => boolean;
}

/** Places that name subjects of a kind, in order. */
interface AnchorsOfKind {
  readonly places: readonly number[];
  readonly subjects: readonly string[];
}

/** The verdict of a text on a value that is a sentence; undefined if it does not mention it. */
type SaidInWords = 'kept' | 'reversed' | undefined;

/** A value, and a place that names its subject. */
interface Pair {
  readonly anchor: Anchor;
  readonly place: Occurrence;
}

/** Words of a text, by their numbers. */
interface WordRange {
  readonly from: number;
  readonly to: number;
}

/** Share of the letters of a value whose words are a trace of it. */
const TRACE = 0.5;

/** Places on each side of a word, of which one may reach over the next. */
const NEXT = 2;

/** Values of at least this many words are sentences, which are rarely quoted literally. */
const SENTENCE = 8;
/** Share of the words of a sentence that say the same. */
const ENOUGH = 0.7;

/** Reach in words between a value and its subject in another unit. */
const REACH = 40;

/** Separators of pairs in a list on one line. */
const PARTS = /[,;、，；。)）|]|[.!?]\s|(?<![\w-])(?:and|und)(?![\w-])|(?<!\p{L})и(?!\p{L})/u;
/** Text in brackets after a value, and nothing else, which explains it. */
const IN_BRACKETS = /^\s?[(（][^()（）\d]+[)）]/;
/** Characters over which no list goes on. */
const FAR = 80;
/** A number of a list, which is no value. */
const MARKER = /^\s*(?:[-*+•]|\d{1,3}[.)、])\s?/;

/** Matches a fact in a text. */
export function matchFact(matching: Matching, fact: PlantedFact): FactMatch {
  const { index } = matching;
  const value = normaliseValue(fact.value);
  const exact = value === '' ? [] : findValue(index, value);
  const others = otherForms(fact, value)
    .flatMap((form) => findValue(index, form))
    .filter((place) => !exact.some(({ start, end }) => start <= place.start && place.end <= end));
  const occurrences = [...exact, ...others];
  const bound = occurrences.filter((place) => isBound(matching, fact, place));
  const right = bound.filter((place) => matching.isSaidRight(fact, place));
  const inWords = bound.length === 0 ? saidInWords(matching, fact) : undefined;
  const isKept = right.length > 0 || inWords === 'kept';
  return {
    fact,
    level: isKept ? keptLevel(right, exact) : leftLevel(matching, fact, occurrences),
    isKept,
    isFlipped: inWords === 'reversed' || (bound.length > 0 && right.length === 0),
    bound,
    occurrences,
  };
}

/** The match of a fact that is told only as past; being denied is something else. */
export function asReplaced(match: FactMatch): FactMatch {
  return match.isKept && match.bound.length > 0 ? { ...match, isKept: false, level: 1 } : match;
}

/** Prepares a text for some facts. */
export function startMatching(index: TextIndex, facts: readonly PlantedFact[]): Matching {
  const { bans, denials } = findNegations(index);
  const anchors = findSubjects(index, facts);
  const byKind = new Map<FactKind, AnchorsOfKind>();
  const anchorsOf = (subject: string) => anchors.get(subject)?.all ?? [];
  return {
    index,
    past: findPastCues(index),
    corrections: findCues(index, CORRECTION),
    anchorsOf,
    anchorsNear: (subject, word) => {
      const { all, firsts } = anchors.get(subject) ?? { all: [], firsts: [] };
      const next = firstAtLeast(firsts, word);
      return all.slice(Math.max(0, next - NEXT), next + NEXT);
    },
    anchorsOfKind: (kind) => keepIn(byKind, kind, () => collectAnchors(facts, kind, anchorsOf)),
    isSaidRight: (fact, place) => {
      if (fact.subject === '') return true;
      return fact.polarity === 'dont'
        ? isForbidden(index, place, bans)
        : !isDenied(index, place, { fact, cues: denials });
    },
  };
}

/**
 * Tests if a value stands with its fact's subject: in its column, unit or reach, with no competing subject nearer, between or right
 * above. A value without subject is always bound.
 */
export function isBound(matching: Matching, fact: PlantedFact, place: Occurrence): boolean {
  if (fact.subject === '') return true;
  const isOwnColumn = isInOwnColumn(matching, fact, place);
  if (isOwnColumn !== undefined) return isOwnColumn;
  const { unitOf } = matching.index;
  const side = sideOfSubject(matching, fact, place);
  const isWithin = (anchor: Anchor) =>
    unitOf[anchor.first] === unitOf[place.first]
      ? side === undefined || side === sideOf(anchor, place)
      : isInReach(matching, fact, { anchor, place });
  return matching
    .anchorsNear(fact.subject, place.first)
    .some((anchor) => isWithin(anchor) && !isPartedByOther(matching, fact, { anchor, place }));
}

function otherForms({ aliases = [] }: PlantedFact, value: string): readonly string[] {
  const forms = [...aliases.map(normaliseValue), ...variantsOf(value)];
  return [...new Set(forms)].filter((form) => form !== value && form !== '');
}

/** The verdict on a value that is a sentence, where most of its words stand in one unit; a denied one is kept if it is a denial. */
function saidInWords({ index }: Matching, fact: PlantedFact): SaidInWords {
  const words = [...new Set(wordsOfTextIndex(normaliseValue(fact.value)))];
  if (fact.subject !== '' || words.length < SENTENCE) return undefined;
  const found = new Map<number, number[]>();
  for (const word of words) {
    let lastUnit = -1;
    for (const place of index.placesOf(word)) {
      const unit = index.unitOf[place] ?? 0;
      if (unit === lastUnit) continue;
      lastUnit = unit;
      addToGroup(found, unit, place);
    }
  }
  const told = [...found.values()].filter((places) => places.length >= ENOUGH * words.length);
  if (told.length === 0) return undefined;
  const isSaidSo = (places: readonly number[]) =>
    hasBan(clauseOf(index, places)) === (fact.polarity === 'dont');
  return told.some(isSaidSo) ? 'kept' : 'reversed';
}

/** From the start of the clause of the first word to the last one: a denial may stand before it. */
function clauseOf({ text, units, unitOf, words }: TextIndex, places: readonly number[]): string {
  const first = Math.min(...places);
  const start = words.starts[first] ?? 0;
  const before = text.slice(units[unitOf[first] ?? 0]?.start ?? start, start);
  const lead = before.split(CLAUSE_BREAK).at(-1) ?? '';
  return lead + text.slice(start, words.ends[Math.max(...places)] ?? start);
}

function keptLevel(right: readonly Occurrence[], exact: readonly Occurrence[]): MatchLevel {
  return right.some((place) => exact.includes(place) && !place.isPrefixed) ? 3 : 2;
}

function leftLevel(
  matching: Matching,
  fact: PlantedFact,
  occurrences: readonly Occurrence[],
): MatchLevel {
  const isThere = occurrences.length > 0 || matching.anchorsOf(fact.subject).length > 0;
  return isThere || hasTrace(matching.index, fact) ? 1 : 0;
}

/** Tests if words that make up half of the value stand in one unit. */
function hasTrace({ placesOf, unitOf }: TextIndex, { value }: PlantedFact): boolean {
  const words = [...new Set(wordsOfTextIndex(normaliseValue(value)))];
  const enough = TRACE * words.reduce((sum, word) => sum + word.length, 0);
  const found = new Map<number, number>();
  for (const word of words) {
    const units = new Set(placesOf(word).map((place) => unitOf[place] ?? 0));
    for (const unit of units) found.set(unit, (found.get(unit) ?? 0) + word.length);
  }
  return [...found.values()].some((characters) => characters >= enough);
}

/** Words of a text that deny something, but for those that others take back. */
function findNegations(index: TextIndex) {
  const lifted = findCues(index, LIFTED);
  const find = (pattern: RegExp) => withoutParts(findCues(index, pattern), lifted);
  const close = find(NEGATION_CLOSE);
  return {
    bans: { before: find(BAN_BEFORE), close, after: find(BAN_AFTER) },
    denials: {
      before: find(NEGATION_BEFORE),
      close,
      after: find(DENIAL_AFTER),
      last: find(DENIAL_LAST),
      ofSubject: find(DENIAL_OF_SUBJECT),
    },
  };
}

function collectAnchors(
  facts: readonly PlantedFact[],
  kind: FactKind,
  anchorsOf: Matching['anchorsOf'],
): AnchorsOfKind {
  const subjects = new Set(
    facts.flatMap((fact) => (fact.kind === kind && fact.subject !== '' ? [fact.subject] : [])),
  );
  const all = [...subjects].flatMap((subject) =>
    anchorsOf(subject).map(({ first }) => ({ first, subject })),
  );
  const sorted = all.toSorted((a, b) => a.first - b.first);
  return {
    places: sorted.map(({ first }) => first),
    subjects: sorted.map(({ subject }) => subject),
  };
}

/** Tests if a value in a table stands in its subject's column; undefined outside tables or where columns have other headings. */
function isInOwnColumn(
  matching: Matching,
  fact: PlantedFact,
  place: Occurrence,
): boolean | undefined {
  const row = matching.index.rows.get(matching.index.unitOf[place.first] ?? -1);
  if (row === undefined) return undefined;
  const column = cellAt(row.cells, place.start);
  if (isNamed(matching.index, fact, { row, column })) return true;
  return isElsewhere(matching, fact, row) ? false : undefined;
}

/** Tests if a column's name, with that of the row, has the words of a subject. */
function isNamed(
  index: TextIndex,
  { subject }: PlantedFact,
  { row, column }: { readonly row: Row; readonly column: number },
): boolean {
  const words = subjectWords(subject);
  const [above, beside] = [wordsIn(index, row.header, column), wordsIn(index, row.cells, 0)];
  const found = words.filter((word) => isAmong(index, word, above));
  const missing = words.filter((word) => !found.includes(word) && !isAmong(index, word, beside));
  return found.length > 0 && missing.length <= mostMissing(words);
}

function wordsIn(index: TextIndex, { starts, ends }: Cells, cell: number): WordRange {
  return rangeOf(index, starts[cell] ?? Infinity, ends[cell] ?? Infinity);
}

function rangeOf({ words: { starts } }: TextIndex, start: number, end: number): WordRange {
  return { from: firstAtLeast(starts, start), to: firstAtLeast(starts, end) };
}

function isAmong({ placesOf }: TextIndex, word: string, { from, to }: WordRange): boolean {
  const places = placesOf(word);
  return (places[firstAtLeast(places, from)] ?? to) < to;
}

/** Tests if another column is named after the subject, and the row is not. */
function isElsewhere(
  { index, anchorsNear }: Matching,
  { subject }: PlantedFact,
  { header, cells }: Row,
): boolean {
  const names = ({ from, to }: WordRange) =>
    anchorsNear(subject, from).some(({ first }) => from <= first && first < to);
  return names(wordsOf(index, header)) && !names(wordsOf(index, cells));
}

function wordsOf(index: TextIndex, { starts, ends }: Cells): WordRange {
  return rangeOf(index, starts[0] ?? Infinity, ends.at(-1) ?? Infinity);
}

/**
 * The side of a value on which its subject stands, where both sides have a candidate: the unseparated one, or as in the rest of the
 * line; undefined where there is no choice.
 */
function sideOfSubject(
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

/** Tests if a line has a number before it names any subject. */
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

function sideOf(anchor: Anchor, place: Occurrence): 'before' | 'after' {
  return anchor.first < place.first ? 'before' : 'after';
}

/** Tests if a value is near its subject in another unit that names no other subject. */
function isInReach(matching: Matching, fact: PlantedFact, { anchor, place }: Pair): boolean {
  const isNear = distanceOf(matching.index.words.at, anchor, place) <= REACH;
  const isBehind = sideOf(anchor, place) === 'after';
  return (
    isNear &&
    !isOfOther(matching, fact, place) &&
    !(isBehind && isBelowOther(matching, fact, place))
  );
}

function distanceOf(
  at: readonly number[],
  anchor: Pick<Anchor, 'first' | 'last'>,
  place: Occurrence,
): number {
  const [from, to] =
    anchor.last < place.first ? [anchor.last, place.first] : [place.last, anchor.first];
  return Math.max(0, (at[to] ?? 0) - (at[from] ?? 0));
}

/** Tests if the unit of a value names the subject of another fact of the kind. */
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

/** Tests if a value stands on a line below the subject of another fact of the kind, within reach and with no number between. */
function isBelowOther(
  { index: { text, words }, anchorsOfKind }: Matching,
  { kind, subject }: PlantedFact,
  place: Occurrence,
): boolean {
  const { places, subjects } = anchorsOfKind(kind);
  const last = firstAtLeast(places, place.first) - 1;
  const first = places[last];
  if (first === undefined || subjects[last] === subject) return false;
  const isNear = distanceOf(words.at, { first, last: first }, place) <= REACH;
  return isNear && !/\d/.test(text.slice(words.ends[first], place.start));
}

/** Values of other facts of the kind between the two say the same of a list: each subject has its own value. */
function isPartedByOther(
  matching: Matching,
  { kind, subject }: PlantedFact,
  { anchor, place }: Pair,
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
