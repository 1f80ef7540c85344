import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { badOption } from '../../simulator/lib/errors.ts';
import { badValue, checkEachOnce, named, nearestNames, quoted } from '../../simulator/lib/names.ts';
import { listed, splitAtCommas } from '../../simulator/lib/text.ts';
import type { RunRecord } from '../../simulator/metrics/record.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import { formats } from '../../simulator/report/runs.ts';
import type { Saved } from '../../simulator/report/saved/documents.ts';
import { AMOUNT, parseAmount } from '../../simulator/scenario/file/amounts.ts';

/** Which whole numbers an option takes, both ends among them. */
export interface WholeRange {
  /** By default 1. */
  readonly least?: number;
  /** By default the largest number that is exact. */
  readonly most?: number;
}

/** What the command line says of a format. */
export interface FormatOptions {
  readonly format?: string | undefined;
  /** The file that it is for, and the option that names that. */
  readonly out?: string | undefined;
  readonly option?: string;
}

const MOST_JOBS = 256;

/** The most that anything is run again; more of it is most likely a slip. */
const MOST_REPEATS = 1_000;

/** Extensions of files with the formats of any command that they may have, the first that a command has before the next. */
const FORMATS_OF: readonly (readonly [extension: string, format: string])[] = [
  ['.parquet', 'parquet'],
  ['.jsonl', 'jsonl'],
  ...Object.entries({ ...checkFormats, ...formats }).map(
    ([name, { extension }]) => [extension, name] as const,
  ),
  ['.log', 'table'],
];

/** What `--with-text` says in the help of a command. */
export const WITH_TEXT = {
  run: 'keep the texts of this session in its events or page; can be repeated',
  report: 'show the texts of this session, if its run kept them; can be repeated',
} as const;

const LONGEST_NAME = 200;

/** A whole number from the command line. Throws `HarnessError` at anything else, and outside of its range. */
export function parseWhole(
  option: string,
  text: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER }: WholeRange = {},
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw badValue(option, `a whole number ${range}`, text);
}

/** The same of an option that may be absent. */
export function parseWholeIfGiven(
  option: string,
  text: string | undefined,
  range?: WholeRange,
): number | undefined {
  return text === undefined ? undefined : parseWhole(option, text, range);
}

/** How many threads a text says, one per core without a text. Throws `HarnessError` where that is no number of them. */
export function parseJobs(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  return parseWhole('--jobs', text, { most: MOST_JOBS });
}

/** Names with commas between, of an option that can be repeated: none blank, each once; `what` they are of. */
export function parseNames(
  option: string,
  values: readonly string[],
  what: string,
): readonly string[] {
  const names = splitAtCommas(values);
  if (names.includes('')) throw badValue(option, `${what} separated by commas`, values.join(','));
  checkEachOnce(option, names, names);
  return names;
}

/** How often something is run, by an option's text. Throws `HarnessError` where that is no number of times, or too many. */
export function parseRepeats(option: string, text: string, least: number = 1): number {
  return parseWhole(option, text, { least, most: MOST_REPEATS });
}

/** A number of tokens from the command line: `16000`, `16k` or `1M`. */
export function parseTokens(option: string, text: string): number {
  const amount = text.trim();
  const tokens = AMOUNT.test(amount) ? parseAmount(amount) : Number.NaN;
  if (Number.isSafeInteger(tokens)) return tokens;
  throw badValue(option, 'a whole number of tokens, such as 16000, 16k or 1M', text);
}

/** Numbers of tokens with commas between, of an option that can be repeated: none blank, each once. */
export function parseTokenList(option: string, values: readonly string[]): readonly number[] {
  const texts = splitAtCommas(values);
  const amounts = texts.map((text) => parseTokens(option, text));
  checkEachOnce(option, texts, amounts);
  return amounts;
}

/** Gathers the values of an option that can be repeated. */
export function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

/** Throws where an adapter is no command. */
export function checkAdapter(command: string): void {
  if (command.trim() === '') throw badOption("Expected '--adapter' to be a command, got nothing.");
}

/** The formats of a table; the one of the file's extension is the default, else the first. */
export function formatHelp(formats: object, option = '--out'): string {
  const [first = ''] = Object.keys(formats);
  return `${formatNames(formats)} (default: by ${option}, else ${first})`;
}

/** The names of some formats. */
export function formatNames(formats: object): string {
  return listed(Object.keys(formats), 'or');
}

/** The names of some formats, and which others one kind of report has. */
export function formatNamesBeyond(
  formats: object,
  { of, formats: more }: { readonly of: string; readonly formats: object },
): string {
  const others = Object.keys(more).filter((name) => !Object.hasOwn(formats, name));
  return `${formatNames(formats)}; of ${of} also ${listed(others, 'and')}`;
}

/**
 * The format that was named, else the one that files of that extension have, else the first where there is no extension;
 * throws where there is none.
 */
export function chooseFormat<Kind>(
  table: Readonly<Record<string, Kind>>,
  what: string,
  { format, out = '', option = '--out' }: FormatOptions,
): Kind {
  const name = format ?? findUsual(Object.keys(table), extname(out).toLowerCase());
  if (name !== undefined) return named(what, table, name);
  const names = Object.keys(table).join(', ');
  throw badOption(
    `Expected ${quoted(option)} to be a file of one of the formats ${names}, or to come with '--format', got ${quoted(out)}.`,
  );
}

/** Which sessions texts are kept of. Throws where there is no place for them. */
export function chooseTexts(
  names: readonly string[] = [],
  { isKept }: { readonly isKept: boolean },
): (session: string) => boolean {
  if (names.length > 0 && !isKept) {
    throw badOption(
      "Expected '--with-text' to come with '--events' or '--format html', got neither.",
    );
  }
  const wanted = new Set(names);
  return (session) => wanted.has(session);
}

/** Throws at a name that no session of these files can have: it begins with the path of none of them. */
export function checkNamesOfFiles(names: readonly string[] = [], files: readonly string[]): void {
  const paths = new Set(files);
  const astray = names.filter((name) => !paths.has(name) && !paths.has(fileOf(name)));
  const [reason] = describeUnnamed(
    astray,
    files.map((session) => ({ session })),
  );
  if (reason !== undefined) throw badOption(reason);
}

/** A sentence for each name that no session has. */
export function describeUnnamed(
  names: readonly string[] = [],
  runs: readonly Pick<RunRecord, 'session'>[],
): readonly string[] {
  const sessions = [...new Set(runs.map(({ session }) => session))];
  return names
    .filter((name) => !sessions.includes(name))
    .map((name) => {
      const nearest = nearestNames(name, sessions).join(', ');
      const hint = nearest === '' ? '' : `; nearest: ${nearest}`;
      return `Expected '--with-text' to name a session, got ${quoted(name, LONGEST_NAME)}${hint}.`;
    });
}

/** Throws at each name that no session of a saved report has, and at each session whose texts are not there. */
export function checkTexts(names: readonly string[] = [], saved: Saved): void {
  const missing = describeMissingTexts(names, saved);
  if (missing.length > 0) throw badOption(missing.join('\n'));
}

/** Absent where such a file holds what none of these formats is, or nobody knows what: it may be mistyped. */
function findUsual(names: readonly string[], extension: string): string | undefined {
  if (extension === '') return names[0];
  return FORMATS_OF.find(([ending, name]) => ending === extension && names.includes(name))?.[1];
}

/** The path in a name that may have a place in its file behind it. */
function fileOf(name: string): string {
  const end = name.lastIndexOf('#');
  return end < 0 ? name : name.slice(0, end);
}

function describeMissingTexts(names: readonly string[], saved: Saved): readonly string[] {
  const views = saved.kind === 'runs' || saved.kind === 'sweep' ? [...saved.views] : [];
  const runs = runsOf(saved);
  const sessions = new Set(runs.map(({ session }) => session));
  const known = new Set(views.flatMap(([run, { texts }]) => (texts ? [run.session] : [])));
  const missing = names
    .filter((name) => sessions.has(name) && !known.has(name))
    .map(
      (name) =>
        `Expected texts of ${quoted(name, LONGEST_NAME)}, but none were kept (run --with-text ${quoted(name, LONGEST_NAME)} --events FILE).`,
    );
  return [...describeUnnamed(names, runs), ...missing];
}

function runsOf(saved: Saved): readonly Pick<RunRecord, 'session'>[] {
  if (saved.kind === 'runs') return saved.report.runs;
  return saved.kind === 'sweep' ? saved.rows : [];
}
