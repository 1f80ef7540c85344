import * as z from 'zod';
import { groupBy } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { describeIssue, isObject, parseJson } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { listed } from '../../lib/text.ts';
import { createSourceFile, describeContent } from '../../session/files/source-file.ts';
import { detectFormat } from '../../session/load.ts';
import { CHECK_SCHEMA_VERSION, type CheckReport, CheckSchema } from '../check-report.ts';
import { type Comparison, COMPARISON_VERSION, ComparisonSchema } from '../comparison.ts';
import { SCHEMA_VERSION, type SessionBasis, type UnreadInput } from '../report.ts';
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
import { type SavedEvents, EVENTS_KIND, EVENTS_SCHEMA_VERSION } from './events-file.ts';
import {
  type Checked,
  completeMetrics,
  ProvenanceShape,
  RecordShape,
  UnreadShape,
  SessionBasisShape,
} from './shapes.ts';
import { eventTypes, type RunEvent } from '../../events.ts';
import { withoutFolder } from '../../lib/files.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { type RunView, ViewShape } from '../plots.ts';

interface Reading {
  readonly events: Map<RunRecord, RunEvent[]>;
  readonly views: Map<RunRecord, RunView>;
  readonly bases: Map<string, SessionBasis>;
  readonly unread: UnreadInput[];
  current?: RunRecord;
}

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

const Header = z.looseObject({
  schemaVersion: z.literal(EVENTS_SCHEMA_VERSION),
  holds: z.literal(EVENTS_KIND),
  provenance: ProvenanceShape,
});

const IDENTITY = {
  session: true,
  family: true,
  policy: true,
  model: true,
  summarizer: true,
  seed: true,
  mode: true,
} as const;

const RunLine = z.looseObject({
  run: RecordShape.pick(IDENTITY),
  ...RecordShape.omit(IDENTITY).shape,
  source: SessionBasisShape.omit({ session: true }).exactOptional(),
});

const UnreadLine = z.looseObject({ unread: UnreadShape.element });

const ViewLine = z.object({ view: ViewShape });

const EventLines: ReadonlyMap<unknown, z.ZodType> = new Map(
  Object.entries(eventTypes).map(([type, { fields }]) => [type, z.looseObject(fields)]),
);

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

export function isEventsText(text: string) {
  return text.split('\n', 1)[0]?.includes(`"holds":"${EVENTS_KIND}"`) ?? false;
}

/** Saved events of this version; throws where it is none of them. */
export function readEvents(file: string, text: string): SavedEvents {
  const [first = '', ...lines] = text.split('\n');
  const { provenance } = readHeader(file, first);
  const reading: Reading = { events: new Map(), views: new Map(), bases: new Map(), unread: [] };
  for (const [index, line] of lines.entries()) {
    const fault = line === '' ? undefined : faultOfLine(line, reading);
    if (fault !== undefined) throw badEvents(file, `line ${index + 2} is not: ${fault}`);
  }
  const { events, views, bases, unread } = reading;
  const estimators = { ...provenance.estimators, sessions: [...bases.values()] };
  const report = {
    schemaVersion: SCHEMA_VERSION,
    provenance: { ...provenance, estimators },
    runs: [...events.keys()],
    unread,
  };
  return { report, events, views };
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

function readHeader(file: string, line: string): Checked<typeof Header> {
  const value = parseJson(line);
  if (value === undefined) throw badEvents(file, 'its first line is cut off or not JSON');
  const version = z.looseObject({ schemaVersion: z.int() }).safeParse(value).data?.schemaVersion;
  if (version !== undefined && version !== EVENTS_SCHEMA_VERSION) {
    const got = `version ${version}, of another release`;
    throw badEvents(file, `it has ${got}, and this one reads version ${EVENTS_SCHEMA_VERSION}`);
  }
  if (isOf(Header, value)) return value;
  const { error } = Header.safeParse(value);
  throw badEvents(file, `its first line is not: ${describeIssue(error?.issues[0])}`, error);
}

function badEvents(file: string, reason: string, cause?: unknown) {
  const message = `Expected ${quotedLong(file)} to be saved events, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}

/** Reads a line and returns its fault; nothing where it was taken. */
function faultOfLine(line: string, reading: Reading) {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null) return 'it is not a JSON object';
  const { current } = reading;
  if ('type' in value) {
    const fault = faultOfEvent(value);
    if (fault !== undefined) return fault;
    if (current === undefined) return 'its run is not named before it';
    reading.events.get(current)?.push(value as RunEvent);
    return undefined;
  }
  if ('view' in value) {
    const { data, error } = ViewLine.safeParse(value);
    if (data === undefined) return describeIssue(error.issues[0]);
    if (current === undefined) return 'its run is not named before it';
    reading.views.set(current, data.view);
    return undefined;
  }
  if ('unread' in value) {
    const { data, error } = UnreadLine.safeParse(value);
    if (data === undefined) return describeIssue(error.issues[0]);
    reading.unread.push(data.unread);
    return undefined;
  }
  if (!isOf(RunLine, value)) return describeIssue(RunLine.safeParse(value).error?.issues[0]);
  const { run, source, metrics, ...rest } = value;
  const record = { ...run, ...rest, metrics: completeMetrics(metrics) };
  if (source) reading.bases.set(run.session, { session: withoutFolder(run.session), ...source });
  reading.current = record;
  reading.events.set(record, []);
  return undefined;
}

/** Objects in it are not looked into. */
function faultOfEvent(value: object) {
  const line = EventLines.get('type' in value && value.type);
  if (line === undefined) return 'it is not an event';
  const issues = line.safeParse(value).error?.issues ?? [];
  const issue = issues.find(({ path }) => typeof path[1] !== 'string');
  return issue && describeIssue(issue);
}

/** Takes a value unchanged, with its keys in their order. */
function isOf<Schema extends z.ZodType>(schema: Schema, value: unknown): value is Checked<Schema> {
  return schema.safeParse(value).success;
}
