import WORDS from './words.json' with { type: 'json' };
import { remembered } from '../../lib/text.ts';
import { lowered, plainText, spelled, unitOf } from './spelling.ts';

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

export type WordLanguage = keyof typeof WORDS;

/**
 * The effect of a word on the value beside it. `not` denies the value that follows, `gone` the nearest one, `after` the one before.
 * `undo` turns a denial round, and `exceed` makes it a limit. `past` says that something holds no more, `undecided` that nothing does
 * yet. `touch`, `may`, `ban`, `lift` and `applies` are about bans, `reject` and `adopt` about options, `done`, `open`, `doing` and `cancelled` about tasks. `idiom` looks like a denial and is none.
 */
export type WordClass = keyof (typeof WORDS)['en'];

interface SoughtValue {
  readonly key: string;
  readonly spellings: readonly string[];
}

interface FoundValue {
  readonly start: number;
  readonly end: number;
  /** Absent for other strings that look like values. */
  readonly key?: string;
}

/** Stands for values, whose words are none of the text. */
export const VALUE = '\uE000';

const COMPOUND = /^-\p{Lu}\p{Ll}+(?![\p{L}\d_/.-]\S)/u;
const VALUE_LIKE =
  /(?<![\p{Script=Latin}\d_.])\d+(?:\.\d+)? (?:byte|ms|percent|weekday|date|clock)|(?<![\p{Script=Latin}\d_])(?:[\w.~-]{0,80}\/){0,20}(?=[\w-]{0,80}\d)(?:[a-z_-][\w-]{0,80}\d|\d[\w-]{0,80}[a-z_]|\d{4,40})[\w-]{0,80}(?:\.\w{1,20}){0,3}/giu;

const NO_LATIN_BEFORE = "(?<![\\p{Script=Latin}\\d_'’-])";
const NO_LATIN_AFTER = '(?![\\p{Script=Latin}\\d_])';
const SCRIPTS = [
  ['ko', /\p{Script=Hangul}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
] as const;
const CHINESE = /[们这为没吗还说对]/u;
/** From which on a text is of their language: names of code are Latin. */
const SCRIPT_SHARE = 0.12;
const CLEAR_LEAD = 0.5;
/** Words of one Latin language only, and those that tell most. */
const LATIN = ['en', 'de', 'fr', 'es'] as const;
const TELLING = ['frequent', 'gone', 'past', 'adopt', 'done', 'undecided', 'undo'] as const;

const LATIN_NAME =
  /(?<=[\p{L}\d,] )\p{Lu}[\p{L}\d.+#-]*|(?<![\p{L}\d_-])\p{Lu}\p{L}*\p{Lu}[\p{L}\d]*/gu;
const FOREIGN_NAME = /(?<![\p{Script=Latin}\d])[A-Za-z][\w.+#-]+/gu;
/** Every noun is in capitals. */
const GERMAN_NAME =
  /(?<=(?<!\p{L})(?:auf|mit|über|durch|zu|per|via|ist|sind|jetzt|nun|statt|nicht|nach|in) )\p{Lu}[\p{L}\d.+#-]*|(?<!\p{L})\p{Lu}\p{Ll}+\p{Lu}\p{L}*/gu;
/** Words of other languages are found anywhere. */
const SPACED: ReadonlySet<string> = new Set([...LATIN, 'ru']);

const patternOf = remembered((key) => {
  const [language, ...classes] = key.split(' ') as [WordLanguage, ...WordClass[]];
  const source = classes.map((name) => WORDS[language][name]).join('|');
  return new RegExp(SPACED.has(language) ? whole(source, language) : source, 'giu');
});

const VALUES = /\uE000/g;
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

/** By script and frequent words; a likely one holds unless clearly more are of another. */
export function languageOf(text: string, likely?: WordLanguage): WordLanguage | undefined {
  const letters = countOf(text, /\p{L}/gu);
  const [script] = SCRIPTS.find(([, sign]) => countOf(text, sign) > SCRIPT_SHARE * letters) ?? [];
  const hasKana = countOf(text, SCRIPTS[1][1]) > 0;
  const isJapanese = hasKana || (likely === 'ja' && !CHINESE.test(text));
  if (script !== undefined) return script === 'zh' && isJapanese ? 'ja' : script;
  const scores = LATIN.map((name) => {
    const lead = name === likely ? CLEAR_LEAD : 0;
    return { name, score: lead + countOf(text, wordsOf(name, ...TELLING)) };
  });
  const [best] = scores.toSorted((a, b) => b.score - a.score);
  return best === undefined || best.score === 0 ? undefined : best.name;
}

/** A global pattern of the words of some classes. */
export function wordsOf(language: WordLanguage, ...classes: readonly WordClass[]): RegExp {
  return patternOf([language, ...classes].join(' '));
}

/** Words that are likely names: in capitals or of another script than the text. */
export function namesIn(words: string, language: WordLanguage): readonly string[] {
  const latin = language === 'de' ? GERMAN_NAME : LATIN_NAME;
  return words.match(SPACED.has(language) ? latin : FOREIGN_NAME) ?? [];
}

/** Tests if a string can hardly stand anywhere by chance. */
export function isDistinctive(value: string): boolean {
  const plain = plainText(value);
  if (unitOf(plain) !== undefined) return false;
  return (
    /\d{5}|\p{L}\S*\d|\d\S*\p{L}|[/\\_]/u.test(plain) ||
    (plain.length >= 12 && !/^\d+ /.test(plain))
  );
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

function whole(source: string, language: string): string {
  if (language === 'ru') return `(?<!\\p{L})(?:${source})(?!\\p{L})`;
  return `${NO_LATIN_BEFORE}(?:${source.replaceAll('\\w', '[\\p{Script=Latin}]')})${NO_LATIN_AFTER}`;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function findValues(text: string, values: readonly SoughtValue[]): readonly FoundValue[] {
  const plain = lowered(text);
  const spellings = values
    .flatMap(({ key, spellings: own }) => own.map((one) => ({ key, spelling: plainText(one) })))
    .filter(({ spelling }) => spelling !== '')
    .toSorted((a, b) => b.spelling.length - a.spelling.length);
  const taken = new Uint8Array(plain.length);
  const found: FoundValue[] = [];
  const take = (start: number, end: number, key?: string) => {
    if (taken[start] === 1 || taken[end - 1] === 1) return;
    taken.fill(1, start, end);
    found.push({ start, end, ...(key !== undefined && { key }) });
  };
  for (const { key, spelling } of spellings) {
    for (let at = plain.indexOf(spelling); at >= 0; at = plain.indexOf(spelling, at + 1)) {
      const end = at + spelling.length;
      if (isWhole(text, at, end)) take(at, end, key);
    }
  }
  for (const { index, 0: match } of plain.matchAll(VALUE_LIKE)) take(index, index + match.length);
  return found.toSorted((a, b) => a.start - b.start);
}

function isWhole(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 1), start);
  const after = text.slice(end, end + 2);
  const first = text.charAt(start);
  const last = text.charAt(end - 1);
  if (/[\p{Script=Latin}\d_]/u.test(first) && /[\p{Script=Latin}\d_]/u.test(before)) return false;
  if (COMPOUND.test(text.slice(end))) return true;
  if (!isDistinctive(text.slice(start, end)) && /[-.]/.test(before)) return false;
  if (last === '_' || !/[\p{Script=Latin}\d]/u.test(last)) return true;
  return !/^[\p{Script=Latin}\d_]|^[-./][\p{Script=Latin}\d]/u.test(after);
}
