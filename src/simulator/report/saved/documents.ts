/** JSON reports by the command that writes them. */

import * as z from 'zod';
import { groupBy } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { describeIssue, isObject } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { listed } from '../../lib/text.ts';
import { createSourceFile, describeContent } from '../../session/files/source-file.ts';
import type { SourceFile } from '../../session/format.ts';
import { detectFormat } from '../../session/load.ts';
import { CHECK_SCHEMA_VERSION, type CheckReport, CheckSchema } from '../check-report.ts';
import { type Comparison, COMPARISON_VERSION, ComparisonSchema } from '../comparison.ts';
import { type Report, SCHEMA_VERSION } from '../report.ts';
import {
  SUMMARIZERS_VERSION,
  type SummarizersReport,
  SummarizersSchema,
} from '../summarizers-report.ts';
import {
  armRunOfRow,
  concludeCells,
  type SweepReport,
  type SweepRow,
  SweepSchema,
} from '../sweep-report.ts';
import { TUNE_VERSION, type TuneReport, TuneSchema } from '../tune-report.ts';
import { WHAT_IF_VERSION, type WhatIfReport, WhatIfSchema } from '../whatif-report.ts';
import { isEventsText, readEvents, type SavedEvents } from './events-file.ts';
import {
  type Checked,
  completeMetrics,
  isOf,
  ProvenanceShape,
  RecordShape,
  UnreadShape,
} from './shapes.ts';

/** A kind of JSON report. */
interface SavedDocument<Schema extends z.ZodType> {
  /** Keys that only this kind has together. */
  readonly marks: readonly string[];
  /** The key of its version, and the one that this release writes. */
  readonly version: string;
  readonly newest: number;
  readonly schema: Schema;
  readonly toSaved: (document: Checked<Schema>) => Saved;
}

/** The same with its schema applied. */
interface CheckedDocument extends Pick<SavedDocument<z.ZodType>, 'marks' | 'version' | 'newest'> {
  /** Takes a document, or throws the error that is made of its first fault. */
  readonly read: (document: object, fail: (error: z.ZodError) => HarnessError) => Saved;
}

type WithMetrics = { readonly metrics: Readonly<Record<string, number | null>> };

/** The error about a file, by what it is in the place of what is wanted. */
type MakeError = (reason: string, cause?: unknown) => HarnessError;

/** The expected content of a file, for errors. */
interface Wanted {
  readonly what: string;
  /** How that is made of a recorded session; absent where nobody would. */
  readonly ofSession?: string;
}

/** A saved result of a command, ready to be rendered again. */
export type Saved =
  | ({ readonly kind: 'runs' } & SavedEvents)
  | { readonly kind: 'check'; readonly report: CheckReport }
  | { readonly kind: 'summarizers'; readonly report: SummarizersReport }
  | { readonly kind: 'compare'; readonly report: Comparison }
  | { readonly kind: 'tune'; readonly report: TuneReport }
  | { readonly kind: 'whatif'; readonly report: WhatIfReport }
  | ({ readonly kind: 'sweep' } & SavedSweep);

/** The report of a sweep with its rows; it has pictures of those that were run again. */
export interface SavedSweep extends Pick<SavedEvents, 'events' | 'views'> {
  readonly report: SweepReport;
  readonly rows: readonly SweepRow[];
}

const RunsShape = z.looseObject({
  schemaVersion: z.int(),
  provenance: ProvenanceShape,
  runs: z.array(RecordShape),
  unread: UnreadShape,
});

const NO_PICTURES = { events: new Map(), views: new Map() } as const;

/** JSON reports that can be rendered again. */
const savedDocuments = {
  run: define({
    marks: ['provenance', 'runs'],
    version: 'schemaVersion',
    newest: SCHEMA_VERSION,
    schema: RunsShape,
    toSaved: (document: unknown) => {
      const report = document as Report;
      return {
        kind: 'runs',
        report: { ...report, runs: report.runs.map(withMetrics) },
        ...NO_PICTURES,
      };
    },
  }),
  check: define({
    marks: ['scenarios', 'passed'],
    version: 'schemaVersion',
    newest: CHECK_SCHEMA_VERSION,
    schema: CheckSchema,
    toSaved: (report) => ({ kind: 'check', report }),
  }),
  sweep: define({
    marks: ['cells', 'knobs'],
    version: 'schemaVersion',
    newest: SCHEMA_VERSION,
    schema: SweepSchema,
    toSaved: (document: unknown) => {
      const { sessions, cells, ...rest } = document as SweepReport & {
        readonly sessions: readonly SweepRow[];
      };
      const report = { ...rest, cells: cells.map(withMetrics) };
      const rows = sessions.map(withMetrics);
      const ofCells = groupBy(rows, ({ cell }) => cell);
      const runs = new Map([...ofCells].map(([id, own]) => [id, own.map(armRunOfRow)]));
      const concluded = concludeCells(report, runs);
      return { kind: 'sweep', report: { ...report, ...concluded }, rows, ...NO_PICTURES };
    },
  }),
  summarizers: define({
    marks: ['summarizersVersion', 'arms'],
    version: 'summarizersVersion',
    newest: SUMMARIZERS_VERSION,
    schema: SummarizersSchema,
    toSaved: (report) => ({ kind: 'summarizers', report }),
  }),
  compare: define({
    marks: ['comparisonVersion'],
    version: 'comparisonVersion',
    newest: COMPARISON_VERSION,
    schema: ComparisonSchema,
    toSaved: (report) => ({ kind: 'compare', report }),
  }),
  tune: define({
    marks: ['tuneVersion'],
    version: 'tuneVersion',
    newest: TUNE_VERSION,
    schema: TuneSchema,
    toSaved: (report) => ({ kind: 'tune', report }),
  }),
  whatif: define({
    marks: ['whatIfVersion'],
    version: 'whatIfVersion',
    newest: WHAT_IF_VERSION,
    schema: WhatIfSchema,
    toSaved: (report) => ({ kind: 'whatif', report }),
  }),
} satisfies Record<string, CheckedDocument>;

/** JSON reports that hold too little for another format, by command, with what tells each from others. */
const plainDocuments = {
  stats: ['statisticsVersion'],
  validate: ['overall', 'costs', 'sessions'],
  explain: ['policy', 'start', 'origin'],
} satisfies Record<string, readonly string[]>;

const COMMANDS = Object.keys(savedDocuments).map((name) => `'${name}'`);

/** The kinds of files that can be rendered again, for help and errors. */
export const SAVED_KINDS = `saved events, JSON of ${listed(COMMANDS, 'or')}, or a sweep's folder`;

const ANY_SAVED: Wanted = {
  what: SAVED_KINDS,
  ofSession: "'run SESSION --events FILE' makes events of it",
};

/** Reads a saved result, recognised by its content; throws where no command has written it. */
export function readSaved(file: string, text: string, wanted: Wanted = ANY_SAVED): Saved {
  if (isEventsText(text)) return { kind: 'runs', ...readEvents(file, text) };
  const source = createSourceFile(file, text);
  const bad: MakeError = (reason, cause) =>
    badSaved(`${quotedLong(file)} to be ${wanted.what}`, reason, cause);
  const value = source.json();
  if (!isObject(value)) throw bad(whatElse(source, wanted));
  const kind = Object.values(savedDocuments).find(({ marks }) => hasMarks(value, marks));
  if (kind === undefined) throw bad(whyUnknown(source, value, wanted));
  return readAs(kind, value, bad);
}

function badSaved(expected: string, reason: string, cause?: unknown): HarnessError {
  const message = `Expected ${expected}, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}

/** A session in the place of what a command has made of it is the likeliest mistake. */
function whatElse(source: SourceFile, { ofSession }: Wanted): string {
  const format = detectFormat(source);
  if (format === undefined) return `it is ${describeContent(source)}`;
  const advice = ofSession === undefined ? '' : `: ${ofSession}`;
  return `it is a recorded session (${format})${advice}`;
}

/** Checks whether a document has all of some keys. */
function hasMarks(document: object, marks: readonly string[]): boolean {
  return marks.every((mark) => Object.hasOwn(document, mark));
}

function whyUnknown(source: SourceFile, value: object, wanted: Wanted): string {
  const found = Object.entries(plainDocuments).find(([, marks]) => hasMarks(value, marks));
  return found === undefined
    ? whatElse(source, wanted)
    : `it is JSON of '${found[0]}', of which no other format can be made`;
}

function readAs({ version, newest, read }: CheckedDocument, value: object, bad: MakeError): Saved {
  const own: unknown = Object.entries(value).find(([key]) => key === version)?.[1];
  if (typeof own === 'number' && own !== newest) {
    throw bad(`it has version ${own}${writtenBy(value)}, and this release reads version ${newest}`);
  }
  return read(value, (error) => {
    const [issue] = error.issues;
    return bad(`it is broken, at ${describeIssue(issue)}`, error);
  });
}

/** The release that wrote a document, where that says so. */
function writtenBy(document: object): string {
  const Versioned = z.object({ version: z.string() });
  const found = z
    .object({ provenance: Versioned.optional(), origin: Versioned.optional() })
    .safeParse(document).data;
  const release = found?.provenance?.version ?? found?.origin?.version;
  return release === undefined ? '' : ` of release ${release}`;
}

/** Metrics that a document does not have are unknown. */
function withMetrics<Row extends WithMetrics>(row: Row) {
  return { ...row, metrics: completeMetrics(row.metrics) };
}

function define<Schema extends z.ZodType>({
  schema,
  toSaved,
  ...kind
}: SavedDocument<Schema>): CheckedDocument {
  return {
    ...kind,
    read: (document, fail) => {
      if (isOf(schema, document)) return toSaved(document);
      throw fail(schema.safeParse(document).error ?? new z.ZodError([]));
    },
  };
}
