import { firstAtLeast } from '../../lib/collections.ts';
import type { FactKind, PlantedFact } from '../../session/facts.ts';
import { BREAK_BEHIND, CLAUSE_BREAK, CLAUSE_END, hasBan, USE, WITHOUT } from './cues.ts';
import { type Occurrence, type TextIndex, wordsOf } from './text-index.ts';
import { normaliseValue } from './words.ts';

/** Positions of words that deny. */
interface DenialCues extends NegationCues {
  /** Those that have to end their clause. */
  readonly last: CueIndex;
  /** Those that have to end it with the name of what the value is of. */
  readonly ofSubject: CueIndex;
}

/** Where cues of one sort stand in a text, in order. */
export interface CueIndex {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A cue beside an occurrence, in the same unit. */
interface NearCue {
  readonly side: 'before' | 'after';
  readonly cue: string;
  /** The text between the two. */
  readonly between: string;
  /** The text after the cue, to the end of the unit or a number of characters. */
  readonly behind: string;
}

/** Which cues are looked for, and how far away. */
interface NearOptions {
  readonly cues: CueIndex;
  readonly words: number;
  /** In the lines beside too, where they are of the same sentence. */
  readonly isAcrossLines: boolean;
}

/** A piece of a text, in characters. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Positions of words that negate the text after, right after, or before them. */
interface NegationCues {
  readonly before: CueIndex;
  readonly close: CueIndex;
  readonly after: CueIndex;
}

/** How far negations reach. */
interface Negating {
  readonly cues: NegationCues;
  /** In the lines beside too, where they are of the same sentence. */
  readonly isAcrossLines: boolean;
  /** Tests if the text between separates a value from a negation beside it. */
  readonly isParted: (near: NearCue) => boolean;
}

/**
 * The denial that takes back a value of a kind. `use`: it is not used. `name`: another value holds. `nothing`: an abandoned task is
 * still reported.
 */
const TAKEN_BACK_BY: Readonly<Record<FactKind, 'use' | 'name' | 'nothing'>> = {
  goal: 'use',
  constraint: 'use',
  preference: 'use',
  path: 'use',
  symbol: 'use',
  decision: 'use',
  rationale: 'use',
  rejected: 'use',
  error: 'name',
  id: 'name',
  number: 'use',
  command: 'use',
  todo: 'nothing',
  state: 'use',
};

/** Words that say of a name that it is another one. */
const ANOTHER = /(?:not|n['’]?t|instead of|rather than|nicht|keine?[nmrs]?|не|不是|并非|而非)$/u;

/** Words that contrast the text after them with something else. */
const COMPARED = /^(?:instead of|rather than)$/u;
const ACTOR = /(?<!\w)(?:we|i|they|you|it)(?!\w)/u;
/** Up to the end of a clause. */
const CLAUSE = /^[^.,;:()、，；：。!?\n|]*/u;

/** Connecting words that may stand between a value and its description. */
const GLUE: ReadonlySet<string> = new Set(
  `the a an any at in on to of for by with as from is are was were be been it this that its our
  value option version file path function command port format library code number bytes ms
  der die das den dem des ein eine einen zu auf für als von mit im am ist sind wird
  на в во с для как это от
  是 在 为 為 用 把 将 將 的 以 于 於 到 成 了 这 這 个 個 の を は が に で と も へ という`
    .split(/\s+/)
    .flatMap((word) => (/^[\u3040-\u9fff]+$/u.test(word) ? Array.from(word) : [word])),
);

/** Characters behind a cue that are looked at. */
const BEHIND = 40;

/** Words within which a value is negated. Source: evaluation design, section 9.1. */
const REACH = 6;
/** Words within which it is negated by what negates only the next thing. */
const CLOSE_REACH = 1;

/** Tests if a text says that a value is not used, or that another one holds. */
export function isDenied(
  index: TextIndex,
  place: Occurrence,
  { fact, cues }: { readonly fact: PlantedFact; readonly cues: DenialCues },
): boolean {
  const by = TAKEN_BACK_BY[fact.kind];
  if (by === 'nothing') return false;
  const names = wordsOf(normaliseValue(fact.subject));
  const near = (some: CueIndex, side: NearCue['side'], words = REACH) =>
    cuesNear(index, place, { cues: some, words, isAcrossLines: false }).filter(
      (one) => one.side === side,
    );
  const isBefore = ({ cue, between }: NearCue) =>
    !CLAUSE_BREAK.test(between) &&
    !WITHOUT.test(between) &&
    !(COMPARED.test(cue) && ACTOR.test(between)) &&
    (isGlue(between, names) || (by === 'use' && `${cue}${between}`.search(USE) >= 0));
  const isBehind = ({ between }: NearCue) => !BREAK_BEHIND.test(between) && isGlue(between, names);
  const before = near(cues.before, 'before').filter(isBefore);
  if (by === 'name') return before.some(({ cue }) => ANOTHER.test(cue));
  return (
    before.length > 0 ||
    near(cues.close, 'before', CLOSE_REACH).some(isBefore) ||
    near(cues.after, 'after').some(isBehind) ||
    near(cues.last, 'after').some((one) => isBehind(one) && CLAUSE_END.test(one.behind)) ||
    near(cues.ofSubject, 'after').some((one) => isBehind(one) && isNamed(one.behind, names))
  );
}

/** Tests if a text forbids a value: in any clause of its sentence, or in the heading above. */
export function isForbidden(index: TextIndex, place: Occurrence, cues: NegationCues): boolean {
  return (
    isNegated(index, place, {
      cues,
      isAcrossLines: true,
      isParted: ({ side, between }) => side === 'before' && WITHOUT.test(between),
    }) || isBelowNegation(index, place)
  );
}

/** Tests if a piece of text consists of connecting words and the given names only. */
export function isGlue(text: string, names: readonly string[] = []): boolean {
  return wordsOf(text).every((word) => GLUE.has(word) || names.includes(word));
}

/** Finds the cues of one sort in a text. */
export function findCues({ text }: TextIndex, pattern: RegExp): CueIndex {
  const found = [...text.matchAll(pattern)];
  return {
    starts: found.map(({ index }) => index),
    ends: found.map(({ index, 0: cue }) => index + cue.length),
  };
}

/** The cues of one sort without those that are a part of others. */
export function withoutParts({ starts, ends }: CueIndex, others: CueIndex): CueIndex {
  const kept = starts.map((start, cue) => {
    const other = firstAtLeast(others.ends, start + 1);
    return (others.starts[other] ?? Infinity) >= (ends[cue] ?? 0);
  });
  return {
    starts: starts.filter((_, cue) => kept[cue]),
    ends: ends.filter((_, cue) => kept[cue]),
  };
}

/** Tests if a value is negated by nearby words. Source: evaluation design, section 9.1. */
export function isNegated(
  index: TextIndex,
  place: Occurrence,
  { cues: { before, close, after }, isAcrossLines, isParted }: Negating,
): boolean {
  const negates = (cues: CueIndex, side: NearCue['side'], words = REACH) =>
    cuesNear(index, place, { cues, words, isAcrossLines }).some(
      (near) => near.side === side && !isParted(near),
    );
  return (
    negates(before, 'before') || negates(close, 'before', CLOSE_REACH) || negates(after, 'after')
  );
}

/** The cues of the unit that stand within some words of an occurrence. */
function cuesNear(
  index: TextIndex,
  occurrence: Occurrence,
  { cues, words, isAcrossLines }: NearOptions,
): readonly NearCue[] {
  const { text } = index;
  const unit = sentenceAround(index, occurrence, { isAcrossLines });
  const around = windowOf(index, occurrence, words);
  const [start, end] = [Math.max(unit.start, around.start), Math.min(unit.end, around.end)];
  const near: NearCue[] = [];
  for (let cue = firstAtLeast(cues.starts, start); cue < cues.starts.length; cue++) {
    const [from = 0, to = 0] = [cues.starts[cue], cues.ends[cue]];
    if (from >= end) break;
    const own = {
      cue: text.slice(from, to),
      behind: text.slice(to, Math.min(unit.end, to + BEHIND)),
    };
    if (to <= occurrence.start) {
      near.push({ ...own, side: 'before', between: text.slice(to, occurrence.start) });
    } else if (from >= occurrence.end) {
      near.push({ ...own, side: 'after', between: text.slice(occurrence.end, from) });
    }
  }
  return near;
}

/** The unit of an occurrence; with the lines beside that are of its sentence, if these count. */
function sentenceAround(
  { units, unitOf }: TextIndex,
  { first, last }: Occurrence,
  { isAcrossLines }: Pick<NearOptions, 'isAcrossLines'>,
): Span {
  const [from, to] = [unitOf[first] ?? 0, unitOf[isAcrossLines ? last : first] ?? 0];
  const [unit, next] = [units[from], units[to + 1]];
  const before = isAcrossLines && unit?.isContinuation === true ? units[from - 1] : unit;
  const after = isAcrossLines && next?.isContinuation === true ? next : units[to];
  return { start: before?.start ?? 0, end: after?.end ?? Infinity };
}

/** Characters from some words before an occurrence to some behind it. */
function windowOf(
  { words: { starts, ends, at } }: TextIndex,
  { first, last }: Occurrence,
  words: number,
): Span {
  const [from = 0, to = 0] = [at[first], at[last]];
  const firstWord = firstAtLeast(at, from - words - 1);
  const lastWord = firstAtLeast(at, to + words + 1);
  return { start: starts[firstWord] ?? 0, end: ends[lastWord] ?? Infinity };
}

/** Tests if the rest of a clause is the name of a subject. */
function isNamed(behind: string, names: readonly string[]): boolean {
  const [clause = ''] = CLAUSE.exec(behind) ?? [];
  return wordsOf(clause).some((word) => names.includes(word)) && isGlue(clause, names);
}

function isBelowNegation({ units, unitOf }: TextIndex, { first }: Occurrence): boolean {
  return hasBan(units[unitOf[first] ?? 0]?.above ?? '');
}
