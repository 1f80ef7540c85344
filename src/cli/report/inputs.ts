import { HarnessError, unlessWrongInput } from '../../simulator/errors.ts';
import { quotedLong } from '../../simulator/names.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import type { SavedEvents } from '../../simulator/report/saved/events-file.ts';
import { mergeRuns } from '../../simulator/report/saved/merge-runs.ts';
import { readSaved } from '../../simulator/report/saved/read-saved.ts';
import type { Saved } from '../../simulator/report/saved/saved.ts';
import { statOf } from '../../simulator/stat-of.ts';
import { readNamedFile } from '../../simulator/text-file.ts';
import { hasHeader, hasRows } from '../../simulator/sweep-files.ts';
import { readHeader } from '../../simulator/sweep/store/header.ts';
import { HEADER_FILE } from '../../simulator/sweep-files.ts';
import { readRows } from '../../simulator/sweep/summary/read-rows.ts';
import { summariseSweep } from '../../simulator/sweep/summary/summarise.ts';
import { noInput } from '../inputs/no-input.ts';

/** What some files come to, or why they cannot stand in one report. */
export type FoundReport =
  | { readonly state: 'found'; readonly saved: Saved; readonly unread: readonly UnreadInput[] }
  | { readonly state: 'refused'; readonly reason: string };

type Read =
  | { readonly state: 'read'; readonly saved: Saved }
  | { readonly state: 'unread'; readonly unread: UnreadInput };

/** Reads what commands have saved, as one report; throws where nothing could be read. */
export function readReportInputs(files: readonly string[]): FoundReport {
  const read = files.map(tryRead);
  const found = read.flatMap((one) => (one.state === 'read' ? [one.saved] : []));
  const unread = read.flatMap((one) => (one.state === 'unread' ? [one.unread] : []));
  const [first] = found;
  if (first === undefined) throw noInput(unread);
  if (found.length === 1) return { state: 'found', saved: first, unread };
  const runs = found.flatMap((one): readonly SavedEvents[] => (one.kind === 'runs' ? [one] : []));
  if (runs.length < found.length) {
    const reason = "only events and reports of 'run' can be put together; of others name one";
    return { state: 'refused', reason };
  }
  const merged = mergeRuns(runs);
  if (merged?.state !== 'merged') return { state: 'refused', reason: merged?.reason ?? 'none' };
  return { state: 'found', saved: { kind: 'runs', ...merged.saved }, unread };
}

/** One bad file among several does not stop the others. */
function tryRead(file: string): Read {
  const saved = unlessWrongInput(() => (isFolder(file) ? readFolder(file) : readFile(file)));
  if (!(saved instanceof HarnessError)) return { state: 'read', saved };
  return { state: 'unread', unread: { file, reason: saved.message } };
}

function isFolder(file: string): boolean {
  return statOf(file)?.isDirectory() ?? false;
}

/** A sweep that still runs has the rows that it has written. */
function readFolder(folder: string): Saved {
  if (!hasHeader(folder)) throw noSweep(folder);
  const header = readHeader(folder);
  const rows = hasRows(folder) ? [...readRows({ folder, header })] : [];
  const report = summariseSweep(header, rows);
  return { kind: 'sweep', report, rows, events: new Map(), views: new Map() };
}

function noSweep(folder: string): HarnessError {
  return new HarnessError(
    'BAD_RESULTS',
    `Expected ${quotedLong(folder)} to be a file that a command has saved or a folder that 'sweep --out' wrote, got a folder without ${HEADER_FILE}; 'run' reports on recorded sessions.`,
  );
}

function readFile(file: string): Saved {
  return readSaved(file, readNamedFile(file));
}
