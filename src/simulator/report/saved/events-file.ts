/** The file of saved events: its header and its runs. */

import * as z from 'zod';
import { eventTypes, type RunEvent } from '../../events.ts';
import { sum } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { describeIssue, parseJson } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import type { RunKey, RunRecord } from '../../metrics/record.ts';
import {
  type Provenance,
  type Report,
  SCHEMA_VERSION,
  type SessionBasis,
  type SessionSource,
  type UnreadInput,
} from '../report.ts';
import {
  type Checked,
  completeMetrics,
  isOf,
  ModeShape,
  PART_STATES,
  type PartState,
  ProvenanceShape,
  RecordShape,
  RUN_FIELDS,
  type RunView,
  type ViewTexts,
  SessionBasisShape,
} from './shapes.ts';
import { withoutFolder } from '../../lib/files.ts';

/** One run with its events, as it is saved. */
export interface SavedRun {
  readonly record: RunRecord;
  /** Absent for a session that was not run. */
  readonly source?: SessionSource | undefined;
  readonly events: readonly RunEvent[];
  /** The views of its requests; absent where they were not recorded. */
  readonly view?: RunView | undefined;
}

/** Saved events with the report that they were recorded for. */
export interface SavedEvents {
  readonly report: Report;
  readonly events: ReadonlyMap<RunRecord, readonly RunEvent[]>;
  readonly views: ReadonlyMap<RunRecord, RunView>;
}

/** The runs and inputs read so far. */
interface Reading {
  readonly events: Map<RunRecord, RunEvent[]>;
  readonly views: Map<RunRecord, RunView>;
  readonly bases: Map<string, SessionBasis>;
  readonly unread: UnreadInput[];
  /** The run that was named last, with its events. */
  current?: { readonly record: RunRecord; readonly events: RunEvent[] };
}

/** The version of the shape of saved events. */
export const EVENTS_SCHEMA_VERSION = 3;

/** The marker in the first line of saved events. */
export const EVENTS_KIND = 'compaction-bench events';

const Index = z.int().min(0);
const States = new Set<number>(Object.values(PART_STATES));
const State = z
  .custom<PartState>((value) => typeof value === 'number' && States.has(value))
  .meta({ enum: [...States] });

const Texts = z.object({
  pool: z.array(z.string()),
  parts: z.array(z.int().min(-1)),
  changes: z.array(z.int().min(-1)),
  losses: z.array(z.string()).exactOptional(),
});

const View: z.ZodType<RunView> = z.object({
  kinds: z.array(z.string()),
  kind: z.array(Index),
  tokens: z.array(z.number()),
  came: z.array(Index),
  changes: z.array(z.tuple([Index, State, Index, Index, z.number()])),
  pauses: z.array(z.number()),
  texts: Texts.exactOptional(),
});

/** The saved views of a run's requests. */
const ViewShape = View.refine(fitsTogether, 'does not fit together');

const Header = z.looseObject({
  schemaVersion: z.literal(EVENTS_SCHEMA_VERSION),
  holds: z.literal(EVENTS_KIND),
  provenance: ProvenanceShape,
});

const RunLine = z.looseObject({
  run: z.looseObject({ ...RUN_FIELDS, seed: z.number(), mode: ModeShape.exactOptional() }),
  state: RecordShape.shape.state,
  reason: z.string().exactOptional(),
  impossible: RecordShape.shape.impossible,
  baseline: RecordShape.shape.baseline,
  metrics: RecordShape.shape.metrics,
  edgeTokens: RecordShape.shape.edgeTokens,
  fit: RecordShape.shape.fit,
  paybacks: RecordShape.shape.paybacks,
  summaryFailures: RecordShape.shape.summaryFailures,
  source: SessionBasisShape.omit({ session: true }).exactOptional(),
});

const UnreadLine = z.looseObject({ unread: z.object({ file: z.string(), reason: z.string() }) });

const ViewLine = z.object({ view: ViewShape });

const EventLines: ReadonlyMap<unknown, z.ZodType> = new Map(
  Object.entries(eventTypes).map(([type, { fields }]) => [type, z.looseObject(fields)]),
);

/** Words for a value that is not of the type its schema expects. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ['number', 'no number'],
  ['string', 'no string'],
  ['boolean', 'no boolean'],
  ['array', 'no list'],
  ['object', 'no object'],
]);

/** The first line of saved events; what sessions rest on stands beside their runs. */
export function renderEventsHeader(provenance: Provenance): string {
  const estimators = { ...provenance.estimators, sessions: [] };
  return toLine({
    schemaVersion: EVENTS_SCHEMA_VERSION,
    holds: EVENTS_KIND,
    provenance: { ...provenance, estimators },
  });
}

/** The line of a run, below it one for each of its events, and one for what its requests showed. */
export function renderSavedRun({ record, source, events, view }: SavedRun): string {
  const { state, reason, impossible, baseline, fit, metrics } = record;
  const { edgeTokens, paybacks, summaryFailures } = record;
  const head = {
    run: keyOf(record),
    state,
    ...(reason !== undefined && { reason }),
    ...(impossible !== undefined && { impossible }),
    ...(baseline !== undefined && { baseline }),
    metrics,
    ...(edgeTokens !== undefined && { edgeTokens }),
    ...(fit && { fit }),
    ...(paybacks && { paybacks }),
    ...(summaryFailures && { summaryFailures }),
    ...(source && { source }),
  };
  return [head, ...events, ...(view ? [{ view }] : [])].map(toLine).join('');
}

/** The line of an input that could not be read. */
export function renderSavedUnread({ file, reason }: UnreadInput): string {
  return toLine({ unread: { file, reason } });
}

/** Checks whether a string begins like saved events. */
export function isEventsText(text: string): boolean {
  const end = text.indexOf('\n');
  const first = end < 0 ? text : text.slice(0, end);
  return first.includes(`"holds":"${EVENTS_KIND}"`);
}

/** Saved events of this version; throws where it is none of them. */
export function readEvents(file: string, text: string): SavedEvents {
  const [first = '', ...lines] = text.split('\n');
  const header = readHeader(file, first);
  const reading: Reading = { events: new Map(), views: new Map(), bases: new Map(), unread: [] };
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const fault = readLine(line, reading);
    if (fault !== undefined) throw badEvents(file, `line ${index + 2} is not: ${fault}`);
  }
  const { provenance } = header;
  const estimators = { ...provenance.estimators, sessions: [...reading.bases.values()] };
  const report = {
    schemaVersion: SCHEMA_VERSION,
    provenance: { ...provenance, estimators },
    runs: [...reading.events.keys()],
    unread: reading.unread,
  };
  return { report, events: reading.events, views: reading.views };
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function keyOf({ session, family, ...run }: RunRecord): RunKey {
  const { policy, model, summarizer, seed, mode } = run;
  const named = { session, ...(family !== undefined && { family }) };
  return { ...named, policy, model, summarizer, seed, ...(mode && { mode }) };
}

function readHeader(file: string, line: string): Checked<typeof Header> {
  const value = parseJson(line);
  if (value === undefined) throw badEvents(file, 'its first line is cut off or not JSON');
  const version = z.looseObject({ schemaVersion: z.int() }).safeParse(value).data;
  if (version !== undefined && version.schemaVersion !== EVENTS_SCHEMA_VERSION) {
    const got = `version ${version.schemaVersion}, of another release`;
    throw badEvents(file, `it has ${got}, and this one reads version ${EVENTS_SCHEMA_VERSION}`);
  }
  if (isOf(Header, value)) return value;
  const { error } = Header.safeParse(value);
  throw badEvents(file, `its first line is not: ${describeIssue(error?.issues[0])}`, error);
}

function badEvents(file: string, reason: string, cause?: unknown): HarnessError {
  const path = quotedLong(file);
  const message = `Expected ${path} to be saved events, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}

/** Reads a line and returns its fault; nothing where it was taken. */
function readLine(line: string, reading: Reading): string | undefined {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null) return 'it is not a JSON object';
  if ('type' in value) return addEvent(value, reading);
  if ('view' in value) return addView(value, reading);
  if ('unread' in value) {
    const unread = UnreadLine.safeParse(value);
    if (!unread.success) return describeIssue(unread.error.issues[0]);
    reading.unread.push(unread.data.unread);
    return undefined;
  }
  return addRun(value, reading);
}

function addEvent(value: object, { current }: Reading): string | undefined {
  const fault = faultOfEvent({ ...value });
  if (fault !== undefined) return fault;
  if (current === undefined) return 'its run is not named before it';
  current.events.push(value as unknown as RunEvent);
  return undefined;
}

/** The first field of an event that its schema refuses, in words that follow "but". Fields within objects are not checked. */
function faultOfEvent(value: Readonly<Record<string, unknown>>): string | undefined {
  const line = EventLines.get(value['type']);
  if (line === undefined) return 'it is not an event';
  const issues = line.safeParse(value).error?.issues ?? [];
  const issue = issues.find(({ path }) => typeof path[1] !== 'string');
  return issue && `its '${String(issue.path[0])}' is ${nounOf(issue)}`;
}

function nounOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `none of ${issue.values.join(', ')}`;
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  return issue.path.length > 1 ? 'no list' : (NOUNS.get(expected) ?? 'malformed');
}

function addView(value: object, { current, views }: Reading): string | undefined {
  const line = ViewLine.safeParse(value);
  if (!line.success) return describeIssue(line.error.issues[0]);
  if (current === undefined) return 'its run is not named before it';
  views.set(current.record, line.data.view);
  return undefined;
}

function addRun(value: object, reading: Reading): string | undefined {
  if (!isOf(RunLine, value)) return describeIssue(RunLine.safeParse(value).error?.issues[0]);
  const { run, source, metrics, paybacks, ...rest } = value;
  const { session } = run;
  const record = {
    ...run,
    ...rest,
    metrics: completeMetrics(metrics),
    ...(paybacks && { paybacks }),
  } as unknown as RunRecord;
  if (source) {
    const basis = { session: withoutFolder(session), ...source };
    reading.bases.set(session, basis);
  }
  reading.current = { record, events: [] };
  reading.events.set(record, reading.current.events);
  return undefined;
}

/** Checks whether every number names something that exists. */
function fitsTogether({ kinds, kind, tokens, came, changes, pauses, texts }: RunView): boolean {
  const parts = kind.length;
  return [
    tokens.length === parts && sum(came) === parts && pauses.length === came.length,
    kind.every((index) => index < kinds.length),
    changes.every(([step, , first, many]) => step < came.length && first + many <= parts),
    texts === undefined || fitsTexts(texts, { parts, changes: changes.length }),
  ].every(Boolean);
}

function fitsTexts(
  { pool, parts, changes }: ViewTexts,
  wanted: { readonly parts: number; readonly changes: number },
): boolean {
  const isThere = [...parts, ...changes].every((index) => index < pool.length);
  return isThere && parts.length === wanted.parts && changes.length === wanted.changes;
}
