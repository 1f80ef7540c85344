/** Statements of a text about a value that it has: that it holds, that it does not, or something in between. */

import type { PlantedFact, TodoState } from '../../session/facts.ts';
import {
  type Clause,
  namesIn,
  type Place,
  VALUE,
  type WordClass,
  type WordLanguage,
  wordsOf,
} from './read-text.ts';
import { plainText } from './spelling.ts';

export type Verdict = 'holds' | 'contradicted' | 'unknown';

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Cue extends Span {
  readonly kind: WordClass;
}

const JOINED =
  /^\uE000(?:[\s,、/&+]*(?:and|or|und|oder|et|ou|y|o|и|или|和|与|或|と|や|및|와|과)?[\s,、]*\uE000)*$/u;
const CONTRAST =
  /^[\s,]*(?:but|yet|though|although|however|doch|aber|jedoch|mais|cependant|pero|sin embargo|но|однако|однак|但|可是|不过|然而|が|しかし|ただ|하지만|그러나)|^[^\uE000]*\s(?:aber|jedoch)\s/u;
const INSTEAD = /\s(?:and|but|und|sondern|aber|et|mais|y|sino|pero|и|но|а)\s/u;
const TOPIC = /[はがも的]|[은는이가]\s/u;
const SUBJECT =
  /(?<!\p{L})(?:[tT]he|[iI]ts|[oO]ur|[dD]er|[dD]ie|[dD]as|[dD]en|[eE]l|[lL]as?|[lL]os|[lL]es?)\s|\p{Lu}\p{L}/u;
const BACK =
  /^[\s,;]*(?:please|don't|do not|it|that|this|they|das|dies|es|was|cela|ça|eso|esto|lo|это)\s|(?<!\p{L})(?:it|this|them|ihn|sie|davon)[\s.!]*$|elsewhere|somewhere else|woanders|umgezogen|otro sitio|otra parte|迁走|搬走|别处|よそ|別の|如此|这样|它|そうで|それ|これは|그렇/iu;
const MOST_BETWEEN = 3;
const MOST_BEFORE = 7;
const POSTPOSED: ReadonlySet<WordLanguage> = new Set(['zh', 'ja', 'ko']);
const OTHER_SUBJECT = /\s(?:and|und|y|et)\s+(?:the|its|our|der|die|das|el|la|los|las|le|les)\s/u;
/** Letters of which two are about a word. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const TICKED = /\[x\]|[☑✅✔✓]/iu;
const UNTICKED = /\[\s?\]|[☐⬜]/u;

/** Tests if a text denies a value. */
export function isDenied(place: Place, language: WordLanguage, fact: PlantedFact): Verdict {
  const { clause } = place;
  const isCause = fact.kind === 'error' || fact.kind === 'rationale';
  const cues = denialsOf(clause.words, language).filter(
    (cue) =>
      isAbout(cue, place, otherNames(place, language, fact)) &&
      !isNamed(clause.words.slice(cue.start, cue.end).trim(), fact) &&
      !(isCause && isAnnounced(cue, place)),
  );
  if (cues.length > 0) {
    const rest = nearWords(clause).replaceAll(wordsOf(language, 'gone'), ' ');
    const isLimited = isBound(fact) && isLimit(cues, place, language);
    return isLimited || says(rest, language, 'undo') ? 'holds' : 'contradicted';
  }
  const isLeftOut =
    nearWords(clause).match(wordsOf(language, 'not')) === null &&
    spansOf(clause.words, language, 'except').some((span) =>
      isAbout({ ...span, kind: 'not' }, place),
    );
  const isOver =
    isLeftOut ||
    says(`${clause.column}\n${clause.sentence.line.above[0] ?? ''}`, language, 'gone') ||
    (fact.kind !== 'error' && isTakenBack(clause, language)) ||
    isDeniedNextTo(clause, language);
  return isOver ? 'contradicted' : 'holds';
}

/** Tests if a text still rejects an option. */
export function isOptionRejected({ clause }: Place, language: WordLanguage): Verdict {
  const told = [nearWords(clause), clause.column, ...clause.sentence.line.above];
  const isRejected = told.some((words) => says(words, language, 'reject'));
  return isRejected || isTakenBack(clause, language) ? 'holds' : 'contradicted';
}

/** Tests if a text still forbids something. */
export function isBanKept(place: Place, language: WordLanguage): Verdict {
  const verdicts = clausesAbout(place.clause).map(({ words }) => banIn(words, language));
  if (verdicts.includes('contradicted')) return 'contradicted';
  if (verdicts.includes('holds')) return 'holds';
  const { above } = place.clause.sentence.line;
  return above.some((words) => says(words, language, 'ban', 'not')) ? 'holds' : 'unknown';
}

/** Tests if a text says that a value held before. */
export function isPast({ clause }: Place, language: WordLanguage): boolean {
  const { column, words, sentence } = clause;
  return [words, column, ...sentence.line.above].some((text) => says(text, language, 'past'));
}

/** The state of a task, by what is nearest to it. */
export function taskState(place: Place, language: WordLanguage): TodoState | undefined {
  const { words: own, column, sentence } = place.clause;
  const { words: all, above } = sentence.line;
  if (place.isStruck) return 'cancelled';
  if (TICKED.test(all)) return 'done';
  if (UNTICKED.test(all)) return 'pending';
  const told = [own, sentence.words, all, column, ...above];
  return told.map((words) => taskIn(words, language)).find((state) => state !== undefined);
}

/** The state of work that some words tell. */
export function taskIn(words: string, language: WordLanguage): TodoState | undefined {
  const has = (name: WordClass) => says(words, language, name);
  const isTurned = says(words, language, 'not', 'after');
  if (has('cancelled')) return 'cancelled';
  if (has('done')) return isTurned || has('open') ? 'pending' : 'done';
  if (has('doing')) return isTurned ? 'pending' : 'in_progress';
  return has('open') || isTurned ? 'pending' : undefined;
}

/** Tests if a clause says that something is not settled. */
export function isOpen(words: string, language: WordLanguage): boolean {
  return says(words, language, 'none', 'undecided') || denialsOf(words, language).length > 0;
}

/** The words of a clause and its neighbours without a value. */
export function nearWords(clause: Clause): string {
  return clausesAbout(clause)
    .map(({ words }) => words)
    .join(' ');
}

/** Tests if some words are of any of some classes. */
export function says(
  words: string,
  language: WordLanguage,
  ...classes: readonly WordClass[]
): boolean {
  const plain = words.replaceAll(wordsOf(language, 'idiom'), ' ');
  return plain.match(wordsOf(language, ...classes)) !== null;
}

/** True for a denial of several words that is part of the name of a fact: `the move away from the old site`. */
function isNamed(words: string, { subject }: PlantedFact) {
  return words.includes(' ') && plainText(subject).includes(words);
}

function clausesAbout(clause: Clause): readonly Clause[] {
  const { clauses } = clause.sentence;
  const at = clauses.indexOf(clause);
  const from = clauses.slice(0, at).findLastIndex(hasValue) + 1;
  const next = clauses.findIndex((other, index) => index > at && hasValue(other));
  return clauses.slice(from, next === -1 ? undefined : next);
}

function hasValue({ places }: Clause): boolean {
  return places.length > 0;
}

function isAnnounced({ end }: Cue, { clause: { words }, at }: Place): boolean {
  return end <= at && /[:：→=]/u.test(words.slice(end, at));
}

function isBound({ kind, value }: PlantedFact): boolean {
  return kind !== 'state' && /^(?:\p{L}+ )?\d/u.test(plainText(value));
}

/** A refusal of all beyond a value, which states the value. */
function isLimit(
  cues: readonly Cue[],
  { clause: { words }, at }: Place,
  language: WordLanguage,
): boolean {
  const isLifted = ({ start, end }: Cue) => says(words.slice(start, end), language, 'lift');
  const bounds = spansOf(words, language, 'exceed').filter(
    (bound) => !cues.some((cue) => overlap(cue, bound)),
  );
  const isNear = (bound: Span) => {
    const isAhead = bound.end <= at || POSTPOSED.has(language);
    const isDenied = cues.some(
      ({ kind, end }) => kind === 'not' && bound.start - end <= 1 && bound.start >= end,
    );
    return isDenied || (isAhead && wordsBetween(words, bound, at) <= MOST_BETWEEN);
  };
  return bounds.some(isNear) && !cues.some(isLifted);
}

function isTakenBack(clause: Clause, language: WordLanguage): boolean {
  const { clauses, line } = clause.sentence;
  const next =
    clauses[clauses.indexOf(clause) + 1]?.words ??
    line.sentences[line.sentences.indexOf(clause.sentence) + 1]?.words ??
    '';
  return (
    !next.includes(VALUE) &&
    BACK.test(next) &&
    says(next.split(' ').slice(0, MOST_BEFORE).join(' '), language, 'not', 'gone', 'after') &&
    !says(next, language, 'undo')
  );
}

function isDeniedNextTo(clause: Clause, language: WordLanguage): boolean {
  const near = clausesAbout(clause);
  const next = near
    .slice(near.indexOf(clause) + 1)
    .map(({ words }) => words)
    .join('');
  if (says(next, language, 'exceed')) return false;
  const [cue] = denialsOf(next, language).toSorted((a, b) => a.start - b.start);
  if (cue === undefined || TOPIC.test(next.slice(0, cue.start))) return false;
  const isFirst = wordsBetween(next, { start: 0, end: 0 }, cue.start) <= MOST_BETWEEN;
  if (isFirst && cue.kind !== 'not' && !SUBJECT.test(next.slice(0, cue.start))) return true;
  return CONTRAST.test(next);
}

function denialsOf(words: string, language: WordLanguage): readonly Cue[] {
  const idioms = spansOf(words, language, 'idiom');
  const cues = (['gone', 'after', 'not'] as const)
    .flatMap((kind) => spansOf(words, language, kind).map((span) => ({ ...span, kind })))
    .filter((cue) => !idioms.some(({ start, end }) => cue.start >= start && cue.start < end));
  return cues.filter((cue, index) => !cues.slice(0, index).some((other) => overlap(cue, other)));
}

function spansOf(words: string, language: WordLanguage, kind: WordClass): readonly Span[] {
  return [...words.matchAll(wordsOf(language, kind))].map(({ index, 0: found }) => {
    return { start: index, end: index + found.length };
  });
}

function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

function otherNames({ clause }: Place, language: WordLanguage, { subject }: PlantedFact) {
  const { words } = clause;
  return namesIn(words, language)
    .filter((name) => language !== 'de' || /\p{Lu}.*\p{Lu}|\d/u.test(name))
    .filter((name) => !words.includes(`${VALUE} ${name}`))
    .filter((name) => !subject.toLowerCase().includes(name.toLowerCase()))
    .map((name) => ({ name, at: words.indexOf(name) }))
    .flatMap(({ name, at }) => [{ at }, { at: at + name.length - 1 }]);
}

function isAbout(
  cue: Cue,
  { clause: { words, places }, at }: Place,
  names: readonly { readonly at: number }[] = [],
): boolean {
  if (cue.start < at && at < cue.end) return true;
  const spots = [...places, ...names].toSorted((one, other) => one.at - other.at);
  const before = spots.findLast((place) => place.at < cue.start)?.at;
  const isNext = (spot: { readonly at: number }) =>
    spot.at >= cue.end && !(names.includes(spot) && INSTEAD.test(words.slice(cue.end, spot.at)));
  const after = spots.find(isNext)?.at;
  const isBefore = before !== undefined && at <= before;
  const isJoined = (from = 0, to = 0) => JOINED.test(words.slice(from, to));
  if (before !== undefined && OTHER_SUBJECT.test(words.slice(before, cue.start))) return false;
  const isAboutBefore =
    before !== undefined &&
    (cue.kind === 'after' ||
      after === undefined ||
      // One that may stand on either side is about what is as near.
      (cue.kind === 'gone' && wordsBetween(words, cue, before) <= wordsBetween(words, cue, after)));
  if (isBefore) return isAboutBefore && isJoined(at, before + 1);
  if (cue.kind === 'after' || isAboutBefore || after === undefined) return false;
  return isJoined(after, at + 1) && !INSTEAD.test(words.slice(cue.end, after));
}

function wordsBetween(words: string, { start, end }: Span, at: number): number {
  const between = at < start ? words.slice(at + VALUE.length, start) : words.slice(end, at);
  const wide = between.match(WIDE)?.length ?? 0;
  const others = between.replaceAll(WIDE, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return others + wide / 2;
}

function banIn(words: string, language: WordLanguage): Verdict {
  const has = (...classes: readonly WordClass[]) => says(words, language, ...classes);
  const unbanned = words.replaceAll(wordsOf(language, 'ban'), ' ');
  const isAllowed = says(unbanned, language, 'may');
  const rest = unbanned.replaceAll(wordsOf(language, 'may', 'lift'), ' ');
  const isDenied = says(rest, language, 'not', 'after');
  const isLifted = has('lift');
  if (has('touch') || isAllowed) {
    if (isDenied) return 'holds';
    if (has('ban') && !isLifted) return has('touch') && isAllowed ? 'unknown' : 'holds';
    return isAllowed ? 'contradicted' : 'unknown';
  }
  if (isLifted) return isDenied ? 'holds' : 'contradicted';
  if (isDenied) return has('applies') ? 'contradicted' : has('ban') ? 'unknown' : 'holds';
  return has('ban', 'applies') ? 'holds' : 'unknown';
}
