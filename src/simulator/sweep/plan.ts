import { groupBy, known } from '../lib/collections.ts';
import { shortHash } from '../lib/json.ts';
import { compareTexts } from '../lib/text.ts';
import type { UnreadInput } from '../report/report.ts';
import { byName, describeCopy, findRepeats, type RepeatsByName } from '../session/find-copies.ts';
import type { ImportReport } from '../session/session.ts';
import type { SetupOf } from '../setup/setup.ts';
import type { Cell } from './grid.ts';
import { type ScanOptions, scanFiles } from './pool/scan-files.ts';
import { contentFor } from '../summarizer/summarizers.ts';
import { toFinished, unrun } from './run/row.ts';
import { createMeeting, type ReadRun, tightestFirst } from './run/run-task.ts';
import { byId, type FinishedRun, type FoundSession, type SweepTask, taskOf } from './run/task.ts';

export interface PlanOptions extends ScanOptions {
  readonly cacheFolder?: string | undefined;
  readonly cells: readonly Cell[];
  readonly recorded?: { readonly cells: readonly Cell[]; readonly isAsked: boolean } | undefined;
  readonly seeds: readonly number[];
  readonly setupOf?: SetupOf | undefined;
  readonly nameOf?: ((path: string) => string) | undefined;
}

/** A session; `skipped` says why it is not run. */
export type PlannedSession = ReturnType<typeof toPlanned>;

/** Everything that a sweep will do; the same for the same files and cells, on any machine. */
export interface SweepPlan {
  readonly cells: readonly Cell[];
  readonly seeds: readonly number[];
  readonly sessions: readonly PlannedSession[];
  readonly unread: readonly UnreadInput[];
  /** Unreadable lines of read sessions, one list for each. */
  readonly dropped: readonly ImportReport['dropped'][];
}

/** Returns true if the row of a place exists, or is nobody's matter. */
export type IsDone = (place: number) => boolean;

/** Runs that differ, in one piece of a task. */
const RUNS_PER_PIECE = 10;
/** A session of this size takes longer to run in all cells than to be prepared by another thread. */
const LARGE_SESSION_CHARS = 200_000;

/** Reads what the files hold and plans their runs; `undefined` if somebody wanted to stop. */
export async function planSweep(options: PlanOptions): Promise<SweepPlan | undefined> {
  const { recorded, seeds, setupOf, nameOf = (path: string) => path } = options;
  const scan = await scanFiles({
    traces: tracesOf(options),
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

/** Which sweep it is: the same for all shards of one, and for any number of workers. */
export function identifyPlan({ cells, seeds, sessions, unread }: SweepPlan, version: string) {
  const ids = cells.map(({ id }) => id);
  const names = sessions.map(({ ref: { name, hash, family, setup }, skipped = '' }) =>
    [name, hash, skipped, family, setup].filter((part) => part !== undefined),
  );
  return shortHash([version, ids, seeds, names, unread.map(({ file, reason }) => [file, reason])]);
}

export function doneIn(
  { cells, seeds }: SweepPlan,
  isWanted: (cell: Cell) => boolean,
  isDone: IsDone,
): IsDone {
  const areWanted = cells.map(isWanted);
  return (place) => {
    const cell = Math.floor(place / seeds.length) % cells.length;
    return areWanted[cell] !== true || isDone(place);
  };
}

export function* tasksOf(
  plan: SweepPlan,
  indices: Iterable<number>,
  isDone: IsDone,
): Generator<SweepTask, void, void> {
  for (const index of indices) {
    const session = plan.sessions[index];
    if (session === undefined || session.skipped !== undefined) continue;
    const runs = runsOf(plan, index, isDone);
    if (runs.length > 0) yield taskOf(session.ref, runs);
  }
}

export function* skippedRows(
  plan: SweepPlan,
  indices: Iterable<number>,
  isDone: IsDone,
): Generator<FinishedRun, void, void> {
  const cells = byId(plan.cells);
  for (const index of indices) {
    const { ref, skipped } = plan.sessions[index] ?? {};
    if (ref === undefined || skipped === undefined) continue;
    for (const run of runsOf(plan, index, isDone))
      yield toFinished(ref, createMeeting(ref, cells).meet(run), unrun('skipped', skipped));
  }
}

/** A large session keeps no thread alone at the end: its cells are shared out. */
export function* splitTasks(
  plan: SweepPlan,
  tasks: Iterable<SweepTask>,
): Generator<SweepTask, void, void> {
  const cells = byId(plan.cells);
  const sizes = new Map(plan.sessions.map(({ ref, size }) => [ref.name, size]));
  for (const task of tasks) {
    const isLarge = (sizes.get(task.session.name) ?? 0) >= LARGE_SESSION_CHARS;
    if (isLarge) yield* splitTask(task, createMeeting(task.session, cells).read);
    else yield task;
  }
}

/** A task in pieces of a few runs each; runs that read the same stay together. */
export function* splitTask(
  { session, runs }: SweepTask,
  readRun: ReadRun,
): Generator<SweepTask, void, void> {
  const groups = groupBy(tightestFirst(runs, readRun), (run) => {
    const { calmKey, limits } = readRun(run);
    return JSON.stringify([calmKey, limits, run.seed]);
  });
  const all = [...groups.values()];
  for (let start = 0; start < all.length; start += RUNS_PER_PIECE)
    yield taskOf(session, all.slice(start, start + RUNS_PER_PIECE).flat());
}

/** Traces that runs of cells need; none where none of them is on sizes alone. */
function tracesOf({ cacheFolder, cells }: PlanOptions) {
  const sized = cells.filter(({ summarizer }) => contentFor(summarizer) === 'sizes');
  if (cacheFolder === undefined || sized.length === 0) return undefined;
  const models = sized.map(({ onSetup, model }) => (onSetup ? null : model.id));
  return { cacheFolder, models: [...new Set(models)] };
}

function runsOf({ cells, seeds }: SweepPlan, index: number, isDone: IsDone) {
  const first = index * cells.length * seeds.length;
  return cells
    .flatMap(({ id }, cell) =>
      seeds.map((seed, trial) => ({ cell: id, seed, place: first + cell * seeds.length + trial })),
    )
    .filter(({ place }) => !isDone(place));
}

function toPlanned(
  { place, hash, candidate, recordedModel, evidence, story }: FoundSession,
  { copies, shared, families }: RepeatsByName,
  { nameOf, setupOf }: Pick<PlanOptions, 'setupOf'> & { readonly nameOf: (path: string) => string },
) {
  const { name, size, format } = candidate;
  const copy = copies.get(name);
  const family = families.get(name);
  return {
    ref: {
      ...place,
      name: nameOf(name),
      hash,
      ...(setupOf && { setup: setupOf(evidence, place.file) }),
      ...known({ family: family === undefined ? undefined : nameOf(family) }),
    },
    size,
    story,
    recordedBy: { format, ...known({ release: evidence.release }) },
    ...known({
      skipped: copy && describeCopy(copy, nameOf),
      sharedMessages: shared.get(name)?.messages,
      recordedModel,
    }),
  };
}
