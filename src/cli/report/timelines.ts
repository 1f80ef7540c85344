import { badOption, HarnessError, messageOf } from '../../simulator/errors.ts';
import type { RunEvent } from '../../simulator/events.ts';
import type { RunRecord } from '../../simulator/metrics/record.ts';
import { nearestNames, quoted } from '../../simulator/names.ts';
import type { RunView } from '../../simulator/report/saved/run-view.ts';
import type { Saved } from '../../simulator/report/saved/saved.ts';
import { openNamed } from '../../simulator/session/named-session.ts';
import type { Session } from '../../simulator/session/session.ts';
import {
  loadCounts,
  type PreparedSession,
  prepareSession,
} from '../../simulator/sweep/run/controls.ts';
import { type Repeated, repeatRow } from '../../simulator/sweep/run/repeat-row.ts';
import { hashSession } from '../../simulator/sweep/plan/scan.ts';
import type { ResultRow } from '../../simulator/sweep/result-row.ts';
import { hasHeader } from '../../simulator/sweep-files.ts';
import { readHeader, type SweepHeader } from '../../simulator/sweep/store/header.ts';
import { readRows } from '../../simulator/sweep/summary/read-rows.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';
import { pathInPackage } from '../inputs/package-files.ts';
import { withCounters } from '../options/counters.ts';
import type { CliIo } from '../process/io.ts';
import { printNote } from '../process/output.ts';

/** What somebody wants pictures of. */
export interface TimelineOptions {
  /** What was read. */
  readonly files: readonly string[];
  /** Sessions by their names. */
  readonly names: readonly string[];
  readonly hasTexts: (session: string) => boolean;
}

/** What rows are drawn with. */
interface Drawing extends Pick<TimelineOptions, 'hasTexts'> {
  readonly header: SweepHeader;
  readonly sessions: ReadonlyMap<string, PreparedSession>;
}

const LONGEST_NAME = 200;

/** A sweep with pictures of some sessions, whose runs are made again; throws where that cannot be. */
export async function addTimelines(
  saved: Saved,
  { files, names, hasTexts }: TimelineOptions,
  io: CliIo,
): Promise<Saved> {
  if (names.length === 0) return saved;
  const [folder = ''] = files;
  if (saved.kind !== 'sweep' || !hasHeader(folder)) {
    throw badOption(
      "Expected '--timeline' to come with the folder of a sweep, got something else.",
    );
  }
  const header = readHeader(folder);
  const drawn = await withCounters(io, async (counters) => {
    const sessions = new Map<string, PreparedSession>();
    for (const name of names) sessions.set(name, await prepare(name, header, counters));
    return await drawRows(readRows({ folder, header }), { header, sessions, hasTexts });
  });
  for (const reason of drawn.reasons) printNote(io, reason);
  return { ...saved, ...drawn };
}

async function drawRows(all: Iterable<ResultRow>, { header, sessions, hasTexts }: Drawing) {
  const rows: ResultRow[] = [];
  const events = new Map<RunRecord, readonly RunEvent[]>();
  const views = new Map<RunRecord, RunView>();
  const reasons = new Set<string>();
  for (const row of all) {
    rows.push(row);
    const session = sessions.get(row.session);
    const cell = header.cells.find(({ id }) => id === row.cell);
    if (session === undefined || cell === undefined) continue;
    const options = { cell, hasTexts: hasTexts(row.session) };
    const found = await tryRepeat(() => repeatRow(row, session, options));
    if (found.state === 'same') {
      events.set(row, found.events);
      views.set(row, found.view);
    } else {
      const of = quoted(row.session, LONGEST_NAME);
      reasons.add(`Some runs of ${of} have no timeline: ${found.reason}.`);
    }
  }
  return { rows, events, views, reasons };
}

/** A run that breaks leaves the others their pictures. */
async function tryRepeat(repeat: () => Promise<Repeated>): Promise<Repeated> {
  try {
    return await repeat();
  } catch (error) {
    return { state: 'other', reason: messageOf(error) };
  }
}

async function prepare(
  name: string,
  { sessions, cells }: SweepHeader,
  counters: Counters,
): Promise<PreparedSession> {
  const known = sessions.find((session) => session.name === name);
  if (known === undefined) {
    const all = sessions.map((session) => session.name);
    const nearest = nearestNames(name, all).join(', ');
    const got = quoted(name, LONGEST_NAME);
    throw badOption(`Expected '--timeline' to name a session, got ${got}; nearest: ${nearest}.`);
  }
  const session = { ...loadShown(name), name };
  if (hashSession(session) !== known.hash) {
    const got = quoted(name, LONGEST_NAME);
    throw badOption(`Expected ${got} to be as the sweep read it, but it has changed since.`);
  }
  const modelIds = new Set(cells.map(({ model }) => model.id));
  return prepareSession(session, await loadCounts(counters, modelIds));
}

/** A session by the name that it was shown by: as it was given, or from the package on. */
function loadShown(name: string): Session {
  const given = openNamed(name);
  if (given.state === 'read') return given.session;
  const shipped = openNamed(pathInPackage(name));
  if (shipped.state === 'read') return shipped.session;
  throw new HarnessError('NO_INPUT', given.reason);
}
