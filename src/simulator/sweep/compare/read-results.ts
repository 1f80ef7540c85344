import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { RunMode } from '../../events.ts';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError, unlessWrongInput } from '../../lib/errors.ts';
import { faultCode, HEADER_FILE, readTextFile, RESULTS_FILE, hasRows } from '../../lib/files.ts';
import { describeIssue, isObject, parseJson } from '../../lib/json.ts';
import { quoted, quotedLong } from '../../lib/names.ts';
import { modeOf } from '../../metrics/record.ts';
import { commonSettings, countRecordedModels, type Origin } from '../../report/origin.ts';
import { SCHEMA_VERSION } from '../../report/report.ts';
import { type NamedStory, toStories } from '../../report/stories.ts';
import {
  ModeShape,
  RUN_FIELDS,
  SettingsShape,
  StateShape,
  StoryShape,
  TokenizerShape,
  TokenizersShape,
} from '../../report/saved/shapes.ts';
import { basisOf, headerBeside } from '../store/header.ts';
import { firstOfAny, readOnlyRows, type Whole, wholeOf } from '../store/read-rows.ts';
import { findBadMetric, type ResultRow } from '../store/row.ts';
import type { NamedValues, Side } from './pair-sides.ts';

/** A side that was read. */
interface ReadSide extends Side {
  /** The complete sweep of the rows; absent if they are of none, or it is unknown. */
  readonly whole?: Whole | undefined;
}

/** A row of a sweep, or of a report. */
type SavedRow = Row | ResultRow;

/** The origin of rows, and of a sweep its contents. */
interface Made {
  readonly header: Header;
  readonly basis?: Pick<Origin, 'tokenizers' | 'recorded'>;
  readonly whole?: Whole;
  readonly stories?: readonly NamedStory[];
}

type Row = z.infer<typeof Row>;
type Header = z.infer<typeof Header>;
type Document = z.infer<typeof Document>;

const Metrics = z.custom<NamedValues>().check(({ value, issues }) => {
  const issue = findBadMetric(value);
  if (issue !== undefined) {
    issues.push({ code: 'custom', input: value, ...issue, path: [...issue.path] });
  }
});

/** A row, of whichever. */
const Row = z.looseObject({
  ...RUN_FIELDS,
  sessionHash: z.string().exactOptional(),
  cell: z.string().exactOptional(),
  seed: z.number().exactOptional(),
  mode: ModeShape.exactOptional(),
  state: StateShape,
  reason: z.string().exactOptional(),
  impossible: z.string().exactOptional(),
  baseline: z.enum(['recorded', 'none']).exactOptional(),
  metrics: Metrics,
  settings: SettingsShape.exactOptional(),
});

const Catalog = z.looseObject({ hash: z.string(), source: z.string().default('') }).exactOptional();

/** The origin in a report of `run`; a header of `sweep` has some of it at its top. */
const MadeOfResultShapes = {
  version: z.string().exactOptional(),
  catalog: Catalog,
  settings: SettingsShape.exactOptional(),
  tokenizers: TokenizersShape.exactOptional(),
};

/** The header of a file of results. */
const Header = z.looseObject({
  schemaVersion: z.int().exactOptional(),
  mode: ModeShape.exactOptional(),
  ...MadeOfResultShapes,
});

const Estimators = z.looseObject({
  tokenizer: TokenizerShape,
  sessions: z
    .array(
      z.looseObject({
        session: z.string().default(''),
        recordedModel: z.string().exactOptional(),
        story: StoryShape.exactOptional(),
      }),
    )
    .exactOptional(),
});

/** A JSON report of `run`. */
const Document = Header.extend({
  runs: z.array(Row),
  provenance: z
    .looseObject({
      ...MadeOfResultShapes,
      model: z.string().exactOptional(),
      estimators: Estimators.exactOptional(),
    })
    .exactOptional(),
});

/** One side of a comparison from a JSON report of `run`, from the results of a sweep, one row a line, or from its folder. */
export function readResults(path: string): ReadSide {
  const file = existsSync(join(path, HEADER_FILE)) ? join(path, RESULTS_FILE) : path;
  return { ...readFile(file), name: path };
}

function readFile(file: string): ReadSide {
  return readSwept(file) ?? readSaved(file);
}

/** A sweep of this version, with the rows that its report is made of; `undefined` where the file is something else. */
function readSwept(file: string): ReadSide | undefined {
  const header = unlessWrongInput(() => headerBeside(file));
  if (header === undefined || header instanceof HarnessError) return undefined;
  const rows = hasRows(dirname(file)) ? [...readOnlyRows(file, header)] : [];
  return toSide(file, rows, {
    header: { ...header },
    basis: basisOf(header),
    whole: wholeOf(header),
    stories: toStories(header.sessions.map(({ name, story }) => ({ session: name, story }))),
  });
}

function toSide(
  name: string,
  rows: readonly SavedRow[],
  { header, basis, whole, stories }: Made,
): ReadSide {
  if (rows.length === 0) throw badResults(name, 'it has no rows');
  const { schemaVersion = SCHEMA_VERSION, version, catalog, tokenizers, settings = {} } = header;
  const mode = commonMode(name, rows, header);
  checkNames(name, rows);
  const common = commonSettings(rows.map((row) => row.settings ?? {}));
  const origin = { version, catalog, tokenizers, ...basis, settings: { ...settings, ...common } };
  return { name, rows, schemaVersion, mode, origin, whole, stories };
}

function badResults(file: string, reason: string, cause?: unknown): HarnessError {
  const path = quotedLong(file);
  const message = `Expected ${path} to be results of 'sweep' or a JSON report of 'run', but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}

/** Open and closed loop are never put together. */
function commonMode(
  name: string,
  rows: readonly SavedRow[],
  { mode = 'open-loop' }: Header,
): RunMode {
  const closed = rows.filter((row) => modeOf(row) === 'closed-loop').length;
  if (closed === 0) return mode;
  if (closed === rows.length) return 'closed-loop';
  throw badResults(name, 'it has rows of both an open and a closed loop');
}

/** Rows of several sweeps may call sessions alike that are none of each other's trials. */
function checkNames(name: string, rows: readonly SavedRow[]): void {
  const hashes = new Map<string, string>();
  for (const { session, sessionHash } of rows) {
    if (sessionHash === undefined) continue;
    const known = keepIn(hashes, session, () => sessionHash);
    if (known !== sessionHash) {
      throw badResults(name, `it has two sessions of the name ${quoted(session)}`);
    }
  }
}

function readSaved(file: string): ReadSide {
  const text = readText(file);
  const document = parseJson(text);
  // Several lines are no JSON as a whole; one that has metrics is a row.
  if (document === undefined || isRow(document)) return readLines(file, text);
  if (!isObject(document) || !('runs' in document)) {
    throw badResults(file, 'it is a JSON document without runs');
  }
  const { runs, provenance, ...header } = check(Document, document, { file });
  return toSide(file, runs, {
    header: { ...provenance, ...header },
    basis: basisOfRuns(provenance),
    stories: toStories(provenance?.estimators?.sessions ?? []),
  });
}

function readText(file: string): string {
  return readTextFile(file, (reason, cause) =>
    faultCode(cause) === 'EISDIR'
      ? badResults(file, `it is a folder without ${quoted(HEADER_FILE)}`)
      : badResults(file, `it cannot be read: ${reason}`, cause),
  );
}

function isRow(value: unknown): boolean {
  return isObject(value) && 'metrics' in value;
}

function readLines(file: string, text: string): ReadSide {
  const rows: Row[] = [];
  const isFirst = firstOfAny();
  let header = readLooseHeader(file);
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parseJson(line);
    const place = `line ${index + 1}`;
    if (value === undefined) throw badResults(file, `${place} is not JSON`);
    if (isRow(value)) {
      const row = check(Row, value, { file, place });
      if (row.cell === undefined || isFirst(row)) rows.push(row);
    } else header = { ...header, ...check(Header, value, { file, place }) };
  }
  return toSide(file, rows, { header });
}

/** Reads a header of another version, or of somebody else, beside the rows. */
function readLooseHeader(file: string): Header {
  const path = join(dirname(file), HEADER_FILE);
  if (basename(file) !== RESULTS_FILE || !existsSync(path)) return {};
  const value = parseJson(readText(path));
  if (value === undefined) throw badResults(path, 'it is not JSON');
  return check(Header, value, { file: path });
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { file, place = 'the top' }: { readonly file: string; readonly place?: string },
): z.infer<Schema> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw badResults(file, `${place} is not a result, at ${describeIssue(issue)}`, checked.error);
}

/** A report of `run` is of one model. */
function basisOfRuns({
  model,
  estimators,
}: NonNullable<Document['provenance']> = {}): NonNullable<Made['basis']> {
  if (model === undefined || estimators === undefined) return {};
  const { tokenizer, sessions } = estimators;
  return {
    tokenizers: { [model]: tokenizer },
    ...(sessions !== undefined && { recorded: countRecordedModels(sessions) }),
  };
}
