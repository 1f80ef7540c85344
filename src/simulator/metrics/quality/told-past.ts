import { firstAtLeast, groupBy } from '../../lib/collections.ts';
import { cue } from './cues.ts';
import { type CueIndex, findCues } from './denial.ts';
import { cellAt, type Occurrence, type TextIndex, type Unit } from './text-index.ts';

/** Words of a text that say that something held before, by where they stand. */
export interface PastCues {
  readonly before: CueIndex;
  readonly after: CueIndex;
  readonly beside: CueIndex;
  readonly between: CueIndex;
}

/** The values of one unit, in order. */
interface OfUnit {
  readonly own: readonly Occurrence[];
  /** Where cues may stand that speak of them. */
  readonly around: Span;
  readonly neighboursOf: (span: Span) => Neighbours;
}

/** A cue, and the number of the value that it speaks of. */
interface Told extends Span {
  readonly number: number;
}

/** Which value a cue speaks of, by its number. */
type Meaning = (neighbours: Neighbours) => number | undefined;

/** A piece of a text, in characters. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value next to a cue. */
interface Neighbour {
  /** Its number among the values, in order. */
  readonly number: number;
  readonly distance: number;
  /** Nothing parts the two. */
  readonly isJoined: boolean;
  /** They stand in one sentence. */
  readonly isNear: boolean;
}

/** The values next to a cue; none where the cue is a part of a value, or all are far away. */
interface Neighbours {
  readonly ahead?: Neighbour | undefined;
  readonly back?: Neighbour | undefined;
}

const KINDS = [
  'before',
  'after',
  'beside',
  'between',
] as const satisfies readonly (keyof PastCues)[];

/** Meaning of cues that mark a value as past. */
const PAST = {
  before: ({ ahead }) => joined(ahead),
  after: ({ back }) => joined(back),
  beside: ({ ahead, back }) => joined(ahead) ?? joined(back) ?? nearer(ahead, back),
  between: ({ ahead, back }) =>
    ahead?.isNear === true && back?.isNear === true ? back.number : undefined,
} as const satisfies Record<keyof PastCues, Meaning>;

/** Meaning of cues that mark a value as current. */
const CORRECTED: Meaning = ({ ahead, back }) =>
  joined(ahead) ?? joined(back) ?? nearest(ahead, back)?.number;

/** Verbs for values that were replaced by another one. */
const CHANGED =
  'chang(?:ed|es|ing)|updat(?:ed|es|ing)|(?:rais|increas|decreas|reduc|revis|mov|renam|migrat)(?:ed|ing)|(?:lower|bump|switch|correct)(?:ed|ing)';

const GIVEN_UP = '(?:dropped|dropping|abandoned|scrapped|ditched)';
/** Words of one sentence. */
const UP_TO_8 = '(?: [^ .;]{1,40}){0,8}?';

/** Cues before a past value. */
const PAST_BEFORE = cue(
  [
    '(?:was|were)(?= (?:\\w+ )?\\S*[\\d_/-])',
    'used to be',
    '(?:changed|up|down) from',
    'from(?= .{0,40} to )',
    '(?<=[(（])from',
    `from(?<=(?<!\\w)(?:${CHANGED})${UP_TO_8} to(?: \\S{1,80}){1,6}? from)`,
    'supersed(?:es|ing)',
    'replac(?:es|ing)',
    '(?:overrid|overrul|supplant|obsolet|deprecat|retir)(?:es|ing)|supplants',
    '(?:takes|taking|took) (?:the place of|over from)',
    '(?:instead|in place|in lieu) of',
    '(?:before|prior to) (?:that|this|it)|even earlier',
    'davor',
    'not',
    'von(?= .{0,40} auf )',
  ],
  [
    // Struck out in Markdown.
    '(?<![^\\s|(>:：])~~(?=[^\\s~][^~\\n]{0,80}~~)',
    '(?<!\\p{L})был[аои]? (?=\\S*[\\d_/-])',
    '(?<=(?<!\\p{L})(?:измен|смен|обновл|перевед|перен[её]с|повыш|сниж)\\p{L}*(?: [^ .;]{1,40}){0,4}? )с(?= .{0,40} на )',
    '[从由](?=[^，。；,;]{0,40}(?:改[为成]|变[为成]|更新为))',
    '覆盖(?!率)|顶替|(?:再|更)(?:之前|早)|それ以前|その前|上書き(?!され)|(?<!\\p{L})(?:до этого|заменяет|отменяет)(?!\\p{L})',
  ],
);

/** Cues after a past value. */
const PAST_AFTER = cue(
  [
    '(?:superseded|replaced|overridden|overruled|supplanted|succeeded|followed) (?:by|with)',
    '(?:made|gave|given|giving) way (?:to|for)',
    'in favou?r of',
    `${GIVEN_UP} for`,
    'until then',
    '(?:ersetzt|wurde) durch',
    'durch(?= .{0,40} ersetzt)',
  ],
  [
    '->|→|⇒|=>',
    '(?<!\\p{L})замен[её]н\\p{L}*(?!\\p{L})',
    '[がは](?=[^。、]{0,40}に(?:置き換え|変更|更新|上書き)[らさ]れ)',
    '已被|被(?=[^，。；,;]{0,40}(?:取代|替换))|替换(?:为|成)',
    '(?:を|から)(?=[^。、]{0,40}[にへ](?:置き換え|変更|更新))',
  ],
);

/** Cues on either side of a past value. */
const PAST_BESIDE = cue(
  [
    'previous(?:ly)?',
    'former(?:ly)?',
    'earlier',
    'old(?:er)?',
    'prior',
    '(?<!(?:as|than|like|never) )before(?= ?(?:[),.;:|]|$))',
    'originally',
    `${GIVEN_UP}(?! (?:for|in favou?r))`,
    'initially',
    'at first',
    '(?:superseded|replaced)(?! (?:by|with))',
    '(?:outdated|out[- ]of[- ]date|obsolete|deprecated|retired|discontinued|abolished|withdrawn|expired|invalid|legacy|stale)',
    "(?:no longer|not|n['’]t)(?: (?!yet|only)[a-z]+){0,3} any ?more",
    'no longer',
    'vorher',
    '(?:veraltet|überholt|abgeschafft|ungültig)',
    'ersetzt(?! durch)(?<!durch .{0,40} ersetzt)',
    'nicht mehr',
  ],
  [
    'früher|(?<!\\p{L})(?:раньше|ранее|прежде|устарел\\p{L}*|отмен[её]н\\p{L}*|больше не)(?!\\p{L})',
    '之前|原为|原為|原来|原來|原先|原本|旧|舊|曾|以前|先前|过去|過去|从前|作废|作廢|过时|過時|失效|停用|不再|(?:取代|替换)(?!为|成)(?<!被[^，。；,;]{0,40}..)',
    '以前|元は|元の|変更前|古い|かつて|廃止|非推奨|無効|もともと|当初|(?<![にへ])置き換え',
  ],
);

/** Between two values it says that the first held before the other. */
const PAST_BETWEEN = cue(
  [
    '(?:and )?(?:then|later(?: on)?|afterwards|subsequently|eventually|finally|after (?:that|this|which))',
    '(?:became|becomes|(?:has|have|had) become|turned into|renamed(?! (?:from|to)))',
    `to(?<=(?<!\\w)(?:${CHANGED})${UP_TO_8} to)`,
    '(?:dann|danach|später|schließlich)',
  ],
  [
    '(?<!\\p{L})(?:затем|потом|позже|после этого)(?!\\p{L})',
    '后来|後來|然后|然後|之后|之後|随后|接着|その後|のちに|後に|次に',
  ],
);

/** Separators of a cue from any value. */
const SENTENCE_BREAK = /[;；。！？]|[.!?]\s/u;

/** Separators of a cue from a value after it. */
const BREAK_AHEAD = /[,;、，；。！？)）]|[.!?]\s|(?<![\w-])(?:and|but|then|now|und|aber)(?![\w-])/u;

/** Separators of a cue from a value before it. */
const BREAK_BACK = /[,;、，；。！？]|[.!?]\s|(?<![\w-])(?:and|but|then|now|und|aber)(?![\w-])/u;

/** The name of a column of past values. */
const PAST_COLUMN =
  /^\W*(?:old|before|was|previous(?:ly)?|former(?:ly)?|prior|earlier|superseded|replaced|from|alt|vorher|früher|было|раньше|旧|舊|之前|原来|以前|変更前|旧値)(?: (?:values?|ones?|settings?|states?|wert))?[值値]?\W*$/u;

/** A heading of past values only; merely earlier ones may still hold. */
const PAST_HEADING =
  /(?:^|[#:：] ?)(?:(?:superseded|obsolete|outdated|out[- ]of[- ]date|deprecated|replaced|stale|no longer (?:valid|current|true|used|in use))(?: \w+){0,2}|old|veraltet|überholt|ersetzt|устарело|заменено|已(?:废弃|作废|取代|替换)|过时|廃止|置き換え済み)\W*$|(?<!\w)(?:old|former|previous) (?:values?|settings?)\W*$/u;

/** Text between two listed values; a cue for one counts for both. */
const PAIR = /^\s?(?:\/|and|und|и|和|及|と)\s?$/u;
/** The same with commas, which stand between a value that held and one that holds as well. */
const LIST = /^\s?(?:[,、，/|]|(?:, ?)?(?:and|und|и|和|及|と))\s?$/u;
/** Opens a list after a cue: brackets or a colon. */
const OPENS = /[(（][^()（）]*$/u;
const COLON = /^\s?[:：]/u;
/** Says of a cue that all that is listed before it is meant. */
const PLURAL =
  /^\s(?:are|were|have been|sind|wurden)(?: \w+)?\s$|^(?:都|均|皆|は(?:いずれも|すべて))/u;
/** Characters before a cue that are looked at. */
const BEFORE = 80;
/** Most values in a list of past ones. */
const MOST = 20;

/** Characters of a name above a value that are looked at. */
const LONGEST_NAME = 80;

/** Lines that a change takes out at once. */
const MOST_LINES = 20;

/** Characters over which no cue speaks of a value. */
const FAR = 400;

/** Finds the words of a text that say that something held before. */
export function findPastCues(index: TextIndex): PastCues {
  return {
    before: findCues(index, PAST_BEFORE),
    after: findCues(index, PAST_AFTER),
    beside: findCues(index, PAST_BESIDE),
    between: findCues(index, PAST_BETWEEN),
  };
}

/**
 * The places of a changed value that are marked as past: the one nearest to each cue and those listed with it, and all in a column,
 * heading or diff of past values.
 */
export function placesToldAsPast(
  index: TextIndex,
  cues: PastCues,
  places: readonly Occurrence[],
): ReadonlySet<Occurrence> {
  const told = valuesByUnit(index, places).flatMap((values) =>
    KINDS.flatMap((kind) =>
      meantIn(values, cues[kind], PAST[kind]).flatMap((one) => listedWith(index, values.own, one)),
    ),
  );
  return new Set([...told, ...places.filter((place) => isInPastPlace(index, place))]);
}

/** The places of a changed value that are marked as replacing another. */
export function placesCorrected(
  index: TextIndex,
  cues: CueIndex,
  places: readonly Occurrence[],
): ReadonlySet<Occurrence> {
  const told = valuesByUnit(index, places).flatMap((values) =>
    meantIn(values, cues, CORRECTED).flatMap(({ number }) => values.own[number] ?? []),
  );
  return new Set(told);
}

function valuesByUnit(index: TextIndex, places: readonly Occurrence[]): readonly OfUnit[] {
  const inOrder = places.toSorted((a, b) => a.start - b.start);
  const byUnit = groupBy(inOrder, ({ first }) => index.unitOf[first] ?? 0);
  return [...byUnit].map(([unit, own]) => ({
    own,
    around: reachOf(index.units[unit], own),
    neighboursOf: createNeighbours(index.text, own),
  }));
}

function reachOf(unit: Unit | undefined, own: readonly Occurrence[]): Span {
  const { start, end } = unit ?? { start: 0, end: 0 };
  return {
    start: Math.max(start, (own[0]?.start ?? start) - FAR),
    end: Math.min(end, (own.at(-1)?.end ?? end) + FAR),
  };
}

/** Finds the neighbours of cues among the values of a text, in order. */
function createNeighbours(text: string, places: readonly Occurrence[]): (span: Span) => Neighbours {
  const starts = places.map(({ start }) => start);
  const ends = furthestEnds(places);
  return ({ start, end }) => {
    const next = firstAtLeast(starts, end);
    const [from, to] = [ends[next - 1] ?? -Infinity, starts[next] ?? Infinity];
    if (from > start) return {};
    return {
      ahead: to - end > FAR ? undefined : toNeighbour(next, text.slice(end, to), BREAK_AHEAD),
      back:
        start - from > FAR ? undefined : toNeighbour(next - 1, text.slice(from, start), BREAK_BACK),
    };
  };
}

/** How far each value and those before it reach, for one may lie in another. */
function furthestEnds(places: readonly Occurrence[]): readonly number[] {
  let furthest = 0;
  return places.map(({ end }) => (furthest = Math.max(furthest, end)));
}

function toNeighbour(number: number, between: string, breaks: RegExp): Neighbour {
  return {
    number,
    distance: between.length,
    isJoined: !breaks.test(between),
    isNear: !SENTENCE_BREAK.test(between),
  };
}

/** The cues around some values, each with the value that it speaks of. */
function meantIn(
  { around, neighboursOf }: OfUnit,
  cues: CueIndex,
  meaning: Meaning,
): readonly Told[] {
  return [...spansIn(cues, around)].flatMap((span) => {
    const number = meaning(neighboursOf(span));
    return number === undefined ? [] : [{ ...span, number }];
  });
}

function* spansIn({ starts, ends }: CueIndex, around: Span): Generator<Span, void, undefined> {
  for (let cue = firstAtLeast(starts, around.start); cue < starts.length; cue++) {
    const [start = 0, end = 0] = [starts[cue], ends[cue]];
    if (start >= around.end) return;
    yield { start, end };
  }
}

/** The values that a cue describes, in order: the nearest one and those listed with it. */
function listedWith(
  { text }: TextIndex,
  places: readonly Occurrence[],
  { start, end, number }: Told,
): readonly Occurrence[] {
  const place = places[number];
  if (place === undefined) return [];
  const isAhead = place.start >= end;
  const others = isAhead
    ? places.slice(number + 1, number + MOST)
    : places.slice(Math.max(0, number - MOST), number).toReversed();
  const between = isAhead ? text.slice(end, place.start) : text.slice(place.end, start);
  const isList = isAhead
    ? COLON.test(between) || OPENS.test(text.slice(Math.max(0, start - BEFORE), start))
    : PLURAL.test(between);
  if (!isAhead && !isList) return [place];
  return [place, ...followers(text, [place, ...others], isList ? LIST : PAIR)];
}

/** Values each of which is joined to the one before it in a list, in either direction. */
function followers(
  text: string,
  places: readonly Occurrence[],
  link: RegExp,
): readonly Occurrence[] {
  const broken = places.findIndex((place, number) => {
    const next = places[number + 1];
    if (next === undefined) return true;
    const [left, right] = place.start < next.start ? [place, next] : [next, place];
    return !link.test(text.slice(left.end, right.start));
  });
  return places.slice(1, broken + 1);
}

/** Tests if a value stands in a column, below a heading, or in a diff line of past values. */
function isInPastPlace(index: TextIndex, place: Occurrence): boolean {
  const unit = index.unitOf[place.first] ?? 0;
  return (
    PAST_COLUMN.test(columnOf(index, unit, place)) ||
    PAST_HEADING.test((index.units[unit]?.above ?? '').slice(-LONGEST_NAME)) ||
    isTakenOut(index, unit)
  );
}

/** The name of a value's column; empty outside tables. */
function columnOf({ text, rows }: TextIndex, unit: number, { start }: Occurrence): string {
  const row = rows.get(unit);
  if (row === undefined) return '';
  const column = cellAt(row.cells, start);
  const [from = 0, to = 0] = [row.header.starts[column], row.header.ends[column]];
  return text.slice(from, Math.min(to, from + LONGEST_NAME));
}

/** Tests if a line has a minus before it, like those below it, and the next one a plus. */
function isTakenOut({ text, units }: TextIndex, unit: number): boolean {
  const signOf = (other: number) => text.charAt(units[other]?.start ?? Infinity);
  let next = unit;
  while (next < unit + MOST_LINES && signOf(next) === '-') next += 1;
  return next > unit && signOf(next) === '+';
}

function joined(neighbour: Neighbour | undefined): number | undefined {
  return neighbour?.isJoined === true ? neighbour.number : undefined;
}

function nearer(ahead: Neighbour | undefined, back: Neighbour | undefined): number | undefined {
  const [next, last] = [ahead, back].map((one) => (one?.isNear === true ? one : undefined));
  return nearest(next, last)?.number;
}

function nearest(ahead: Neighbour | undefined, back: Neighbour | undefined): Neighbour | undefined {
  const [distance, other] = [ahead?.distance ?? Infinity, back?.distance ?? Infinity];
  return distance < other ? ahead : back;
}
