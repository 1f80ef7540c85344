import { appendFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { groupBy, known } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { makeFolder, writing } from '../../lib/files.ts';
import { describeIssue, parseJson } from '../../lib/json.ts';
import { quoted } from '../../lib/names.ts';
import { compareTexts, listed } from '../../lib/text.ts';
import {
  SUMMARY_ROW_VERSION,
  type SummaryRow,
  SummaryRowShape,
} from '../../report/summarizers-report.ts';
import { readAllLines } from '../store/read-rows.ts';

export interface RowsFile {
  readonly rows: readonly SummaryRow[];
  readonly hasOtherVersion: boolean;
  /** Adds a row behind all others; what a torn write left there goes. */
  append(row: SummaryRow): void;
}

export type SharedFields = Pick<SummaryRow, 'conditions' | keyof typeof SHARED>;

type ArmFields = Pick<SummaryRow, 'summarizer' | 'promptHash'>;

const Version = z.looseObject({ rowVersion: z.int() });
/** How every row begins, so that a torn one is told from what is somebody else's. */
const ROW_START = '{"rowVersion":';

const SHARED = {
  rowVersion: 'version of rows',
  scorerVersion: 'version of the scorer',
  bench: 'policy, model, number or places of compactions, tokenizer or seed',
  reader: 'reader of questions',
  questions: 'version of the questions, or wording of what the reader is told',
  judge: 'judge of facts',
  judgeText: 'wording of what the judge is told',
} as const;

const CONDITIONS = {
  policy: 'policy',
  model: 'model or its limits',
  pivots: 'number of compactions',
  places: 'places of compactions',
  tokenizer: 'tokenizer',
  seed: 'seed',
};

export function openRowsFile(file: string): RowsFile {
  const lines = existsSync(file) ? [...readAllLines(file)] : [];
  const open = lines.at(-1)?.isOpen ? lines.at(-1) : undefined;
  const torn = open && isTorn(open.text) ? open : undefined;
  const whole = torn === undefined ? lines : lines.slice(0, -1);
  // A row that stands there twice is one.
  const found = [...groupBy(whole, ({ text }) => text)].map(([text, [first]]) =>
    toRow(text, { file, line: first?.number ?? 1 }),
  );
  const rows = found.filter((row) => row !== undefined);
  const hasOtherVersion = rows.length < found.length;
  let isFirst = true;
  const append = (row: SummaryRow) => {
    makeFolder(dirname(file));
    // Where the file ends elsewhere by now, another process has written behind it.
    if (isFirst && torn && statSync(file).size === torn.offsetBytes + torn.lengthBytes)
      truncateSync(file, torn.offsetBytes);
    const start = isFirst && open !== torn ? '\n' : '';
    isFirst = false;
    appendFileSync(file, `${start}${JSON.stringify(row)}\n`);
  };
  return {
    rows: hasOtherVersion ? [] : rows,
    hasOtherVersion,
    append: (row) => writing(file, () => append(row)),
  };
}

export function rowKey(row: ArmFields & Pick<SummaryRow, 'scenario' | 'repeat'>): string {
  return JSON.stringify([row.summarizer, row.promptHash, row.scenario, row.repeat]);
}

export function armKey({ summarizer, promptHash }: ArmFields): string {
  return JSON.stringify([summarizer, promptHash]);
}

export function whyIncomparable(
  rows: readonly SummaryRow[],
  expected: SharedFields | undefined = rows[0],
): string | undefined {
  const fields = Object.keys(SHARED) as (keyof typeof SHARED)[];
  const field = fields.find((one) => rows.some((row) => row[one] !== expected?.[one]));
  if (field !== undefined) {
    const own = field === 'bench' ? nameConditions(rows, expected) : [];
    return `the rows differ in their ${own.length === 0 ? SHARED[field] : listed(own, 'and')}`;
  }
  const twice = [...groupBy(rows, rowKey).values()].find(({ length }) => length > 1)?.[0];
  return (
    whyScenariosDiffer(rows) ??
    whySettingsDiffer(rows) ??
    whyModelsDiffer(rows) ??
    (twice &&
      `more than one row has repetition ${twice.repeat} of ${quoted(twice.summarizer)} on ${quoted(twice.scenario)}`)
  );
}

export function whySettingsDiffer(
  rows: readonly Pick<SummaryRow, 'summarizer' | 'settings'>[],
): string | undefined {
  const conflict = firstConflict(
    rows.map(({ summarizer, settings = {} }) => {
      const sorted = Object.entries(settings).toSorted(([a], [b]) => compareTexts(a, b));
      return [summarizer, JSON.stringify(sorted)];
    }),
  );
  return conflict && `${quoted(conflict)} was asked with more than one setting`;
}

export function whyScenariosDiffer(
  rows: readonly Pick<SummaryRow, 'scenario' | 'scenarioHash'>[],
): string | undefined {
  const name = firstConflict(rows.map(({ scenario, scenarioHash }) => [scenario, scenarioHash]));
  return name && `the session ${quoted(name)} is not the same in all rows`;
}

/** Why a name stands for more than one model, as a provider may have it any day. */
export function whyModelsDiffer(rows: readonly SummaryRow[]): string | undefined {
  const answered = rows.flatMap(({ summarizer, model, pivots, ...row }) => [
    ...(pivots.length > 0 ? [[summarizer, model] as const] : []),
    ...(row.reader && row.readerModel ? [[row.reader, row.readerModel] as const] : []),
    ...(row.judge && row.judgeModel ? [[row.judge, row.judgeModel] as const] : []),
  ]);
  const name = firstConflict(answered);
  return name && `more than one model answered as ${quoted(name)}`;
}

/** Rows as a plan has them; what is in no plan was there before, and stands in front. */
export function orderRows(
  rows: readonly SummaryRow[],
  planned: { readonly arms: readonly string[]; readonly scenarios: readonly string[] },
): readonly SummaryRow[] {
  const armPlace = placeIn(rows, planned.arms, armKey);
  const scenarioPlace = placeIn(rows, planned.scenarios, ({ scenario }) => scenario);
  return rows.toSorted(
    (a, b) =>
      armPlace(a) - armPlace(b) || scenarioPlace(a) - scenarioPlace(b) || a.repeat - b.repeat,
  );
}

export function countRepeats(
  rows: readonly SummaryRow[],
  planned: number,
): { readonly repeats: number; readonly leastRepeats?: number } {
  const groups = groupBy(rows, (row) => JSON.stringify([armKey(row), row.scenario]));
  const counts = [...groups.values()].map(({ length }) => length);
  if (counts.length === 0) return { repeats: planned };
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return { repeats: most, ...known({ leastRepeats: least < most ? least : undefined }) };
}

function isTorn(text: string) {
  if (!text.startsWith(ROW_START)) return ROW_START.startsWith(text);
  return parseJson(text) === undefined;
}

function toRow(text: string, { file, line }: { readonly file: string; readonly line: number }) {
  const value = parseJson(text);
  const bad = (reason: string, cause?: unknown) =>
    new HarnessError(
      'BAD_RESULTS',
      `Expected rows of 'summarizers' in ${quoted(file)}, got something else on line ${line}: ${reason}. Without that line, what it stood for is asked again.`,
      { cause },
    );
  // The message of the parser would quote the line.
  if (value === undefined) throw bad('it is not JSON');
  const version = Version.safeParse(value);
  if (version.success && version.data.rowVersion !== SUMMARY_ROW_VERSION) return undefined;
  const checked = SummaryRowShape.safeParse(value);
  if (checked.success) return checked.data;
  throw bad(`at ${describeIssue(checked.error.issues[0])}`, checked.error);
}

/** An unknown condition differs from nothing. */
function nameConditions(rows: readonly SummaryRow[], expected: SharedFields | undefined) {
  const wanted: Readonly<Record<string, unknown>> = expected?.conditions ?? {};
  const differing = rows.flatMap(({ conditions = {} }) =>
    Object.entries(known(conditions)).filter(([name, own]) => (wanted[name] ?? own) !== own),
  );
  const names = new Set(differing.map(([name]) => name));
  return Object.entries(CONDITIONS).flatMap(([name, label]) => (names.has(name) ? [label] : []));
}

function firstConflict(pairs: readonly (readonly [name: string, value: string])[]) {
  const values = new Map<string, string>();
  const conflict = pairs.find(([name, value]) => {
    const known = values.get(name) ?? value;
    values.set(name, known);
    return known !== value;
  });
  return conflict?.[0];
}

function placeIn(
  rows: readonly SummaryRow[],
  planned: readonly string[],
  nameOf: (row: SummaryRow) => string,
) {
  const others = new Set(rows.map(nameOf).filter((name) => !planned.includes(name)));
  const places = new Map([...others, ...planned].map((name, place) => [name, place]));
  return (row: SummaryRow) => places.get(nameOf(row)) ?? 0;
}
