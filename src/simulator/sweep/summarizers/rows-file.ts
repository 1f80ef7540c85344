import { appendFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { HarnessError } from '../../lib/errors.ts';
import { makeFolder, writing } from '../../lib/files.ts';
import { describeIssue, parseJson } from '../../lib/json.ts';
import { quoted } from '../../lib/names.ts';
import { CONDITIONS, PROBE_KINDS } from '../../metrics/probes/probe.ts';
import { ANSWER_STATES } from '../../metrics/probes/score-answer.ts';
import { FACT_STATES } from '../../metrics/quality/fact-states.ts';
import { FACT_SOURCES, SUMMARY_ROW_VERSION, type SummaryRow } from '../../report/arm-metrics.ts';
import { FACT_KINDS } from '../../session/facts.ts';
import { readAllLines } from '../store/lines.ts';

/** Rows that are kept in a file, one a line. */
export interface RowsFile {
  readonly rows: readonly SummaryRow[];
  /** True if rows of another, unknown version exist. */
  readonly hasOtherVersion: boolean;
  /** Adds a row behind all others, be they of another process; what a torn write left there goes. */
  append(row: SummaryRow): void;
}

/** The usable contents of a file. */
interface Kept {
  readonly texts: readonly string[];
  /** Where the beginning of a row stands that is no whole one; absent where there is none. */
  readonly torn?: Piece;
  /** True if the last row lacks its line break. */
  readonly isOpen: boolean;
}

/** The end of a file, in bytes. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

/** The lines of a file. */
interface Lines {
  readonly file: string;
  readonly texts: readonly string[];
}

/** Where a row stands, from 1. */
interface RowPlace {
  readonly file: string;
  readonly line: number;
}

const number = z.number();
const counts = z.partialRecord(z.enum(FACT_STATES), number);
const pivot = z.strictObject({
  kinds: z.partialRecord(z.enum(FACT_KINDS), counts),
  mustFacts: number,
  mustDropped: number,
  strings: number,
  stringsKept: number,
  stringsInRandomLines: number,
  headTokens: number,
  summaryTokens: number,
  viewTokens: number,
  calls: number,
  costNanoUsd: number.optional(),
  latencyMs: number.optional(),
  isCut: z.boolean(),
});
const probe = z.strictObject({
  id: z.string(),
  kind: z.enum(PROBE_KINDS),
  answers: z.record(z.enum(CONDITIONS), z.enum(ANSWER_STATES)),
});
const conditions = z.strictObject({
  policy: z.string(),
  model: z.string().optional(),
  pivots: z.string(),
  places: z.string(),
  tokenizer: z.string(),
  seed: z.string(),
});
const survivalCount = z.strictObject({ atRisk: number, lost: number });
/** Only rows of this version are known in full. */
const Row = z.strictObject({
  rowVersion: z.literal(SUMMARY_ROW_VERSION),
  scorerVersion: z.int(),
  bench: z.string(),
  conditions: conditions.optional(),
  scenario: z.string(),
  scenarioHash: z.string(),
  family: z.string().optional(),
  facts: z.enum(FACT_SOURCES),
  summarizer: z.string(),
  settings: z.record(z.string(), z.union([z.string(), number, z.boolean()])).optional(),
  model: z.string(),
  prompt: z.string(),
  promptHash: z.string(),
  repeat: z.int().positive(),
  isRandom: z.boolean(),
  pivots: z.array(pivot),
  survival: z.array(survivalCount),
  reader: z.string().optional(),
  questions: z.string().optional(),
  probes: z.array(probe).optional(),
  unanswered: z.array(z.string()).optional(),
  readerModel: z.string().optional(),
  missing: z
    .strictObject({
      pivot: z.int().positive(),
      state: z.enum(['failed', 'broken', 'unreached']),
      reason: z.string(),
    })
    .optional(),
});
const Version = z.looseObject({ rowVersion: z.int() });

/** How every row begins, so that a torn one is told from what is somebody else's. */
const ROW_START = '{"rowVersion":';

/** The rows of a file; none where there is no file. Throws `HarnessError` where it holds anything else. */
export function openRowsFile(file: string): RowsFile {
  const { texts, isOpen, ...kept } = readKept(file);
  // A row that stands there twice is one.
  const found = [...new Set(texts)].map((text) => toRow(text, { file, texts }));
  const rows = found.flatMap((row) => row ?? []);
  const hasOtherVersion = rows.length < found.length;
  let { torn } = kept;
  let before = isOpen ? '\n' : '';
  const writeBehind = (line: string) => {
    makeFolder(dirname(file));
    // Where the file ends elsewhere by now, another process has cut it off.
    if (torn !== undefined && sizeOf(file) === torn.end) truncateSync(file, torn.start);
    torn = undefined;
    appendFileSync(file, line);
  };
  return {
    rows: hasOtherVersion ? [] : rows,
    hasOtherVersion,
    append: (row) => {
      writing(file, () => writeBehind(`${before}${JSON.stringify(row)}\n`));
      before = '';
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readKept(file: string): Kept {
  if (!existsSync(file)) return { texts: [], isOpen: false };
  const texts: string[] = [];
  for (const { text, offsetBytes, lengthBytes, isOpen } of readAllLines(file)) {
    if (isOpen && isTorn(text)) {
      return { texts, torn: { start: offsetBytes, end: offsetBytes + lengthBytes }, isOpen: false };
    }
    texts.push(text);
    if (isOpen) return { texts, isOpen };
  }
  return { texts, isOpen: false };
}

function isTorn(text: string): boolean {
  if (!text.startsWith(ROW_START)) return ROW_START.startsWith(text);
  return parseJson(text) === undefined;
}

/** `undefined` where it is of another version. */
function toRow(line: string, { file, texts }: Lines): SummaryRow | undefined {
  const value = parseJson(line);
  const bad = (reason: string, cause?: unknown) =>
    badRow({ file, line: texts.indexOf(line) + 1 }, reason, cause);
  // The message of the parser would quote the line.
  if (value === undefined) throw bad('it is not JSON');
  const version = Version.safeParse(value);
  if (version.success && version.data.rowVersion !== SUMMARY_ROW_VERSION) return undefined;
  const checked = Row.safeParse(value);
  if (checked.success) return checked.data;
  throw bad(`at ${describeIssue(checked.error.issues[0])}`, checked.error);
}

function badRow({ file, line }: RowPlace, reason: string, cause?: unknown): HarnessError {
  return new HarnessError(
    'BAD_RESULTS',
    `Expected rows of 'summarizers' in ${quoted(file)}, got something else on line ${line}: ${reason}. Without that line, what it stood for is asked again.`,
    { cause },
  );
}
