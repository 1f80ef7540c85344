/** A text as a reader sees it: places of values in clauses, sentences and lines, each below its headings. */

import { spelled } from './spelling.ts';
import { type FoundValue, findValues, type SoughtValue, VALUE } from './values.ts';

/** A sought value, or a string that looks like one. */
export interface Place {
  /** Absent for other strings that look like values. */
  readonly key?: string;
  readonly written: string;
  readonly clause: Clause;
  /** In the clause's words. */
  readonly at: number;
  readonly isStruck: boolean;
}

/** Each value in it is written as `VALUE`. */
export interface Clause {
  readonly words: string;
  readonly sentence: Sentence;
  readonly places: Place[];
  /** In a table; else empty. */
  readonly column: string;
}

export interface Sentence {
  readonly words: string;
  readonly clauses: Clause[];
  readonly line: Line;
}

export interface Line {
  readonly words: string;
  readonly sentences: Sentence[];
  /** Headings, lead lines and list items above, the nearest first. */
  readonly above: readonly string[];
}

interface Heading {
  readonly level: number;
  readonly words: string;
}

const VALUES = /\uE000/g;
/** Of a line that is too long to search. */
const PIECE = /[^]{1,4000}/g;
const LIST_LEVEL = 20;
const LEAD_LEVEL = 10;
/** Marked, bold, a lone tag, or a number with a short title and a colon. */
const HEADING =
  /^(?:(?<marks>#{1,6})\s+.+|\*\*[^*]+\*\*:?|<[a-z][\w-]*>|\d{1,2}\.\s+[^.。:]{1,60}:)$/u;
const ITEM = /^(?<indent>\s*)(?:[-*+–]\s+|[•・]\s*|\d{1,2}(?:[.)]\s+|、\s*))/u;
const LEAD = /[:：]\s*$/;
const RULE = /^\s*\|?[\s:|-]+\|?\s*$/;
/** Short Latin words before a small letter or a value are abbreviations. */
const SENTENCE_END =
  /(?:(?<!(?<![\p{L}\uE000])\p{Script=Latin}{1,3})[.!?]+["')\]]*(?=\s|$)|[.!?]+["')\]]*(?=\s+\p{Lu}|\s*$)|[。！？]+)/gu;
const CLAUSE_END =
  /[,，;；()（）[\]「」]|、|\s[–—-]\s|——?|(?<!thing|body|all)\s(?=(?:but|because|weil|porque|however|aber|jedoch|sondern|während|mais|tandis|pero|mientras|но|а)\s)|(?=但是?|而是|却|不过)|(?<=が、|けど|けれど|지만)/gu;
const AND = /\s(?:and|und|et|y|и|그리고)\s/u;
const STRUCK = /~~[^~]+~~/g;

/** Reads a text for some values, longer spellings first; places do not overlap. */
export function readText(text: string, values: readonly SoughtValue[]) {
  const plain = spelled(text);
  const found = findValues(plain, values);
  const struck = [...plain.matchAll(STRUCK)];
  const isStruck = ({ start }: FoundValue) =>
    struck.some(({ index, 0: words }) => start >= index && start < index + words.length);
  const words = maskValues(plain, found);
  const clauses = [...linesOf(words)].flatMap(({ sentences }) =>
    sentences.flatMap((one) => one.clauses),
  );
  const free = clauses.flatMap((clause) =>
    [...clause.words.matchAll(VALUES)].map(({ index }) => ({ clause, at: index })),
  );
  const places = found.flatMap((one, index) => {
    const spot = free[index];
    if (spot === undefined) return [];
    const { start, end, ...key } = one;
    return [{ ...spot, ...key, written: plain.slice(start, end), isStruck: isStruck(one) }];
  });
  for (const place of places) place.clause.places.push(place);
  return { places, clauses, words };
}

function maskValues(plain: string, found: readonly FoundValue[]): string {
  const ends = [0, ...found.map(({ end }) => end)];
  return ends.map((end, at) => plain.slice(end, found[at]?.start)).join(VALUE);
}

function* linesOf(words: string): Generator<Line, void, undefined> {
  const stack: Heading[] = [];
  let header: readonly string[] | undefined;
  for (const raw of words.split('\n').flatMap((line) => line.match(PIECE) ?? [''])) {
    if (raw.trim() === '') {
      if (!raw.includes('|')) header = undefined;
      continue;
    }
    if (raw.trimStart().startsWith('|')) {
      if (RULE.test(raw)) continue;
      const cells = cellsOf(raw);
      yield readRow(cells, header, stack);
      header ??= cells;
      continue;
    }
    header = undefined;
    yield readLine(raw, stack);
  }
}

function readLine(raw: string, stack: Heading[]): Line {
  const heading = HEADING.exec(raw.trim());
  const item = ITEM.exec(raw);
  const words = item === null ? raw.trim() : raw.slice(item[0].length);
  const level = levelOf(raw, heading, item);
  while ((stack.at(-1)?.level ?? -1) >= level) stack.pop();
  const line: Line = { words, sentences: [], above: stack.map((one) => one.words).toReversed() };
  if (heading !== null || item !== null || LEAD.test(raw)) stack.push({ level, words });
  for (const own of cutAt(words, SENTENCE_END))
    addSentence(
      line,
      own,
      clausesOf(own).map((clause) => ({ words: clause, column: '' })),
    );
  return line;
}

function levelOf(raw: string, heading: RegExpExecArray | null, item: RegExpExecArray | null) {
  if (heading !== null) return heading.groups?.['marks']?.length ?? LEAD_LEVEL - 1;
  if (item !== null) return LIST_LEVEL + (item.groups?.['indent']?.length ?? 0);
  const indent = raw.length - raw.trimStart().length;
  return indent > 0 ? LIST_LEVEL + indent : LEAD_LEVEL;
}

/** One sentence with one value at most, else one a cell. */
function readRow(
  cells: readonly string[],
  header: readonly string[] | undefined,
  stack: readonly Heading[],
): Line {
  const words = cells.join(' | ');
  const line: Line = { words, sentences: [], above: stack.map((one) => one.words).toReversed() };
  const columns = cells.map((cell, index) => ({ words: cell, column: header?.[index] ?? '' }));
  const valued = columns.filter((cell) => cell.words.includes(VALUE));
  const { column = '' } = valued[0] ?? {};
  addSentence(line, words, valued.length < 2 ? [{ words, column }] : columns);
  return line;
}

function addSentence(
  line: Line,
  words: string,
  clauses: readonly Pick<Clause, 'words' | 'column'>[],
): void {
  const sentence: Sentence = { words, clauses: [], line };
  line.sentences.push(sentence);
  for (const clause of clauses) sentence.clauses.push({ ...clause, sentence, places: [] });
}

function cellsOf(raw: string): readonly string[] {
  return raw
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

/** Values without any words between them stay together. */
function clausesOf(words: string): readonly string[] {
  const parts = cutAt(words, CLAUSE_END).flatMap((part) => {
    const and = AND.exec(part);
    if (and === null) return [part];
    const [left, right] = [part.slice(0, and.index), part.slice(and.index)];
    return hasOwnWords(left) && hasOwnWords(right) ? [left, right] : [part];
  });
  const clauses: string[] = [];
  for (const part of parts) {
    const isBare = /^\P{L}*\uE000(?!.*\p{L}{2})/su.test(clauses.at(-1) ?? '');
    clauses.push(isBare ? `${clauses.pop()}${part}` : part);
  }
  return clauses;
}

function hasOwnWords(part: string): boolean {
  return part.includes(VALUE) && /\p{L}{2,}/u.test(part.replace(AND, ' '));
}

function cutAt(words: string, pattern: RegExp): readonly string[] {
  const ends = [...words.matchAll(pattern)].map(({ index, 0: match }) => index + match.length);
  const parts = [0, ...ends].map((start, at) => words.slice(start, ends[at]));
  return parts.filter((part) => part.trim() !== '');
}
