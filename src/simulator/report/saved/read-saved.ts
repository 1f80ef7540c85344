import * as z from 'zod';
import { HarnessError } from '../../errors.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { isObject } from '../../is-object.ts';
import { quotedLong } from '../../names.ts';
import { parseJson } from '../../parse-json.ts';
import { CHECK_SCHEMA_VERSION, type CheckReport } from '../check/check-report.ts';
import { type Report, SCHEMA_VERSION } from '../report.ts';
import type { SweepReport, SweepRow } from '../sweep/sweep-report.ts';
import { SUMMARIZERS_VERSION, type SummarizersReport } from '../summarizers/summarizers-report.ts';
import { CheckShape } from './check-shape.ts';
import type { SavedEvents } from './events-file.ts';
import { isEventsText, readEvents } from './read-events.ts';
import { completeMetrics, ProvenanceShape, RecordShape } from './record-shape.ts';
import { SummarizersShape } from './summarizers-shape.ts';
import { SweepShape } from './sweep-shape.ts';
import { describeIssue } from '../../schema-issue.ts';

/** What was saved by a command, ready to be rendered again. */
export type Saved =
  | ({ readonly kind: 'runs' } & SavedEvents)
  | { readonly kind: 'check'; readonly report: CheckReport }
  | { readonly kind: 'summarizers'; readonly report: SummarizersReport }
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
  unread: z.array(z.looseObject({ file: z.string(), reason: z.string() })),
});

/** What a file holds, told by what stands in it; throws where no command has written it. */
export function readSaved(file: string, text: string): Saved {
  if (isEventsText(text)) return { kind: 'runs', ...readEvents(file, text) };
  const value = parse(file, text);
  if ('provenance' in value && 'runs' in value) return readRuns(file, value);
  if ('scenarios' in value && 'passed' in value) {
    const report = checked(file, CheckShape, { value, newest: CHECK_SCHEMA_VERSION });
    return { kind: 'check', report: report as unknown as CheckReport };
  }
  if ('cells' in value && 'knobs' in value) return readSweep(file, value);
  if ('summarizersVersion' in value && 'arms' in value) return readSummarizers(file, value);
  throw badSaved(file, 'it is none of them');
}

function readRuns(file: string, value: object): Saved {
  const document = checked(file, RunsShape, { value, newest: SCHEMA_VERSION });
  const runs = document.runs.map(withMetrics) as unknown as readonly RunRecord[];
  const report = { ...document, runs } as unknown as Report;
  return { kind: 'runs', report, events: new Map(), views: new Map() };
}

function readSweep(file: string, value: object): Saved {
  const document = checked(file, SweepShape, { value, newest: SCHEMA_VERSION });
  const { sessions, cells, ...rest } = document;
  const report = { ...rest, cells: cells.map(withMetrics) } as unknown as SweepReport;
  const rows = sessions.map(withMetrics) as unknown as SweepRow[];
  return { kind: 'sweep', report, rows, events: new Map(), views: new Map() };
}

function readSummarizers(file: string, value: object): Saved {
  const newest = SUMMARIZERS_VERSION;
  const report = checked(file, SummarizersShape, { value, newest, version: 'summarizersVersion' });
  return { kind: 'summarizers', report: report as unknown as SummarizersReport };
}

function withMetrics<Row extends { readonly metrics: Readonly<Record<string, number | null>> }>(
  row: Row,
) {
  return { ...row, metrics: completeMetrics(row.metrics) };
}

function parse(file: string, text: string): object {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw badSaved(file, value === undefined ? 'it is not JSON' : 'it is none of them');
}

/** A document with where its version stands. */
interface Versioned {
  readonly value: object;
  readonly newest: number;
  readonly version?: string;
}

function checked<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  { value, newest, version: field = 'schemaVersion' }: Versioned,
): z.infer<Schema> {
  const version: unknown = Object.entries(value).find(([key]) => key === field)?.[1];
  if (typeof version === 'number' && version > newest) {
    throw badSaved(file, `it has version ${version}, and this release reads up to ${newest}`);
  }
  const result = schema.safeParse(value);
  // As it stands there, so that it is rendered again with its keys in their order.
  if (result.success) return value as z.infer<Schema>;
  const [issue] = result.error.issues;
  throw badSaved(file, `it is broken, at ${describeIssue(issue)}`, result.error);
}

function badSaved(file: string, reason: string, cause?: unknown): HarnessError {
  const path = quotedLong(file);
  const expected = `saved events, a JSON report of 'run', 'check', 'sweep' or 'summarizers', or a sweep's folder`;
  return new HarnessError('BAD_RESULTS', `Expected ${path} to be ${expected}, but ${reason}.`, {
    cause,
  });
}
