import { HEADER_FILE, RESULTS_FILE } from '../../sweep-files.ts';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { HarnessError } from '../../errors.ts';
import type { RunMode, RunState } from '../../events.ts';
import { isObject } from '../../is-object.ts';
import { modeOf } from '../../metrics/record.ts';
import { quoted, quotedLong } from '../../names.ts';
import { parseJson } from '../../parse-json.ts';
import { commonSettings } from '../../report/origin.ts';
import { SCHEMA_VERSION } from '../../report/report.ts';
import { TokenizerShape, TokenizersShape } from '../../report/saved/origin-shape.ts';
import { faultCode } from '../../system-fault.ts';
import { readTextFile } from '../../text-file.ts';

import { findBadMetric } from '../row-issue.ts';
import type { NamedValues } from './arm.ts';
import type { Side } from './pair-sides.ts';
import { describeIssue } from '../../schema-issue.ts';

const Value = z.union([z.number(), z.boolean(), z.string()]);

const Metrics = z.custom<NamedValues>().check(({ value, issues }) => {
  const issue = findBadMetric(value);
  if (issue !== undefined) {
    issues.push({ code: 'custom', input: value, ...issue, path: [...issue.path] });
  }
});

const Row = z.looseObject({
  session: z.string(),
  family: z.string().exactOptional(),
  policy: z.string(),
  model: z.string(),
  summarizer: z.string(),
  sessionHash: z.string().exactOptional(),
  mode: z.enum(['open-loop', 'closed-loop']).exactOptional(),
  state: z.string().transform((state) => state as RunState),
  reason: z.string().exactOptional(),
  metrics: Metrics,
  settings: z.record(z.string(), Value).exactOptional(),
});

const Catalog = z.looseObject({ hash: z.string(), source: z.string().default('') }).exactOptional();

/** What a report of `run` says of its origin; a header of `sweep` has some of it at its top. */
const Made = {
  version: z.string().exactOptional(),
  catalog: Catalog,
  settings: z.record(z.string(), Value).exactOptional(),
  tokenizers: TokenizersShape.exactOptional(),
};

/** What says of a file of results how they came about. */
const Header = z.looseObject({
  schemaVersion: z.int().exactOptional(),
  mode: z.enum(['open-loop', 'closed-loop']).exactOptional(),
  ...Made,
});

const Document = Header.extend({
  runs: z.array(Row),
  provenance: z
    .looseObject({
      ...Made,
      model: z.string().exactOptional(),
      estimators: z.looseObject({ tokenizer: TokenizerShape }).exactOptional(),
    })
    .exactOptional(),
});

type Row = z.infer<typeof Row>;
type Header = z.infer<typeof Header>;
type Document = z.infer<typeof Document>;

/** One side of a comparison from a JSON report of `run`, from the results of a sweep, one row a line, or from its folder. */
export function readResults(path: string): Side {
  const file = existsSync(join(path, HEADER_FILE)) ? join(path, RESULTS_FILE) : path;
  return { ...readFile(file), name: path };
}

function readFile(file: string): Side {
  const text = readText(file);
  const whole = parseJson(text);
  // Several lines are no JSON as a whole; one that has metrics is a row.
  if (whole === undefined || isRow(whole)) return readLines(file, text);
  if (!isObject(whole) || !('runs' in whole)) {
    throw badResults(file, 'it is a JSON document without runs');
  }
  const { runs, provenance, ...header } = check(Document, whole, { file });
  return toSide(file, runs, { ...provenance, ...tokenizersIn(provenance), ...header });
}

/** A report of `run` is of one model. */
function tokenizersIn({ model, estimators }: NonNullable<Document['provenance']> = {}) {
  const isKnown = model !== undefined && estimators !== undefined;
  return isKnown ? { tokenizers: { [model]: estimators.tokenizer } } : {};
}

function readLines(file: string, text: string): Side {
  const rows: Row[] = [];
  let header: Header = readSweepHeader(file);
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parseJson(line);
    const place = `line ${index + 1}`;
    if (value === undefined) throw badResults(file, `${place} is not JSON`);
    if (isRow(value)) rows.push(check(Row, value, { file, place }));
    else header = { ...header, ...check(Header, value, { file, place }) };
  }
  if (rows.length === 0) throw badResults(file, 'it has no rows');
  return toSide(file, rows, header);
}

/** What a sweep says beside its results; nothing where it does not lie there. */
function readSweepHeader(file: string): Header {
  const header = join(dirname(file), HEADER_FILE);
  if (basename(file) !== RESULTS_FILE || !existsSync(header)) return {};
  const value = parseJson(readText(header));
  if (value === undefined) throw badResults(header, 'it is not JSON');
  return check(Header, value, { file: header });
}

function toSide(name: string, rows: readonly Row[], header: Header): Side {
  const { schemaVersion = SCHEMA_VERSION, version, catalog, tokenizers, settings = {} } = header;
  const mode = commonMode(name, rows, header);
  const common = commonSettings(rows.map((row) => row.settings ?? {}));
  const origin = { version, catalog, tokenizers, settings: { ...settings, ...common } };
  return { name, rows, schemaVersion, mode, origin };
}

/** Open and closed loop are never put together. */
function commonMode(name: string, rows: readonly Row[], { mode = 'open-loop' }: Header): RunMode {
  const closed = rows.filter((row) => modeOf(row) === 'closed-loop').length;
  if (closed === 0) return mode;
  if (closed === rows.length) return 'closed-loop';
  throw badResults(name, 'it has rows of both an open and a closed loop');
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

function badResults(file: string, reason: string, cause?: unknown): HarnessError {
  const path = quotedLong(file);
  const message = `Expected ${path} to be results of 'sweep' or a JSON report of 'run', but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}
