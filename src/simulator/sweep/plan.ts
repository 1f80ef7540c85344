import { groupBy } from '../lib/collections.ts';
import { shortHash } from '../lib/json.ts';
import { compareTexts } from '../lib/text.ts';
import type { UnreadInput } from '../report/report.ts';
import { byName, describeCopy, findRepeats, type RepeatsByName } from '../session/find-copies.ts';
import type { SetupOf } from '../setup/setup.ts';
import type { ImportReport } from '../session/session.ts';
import type { SessionStory } from '../session/story.ts';
import type { Cell } from './grid.ts';
import { type ScanOptions, scanFiles } from './pool/scan-files.ts';
import { type ReadRun, tightestFirst } from './run/run-task.ts';
import {
  type FoundSession,
  type SessionRef,
  type SweepTask,
  taskOf,
  type TaskRun,
} from './run/task.ts';

/** The contents of a sweep. */
export interface PlanOptions extends ScanOptions {
  readonly cells: readonly Cell[];
  /** Cells of sessions as they were recorded, which come last. */
  readonly recorded?: RecordedCells | undefined;
  /** One trial of each cell a seed. */
  readonly seeds: readonly number[];
  /** Decides the setup of a session of a file; nothing is known of sessions without it. */
  readonly setupOf?: SetupOf | undefined;
  /** How a path, or the name of a session, is shown; as given by default. */
  readonly nameOf?: ((path: string) => string) | undefined;
}

/** Cells of sessions as recorded, and if they were asked for; others are left out where no session has usage. */
interface RecordedCells {
  readonly cells: readonly Cell[];
  readonly isAsked: boolean;
}

/** A session of a sweep. */
export interface PlannedSession {
  readonly ref: SessionRef;
  readonly size: number;
  /** Why it is not run; absent for one that is. */
  readonly skipped?: string;
  /** How many messages from its first another session holds as well; absent where none does. */
  readonly sharedMessages?: number;
  /** `provider/model` of most of its steps; absent where none names one. */
  readonly recordedModel?: string;
  readonly story: SessionStory;
  /** Its recorded format, and the newest release of the agent; the release is absent if not recorded. */
  readonly recordedBy: { readonly format: string; readonly release?: readonly number[] };
}

/** Everything that a sweep will do; the same for the same files and cells, on any machine. */
export interface SweepPlan {
  readonly cells: readonly Cell[];
  readonly seeds: readonly number[];
  /** By name. */
  readonly sessions: readonly PlannedSession[];
  readonly unread: readonly UnreadInput[];
  /** Unreadable lines of read sessions, one list for each. */
  readonly dropped: readonly ImportReport['dropped'][];
}

/** The base of a session's order. */
interface OrderedSession {
  readonly ref: Pick<PlannedSession['ref'], 'file'>;
  readonly size: number;
}

/** Runs that differ, in one piece of a task. */
const RUNS_PER_PIECE = 10;

/** Reads what the files hold and plans their runs; `undefined` if somebody wanted to stop. */
export async function planSweep(options: PlanOptions): Promise<SweepPlan | undefined> {
  const { recorded, seeds, setupOf, nameOf = (path: string) => path } = options;
  const scan = await scanFiles({
    ...options,
    onFile: (file, index) => options.onFile?.(nameOf(file), index),
  });
  if (scan === undefined) return undefined;
  const repeats = byName(findRepeats(scan.sessions.map(({ candidate }) => candidate)));
  const sessions = scan.sessions.map((found) => toPlanned(found, repeats, { nameOf, setupOf }));
  const hasRecorded = recorded?.isAsked || scan.sessions.some(({ evidence }) => evidence.hasUsage);
  return {
    cells: [...options.cells, ...(hasRecorded ? (recorded?.cells ?? []) : [])],
    seeds,
    sessions: sessions.toSorted((a, b) => compareTexts(a.ref.name, b.ref.name)),
    unread: scan.unread.map(({ file, reason }) => ({ file: nameOf(file), reason })),
    dropped: scan.sessions.map(({ dropped }) => dropped),
  };
}

/** Rows that a plan comes to. */
export function countRows({ sessions, cells, seeds }: SweepPlan): number {
  return sessions.length * cells.length * seeds.length;
}

/** The runs of the session of that index, without those whose rows are there. */
export function toTask(
  { cells, seeds, sessions }: SweepPlan,
  index: number,
  isDone: (place: number) => boolean,
): SweepTask | undefined {
  const session = sessions[index];
  if (session === undefined) return undefined;
  const first = index * cells.length * seeds.length;
  const all: readonly TaskRun[] = cells.flatMap(({ id }, cellIndex) =>
    seeds.map((seed, trial) => ({
      cell: id,
      seed,
      place: first + cellIndex * seeds.length + trial,
    })),
  );
  const runs = all.filter(({ place }) => !isDone(place));
  return runs.length === 0 ? undefined : taskOf(session.ref, runs);
}

/** Which sweep it is: the same for all shards of one, and for any number of workers. */
export function identifyPlan(
  { cells, seeds, sessions, unread }: SweepPlan,
  version: string,
): string {
  const ids = cells.map(({ id }) => id);
  const names = sessions.map(({ ref: { name, hash, family, setup }, skipped }) => [
    name,
    hash,
    skipped ?? '',
    ...(family === undefined ? [] : [family]),
    ...(setup === undefined ? [] : [setup]),
  ]);
  return shortHash([version, ids, seeds, names, unread.map(({ file, reason }) => [file, reason])]);
}

/**
 * Sessions by their indices, large ones first, so that small ones are left to fill up the end. Those of one file follow
 * one another, for who has read it has all of them; their largest says when their turn is.
 */
export function largestFirst(
  sessions: readonly OrderedSession[],
  indices: readonly number[],
): readonly number[] {
  const sizeOf = (index: number | undefined) => sessions[index ?? -1]?.size ?? 0;
  const bySize = indices.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return [...groupBy(bySize, (index) => sessions[index]?.ref.file).values()].flat();
}

/**
 * A task in pieces of a few runs each, those first that tell most of others. Runs that read the same stay in one
 * piece, for they are made once.
 */
export function* splitTask(
  { session, runs }: SweepTask,
  readRun: ReadRun,
): Generator<SweepTask, void, void> {
  const groups = groupBy(tightestFirst(runs, readRun), (run) => {
    const { key, limits } = readRun(run);
    return JSON.stringify([key, limits, run.seed]);
  });
  const all = [...groups.values()];
  for (let start = 0; start < all.length; start += RUNS_PER_PIECE) {
    yield taskOf(session, all.slice(start, start + RUNS_PER_PIECE).flat());
  }
}

function toPlanned(
  { place, hash, candidate: { name, size, format }, recordedModel, evidence, story }: FoundSession,
  { copies, shared, families }: RepeatsByName,
  { nameOf, setupOf }: Pick<PlanOptions, 'setupOf'> & { readonly nameOf: (path: string) => string },
): PlannedSession {
  const sharedMessages = shared.get(name)?.messages;
  const copy = copies.get(name);
  const family = families.get(name);
  const { release } = evidence;
  return {
    ref: {
      ...place,
      name: nameOf(name),
      hash,
      ...(setupOf && { setup: setupOf(evidence, place.file) }),
      ...(family !== undefined && { family: nameOf(family) }),
    },
    size,
    story,
    recordedBy: { format, ...(release && { release }) },
    ...(copy && { skipped: describeCopy(copy, nameOf) }),
    ...(sharedMessages !== undefined && { sharedMessages }),
    ...(recordedModel !== undefined && { recordedModel }),
  };
}
