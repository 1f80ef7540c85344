/** Statements of a text about a value that it has: that it holds, that it does not, or something in between. */

import type { PlantedFact, TodoState } from '../../session/facts.ts';
import type { Clause, Place } from './read-text.ts';
import { VALUE } from './values.ts';
import { type WordClass, type WordLanguage, wordsOf } from './word-lists.ts';

export type Verdict = 'holds' | 'contradicted' | 'unknown';

interface Cue {
  readonly start: number;
  readonly end: number;
  readonly kind: WordClass;
}

interface Group {
  readonly start: number;
  readonly end: number;
}

const JOINED = /^[\s,、/&+]*(?:and|or|und|oder|et|ou|y|o|и|или|和|与|或|と|や|및|와|과)?[\s,、]*$/u;
const CONTRAST =
  /^[\s,]*(?:but|yet|though|although|however|doch|aber|jedoch|mais|cependant|pero|sin embargo|но|однако|однак|但|可是|不过|然而|が|しかし|ただ|하지만|그러나)|^[^\uE000]*\s(?:aber|jedoch)\s/u;
const INSTEAD = /\s(?:and|but|und|sondern|aber|et|mais|y|sino|pero|и|но|а)\s/u;
const CONTRASTED = /(?:が|けど|けれども?|ものの|지만|는데)[、,\s]*$/u;
const TOPIC = /[はがも]|[은는이가]\s/u;
const BACK =
  /^[\s,;]*(?:it|that|this|they|das|dies|es|was|cela|ça|eso|esto|lo|это)\s|(?<!\p{L})(?:it|this|them|ihn|sie|davon)[\s.!]*$|如此|这样|它|そうで|それ|これは|그렇/iu;
/** A wide one counts as two. */
const SHORT = 11;
/** Letters of which two are about a word. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const TICKED = /\[x\]|[☑✅✔✓]/iu;
const UNTICKED = /\[\s?\]|[☐⬜]/u;

/** Tests if a text denies a value. */
export function isDenied(place: Place, language: WordLanguage, fact: PlantedFact): Verdict {
  const { clause } = place;
  const isCause = fact.kind === 'error' || fact.kind === 'rationale';
  const cues = denialsOf(clause.words, language).filter(
    (cue) => isAbout(cue, place) && !(isCause && isAnnounced(cue, place)),
  );
  const near = clausesAbout(clause).map(({ words }) => words).join(' ');
  const isUndone = says(near, language, 'undo');
  if (cues.length > 0) {
    const isHeld = isUndone || (isAmount(fact) && isLimit(cues, clause.words, language));
    return isHeld ? 'holds' : 'contradicted';
  }
  if (isUndone) return 'unknown';
  const [heading = ''] = clause.sentence.line.above;
  const isTaken = !isCause && isTakenBack(clause, language);
  const isOver = isTaken || says(heading, language, 'gone');
  return isOver || isDeniedNextTo(clause, language, fact) ? 'contradicted' : 'holds';
}

/** Tests if a text still rejects an option. */
export function isOptionRejected(place: Place, language: WordLanguage): Verdict {
  const words = clausesAbout(place.clause)
    .map((clause) => clause.words)
    .join(' ');
  if (says(words, language, 'reject')) return 'holds';
  if (says(words, language, 'adopt')) return 'contradicted';
  const { above } = place.clause.sentence.line;
  return above.some((heading) => says(heading, language, 'reject')) ? 'holds' : 'unknown';
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

/** The state of a task; `unclear` where there are several. */
export function taskState(place: Place, language: WordLanguage): TodoState | 'unclear' | undefined {
  const { words: own, column, sentence } = place.clause;
  const { words: all, above } = sentence.line;
  if (place.isStruck) return 'cancelled';
  if (TICKED.test(all)) return 'done';
  if (UNTICKED.test(all)) return 'pending';
  for (const words of [own, sentence.words, all, column, ...above]) {
    const told = statesIn(words, language);
    if (told.length > 0) return told.length === 1 ? told[0] : 'unclear';
  }
  return undefined;
}

/** Tests if a clause says that there is none. */
export function hasNone(words: string, language: WordLanguage): boolean {
  return says(words, language, 'none');
}

/** Tests if a clause says that something is not settled. */
export function isOpen(words: string, language: WordLanguage): boolean {
  return says(words, language, 'none', 'undecided');
}

/** A clause and its neighbours without a value of their own. */
export function clausesAbout(clause: Clause): readonly Clause[] {
  const { clauses } = clause.sentence;
  const at = clauses.indexOf(clause);
  const from = clauses.slice(0, at).findLastIndex(hasValue) + 1;
  const next = clauses.findIndex((other, index) => index > at && hasValue(other));
  return clauses.slice(from, next === -1 ? undefined : next);
}

function isAnnounced({ end }: Cue, { clause: { words }, at }: Place): boolean {
  return end <= at && /[:：→=]/u.test(words.slice(end, at));
}

function hasValue({ places }: Clause): boolean {
  return places.length > 0;
}

function isAmount({ value }: PlantedFact): boolean {
  return /^\d/.test(value);
}

/** What is beyond an amount is refused: that states the amount. */
function isLimit(cues: readonly Cue[], words: string, language: WordLanguage): boolean {
  const isRefusal = ({ start, end, kind }: Cue) =>
    kind !== 'gone' || says(words.slice(start, end), language, 'refuse');
  return says(words, language, 'exceed') && cues.every(isRefusal);
}

/** What follows denies what it calls `it`. */
function isTakenBack(clause: Clause, language: WordLanguage): boolean {
  const { clauses, line } = clause.sentence;
  const next =
    clauses[clauses.indexOf(clause) + 1]?.words ??
    line.sentences[line.sentences.indexOf(clause.sentence) + 1]?.words ??
    '';
  return (
    !next.includes(VALUE) &&
    BACK.test(next) &&
    says(next, language, 'not', 'gone', 'after') &&
    !says(next, language, 'undo')
  );
}

function isDeniedNextTo(clause: Clause, language: WordLanguage, { value }: PlantedFact): boolean {
  const { clauses } = clause.sentence;
  const at = clauses.indexOf(clause);
  return clausesAbout(clause).some((other) => {
    const { words } = other;
    const isBefore = clauses.indexOf(other) < at;
    if (other === clause || (isBefore && CONTRAST.test(clause.words))) return false;
    if (/^\d/.test(value) && says(words, language, 'exceed')) return false;
    if (says(words, language, 'gone')) return true;
    if (clauses.indexOf(other) !== at + 1) return false;
    const isDenial = says(words, language, 'not', 'after');
    if (isDenial && BACK.test(words) && isShort(words)) return true;
    if (TOPIC.test(words)) return false;
    const isContrast = CONTRAST.test(words) || CONTRASTED.test(clause.words);
    return isContrast && (isDenial || says(clause.words, language, 'past'));
  });
}

function isShort(words: string): boolean {
  const letters = words.match(/\p{L}/gu)?.length ?? 0;
  return letters + (words.match(WIDE)?.length ?? 0) <= SHORT;
}

function denialsOf(words: string, language: WordLanguage): readonly Cue[] {
  const idioms = [...words.matchAll(wordsOf(language, 'idiom'))];
  const isFree = ({ start }: Cue) =>
    !idioms.some(({ index, 0: found }) => start >= index && start < index + found.length);
  const cues = (['gone', 'after', 'not'] as const).flatMap((kind) =>
    [...words.matchAll(wordsOf(language, kind))].map(({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
      kind,
    })),
  );
  const own = cues.filter(isFree);
  return own.filter(
    (cue, index) =>
      !own.some((other, at) => at < index && cue.start < other.end && other.start < cue.end),
  );
}

function isAbout(cue: Cue, { clause, at }: Place): boolean {
  const { words } = clause;
  const groups = groupsOf(clause);
  const before = groups.filter(({ end }) => end <= cue.start).at(-1);
  const after = groups.find(({ start }) => start >= cue.end);
  if (cue.kind === 'after') return isIn(before, at);
  if (after === undefined) return isIn(before, at);
  // One that may stand on either side is about what is as near.
  const isAboutBefore =
    cue.kind !== 'not' &&
    before !== undefined &&
    wordsBetween(words, cue, before.end - 1) <= wordsBetween(words, cue, after.start);
  if (isIn(before, at)) return isAboutBefore;
  return isIn(after, at) && !isAboutBefore && !INSTEAD.test(words.slice(cue.end, after.start));
}

function isIn(group: Group | undefined, at: number): boolean {
  return group !== undefined && at >= group.start && at < group.end;
}

function groupsOf({ words, places }: Clause): readonly Group[] {
  const groups: { start: number; end: number }[] = [];
  for (const { at } of places) {
    const last = groups.at(-1);
    if (last !== undefined && JOINED.test(words.slice(last.end, at))) last.end = at + VALUE.length;
    else groups.push({ start: at, end: at + VALUE.length });
  }
  return groups;
}

function wordsBetween(words: string, { start, end }: Cue, at: number): number {
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

function statesIn(words: string, language: WordLanguage): readonly TodoState[] {
  const has = (name: WordClass) => says(words, language, name);
  const isTurned = says(words, language, 'not', 'after');
  if (has('cancelled')) return ['cancelled'];
  if (has('done')) return isTurned || has('open') ? ['pending'] : ['done'];
  if (has('doing')) return isTurned ? ['pending'] : ['in_progress'];
  return has('open') || isTurned ? ['pending'] : [];
}

function says(words: string, language: WordLanguage, ...classes: readonly WordClass[]): boolean {
  const plain = words.replaceAll(wordsOf(language, 'idiom'), ' ');
  return plain.match(wordsOf(language, ...classes)) !== null;
}
