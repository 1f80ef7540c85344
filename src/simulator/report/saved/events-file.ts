/** The file of saved events: its header and its runs. */

import type { RunEvent } from '../../events.ts';
import type { RunKey, RunRecord } from '../../metrics/record.ts';
import type { Provenance, Report, SessionSource, UnreadInput } from '../report.ts';
import type { RunView } from './run-view.ts';

/** One run with its events, as it is saved. */
export interface SavedRun {
  readonly record: RunRecord;
  /** Absent for a session that was not run. */
  readonly source?: SessionSource | undefined;
  readonly events: readonly RunEvent[];
  /** What its requests showed; absent where nobody looked. */
  readonly view?: RunView | undefined;
}

/** Saved events with the report that they were recorded for. */
export interface SavedEvents {
  readonly report: Report;
  readonly events: ReadonlyMap<RunRecord, readonly RunEvent[]>;
  readonly views: ReadonlyMap<RunRecord, RunView>;
}

/** The version of the shape of saved events. */
export const EVENTS_SCHEMA_VERSION = 2;

/** What the first line of saved events says that they are. */
export const EVENTS_KIND = 'compaction-bench events';

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
  const { state, reason, metrics, paybacks, summaryFailures } = record;
  const head = {
    run: keyOf(record),
    state,
    ...(reason !== undefined && { reason }),
    metrics,
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

function keyOf({ session, family, ...run }: RunRecord): RunKey {
  const { policy, model, summarizer, seed, mode } = run;
  const named = { session, ...(family !== undefined && { family }) };
  return { ...named, policy, model, summarizer, seed, ...(mode && { mode }) };
}

function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
