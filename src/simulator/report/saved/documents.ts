import * as z from 'zod';
import { groupBy } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { describeIssue, isObject } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { listed } from '../../lib/text.ts';
import { createSourceFile, describeContent } from '../../session/files/source-file.ts';
import { detectFormat } from '../../session/load.ts';
import { CHECK_SCHEMA_VERSION, type CheckReport, CheckSchema } from '../check-report.ts';
import { type Comparison, COMPARISON_VERSION, ComparisonSchema } from '../comparison.ts';
import { SCHEMA_VERSION } from '../report.ts';
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
} from '../sweep.ts';
import { TUNE_VERSION, type TuneReport, TuneSchema } from '../tune-report.ts';
import { WHAT_IF_VERSION, type WhatIfReport, WhatIfSchema } from '../whatif.ts';
import { isEventsText, readEvents, type SavedEvents } from './events-file.ts';
import {
  type Checked,
  completeMetrics,
  isOf,
  ProvenanceShape,
  RecordShape,
  UnreadShape,
} from './shapes.ts';

export type Saved =
  | ({ readonly kind: 'runs' } & SavedEvents)
  | { readonly kind: 'check'; readonly report: CheckReport }
  | { readonly kind: 'summarizers'; readonly report: SummarizersReport }
  | { readonly kind: 'compare'; readonly report: Comparison }
  | { readonly kind: 'tune'; readonly report: TuneReport }
  | { readonly kind: 'whatif'; readonly report: WhatIfReport }
  | ({
      readonly kind: 'sweep';
      readonly report: SweepReport;
      readonly rows: readonly SweepRow[];
    } & Pick<SavedEvents, 'events' | 'views'>);

const RunsShape = z.looseObject({
  schemaVersion: z.int(),
  provenance: ProvenanceShape,
  runs: z.array(RecordShape),
  unread: UnreadShape,
});

const NO_PICTURES = { events: new Map(), views: new Map() } as const;

/** Each with keys that only it has together. */
const savedDocuments = {
  run: define([RunsShape, SCHEMA_VERSION], ['provenance', 'runs'], ({ runs, ...rest }) => ({
    kind: 'runs',
    report: { ...rest, runs: runs.map(withMetrics) },
    ...NO_PICTURES,
  })),
  check: define([CheckSchema, CHECK_SCHEMA_VERSION], ['scenarios', 'passed'], (report) => ({
    kind: 'check',
    report,
  })),
  sweep: define([SweepSchema, SCHEMA_VERSION], ['cells', 'knobs'], (document: unknown) => {
    const { sessions, cells, ...rest } = document as SweepReport & {
      readonly sessions: readonly SweepRow[];
    };
    const report = { ...rest, cells: cells.map(withMetrics) };
    const rows = sessions.map(withMetrics);
    const ofCells = groupBy(rows, ({ cell }) => cell);
    const runs = new Map([...ofCells].map(([id, own]) => [id, own.map(armRunOfRow)]));
    const concluded = concludeCells(report, runs);
    return { kind: 'sweep', report: { ...report, ...concluded }, rows, ...NO_PICTURES };
  }),
  summarizers: define(
    [SummarizersSchema, SUMMARIZERS_VERSION],
    ['summarizersVersion', 'arms'],
    (report) => ({ kind: 'summarizers', report }),
  ),
  compare: define([ComparisonSchema, COMPARISON_VERSION], ['comparisonVersion'], (report) => ({
    kind: 'compare',
    report,
  })),
  tune: define([TuneSchema, TUNE_VERSION], ['tuneVersion'], (report) => ({ kind: 'tune', report })),
  whatif: define([WhatIfSchema, WHAT_IF_VERSION], ['whatIfVersion'], (report) => ({
    kind: 'whatif',
    report,
  })),
};

/** They hold too little for another format. */
const plainDocuments = {
  stats: ['statisticsVersion'],
  validate: ['overall', 'costs', 'sessions'],
  explain: ['policy', 'start', 'origin'],
};

const COMMANDS = Object.keys(savedDocuments).map((name) => `'${name}'`);

export const SAVED_KINDS = `saved events, JSON of ${listed(COMMANDS, 'or')}, or a sweep's folder`;

/** Throws where no command has written it. */
export function readSaved(
  file: string,
  text: string,
  wanted: { readonly what: string; readonly ofSession?: string } = {
    what: SAVED_KINDS,
    ofSession: ": 'run SESSION --events FILE' makes events of it",
  },
): Saved {
  if (isEventsText(text)) return { kind: 'runs', ...readEvents(file, text) };
  const source = createSourceFile(file, text);
  const bad = (reason: string, cause?: unknown) => {
    const message = `Expected ${quotedLong(file)} to be ${wanted.what}, but ${reason}.`;
    return new HarnessError('BAD_RESULTS', message, { cause });
  };
  const value = source.json();
  const has = (marks: readonly string[]) =>
    isObject(value) && marks.every((mark) => Object.hasOwn(value, mark));
  const kind = Object.values(savedDocuments).find(({ marks }) => has(marks));
  if (kind === undefined || !isObject(value)) {
    const [plain] = Object.entries(plainDocuments).find(([, marks]) => has(marks)) ?? [];
    if (plain !== undefined)
      throw bad(`it is JSON of '${plain}', of which no other format can be made`);
    // The likeliest mistake.
    const format = detectFormat(source);
    if (format === undefined) throw bad(`it is ${describeContent(source)}`);
    throw bad(`it is a recorded session (${format})${wanted.ofSession ?? ''}`);
  }
  const { marks, newest, read } = kind;
  const version = value[marks.find((mark) => mark.endsWith('Version')) ?? 'schemaVersion'];
  if (typeof version === 'number' && version !== newest) {
    throw bad(
      `it has version ${version}${writtenBy(value)}, and this release reads version ${newest}`,
    );
  }
  const saved = read(value);
  if (!(saved instanceof z.ZodError)) return saved;
  throw bad(`it is broken, at ${describeIssue(saved.issues[0])}`, saved);
}

function writtenBy(document: object) {
  const Versioned = z.object({ version: z.string() }).optional();
  const found = z.object({ provenance: Versioned, origin: Versioned }).safeParse(document).data;
  const release = (found?.provenance ?? found?.origin)?.version;
  return release === undefined ? '' : ` of release ${release}`;
}

/** Metrics that a document does not have are unknown. */
function withMetrics<Row extends { readonly metrics: Readonly<Record<string, number | null>> }>(
  row: Row,
) {
  return { ...row, metrics: completeMetrics(row.metrics) };
}

function define<Schema extends z.ZodType>(
  [schema, newest]: readonly [Schema, number],
  marks: readonly string[],
  toSaved: (document: Checked<Schema>) => Saved,
) {
  const read = (document: object): Saved | z.ZodError =>
    isOf(schema, document)
      ? toSaved(document)
      : (schema.safeParse(document).error ?? new z.ZodError([]));
  return { marks, newest, read };
}
