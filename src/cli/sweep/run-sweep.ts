import { SCHEMA_VERSION } from '../../simulator/report/report.ts';
import type { Cell } from '../../simulator/sweep/grid/cell.ts';
import { identifyPlan, planSweep, type SweepPlan } from '../../simulator/sweep/plan/plan.ts';
import { type Shard, type SweepHeader } from '../../simulator/sweep/store/header.ts';
import { isUnwritable } from '../../simulator/writing.ts';
import { openPool, type Pool } from '../../simulator/sweep/pool/pool.ts';
import { openStore, type ResultStore } from '../../simulator/sweep/store/result-store.ts';
import { countOwnRows, createPlaces, type Places } from '../../simulator/sweep/store/places.ts';
import { isInShard } from '../../simulator/sweep/store/shard.ts';
import type { SweepFolder } from '../../simulator/sweep/summary/read-rows.ts';
import { countsFolder } from '../options/cache-folder.ts';
import type { CliIo } from '../process/io.ts';
import { noInput } from '../inputs/no-input.ts';
import { noteDropped } from '../inputs/note-dropped.ts';
import { type OutFolder, openOutFolder } from '../process/out-folder.ts';
import { printNote } from '../process/output.ts';
import { readVersion } from '../inputs/package-files.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import { withRunProgress } from './run-progress.ts';
import type { SweepGrid } from './grid.ts';
import { type QueueChoice, runSomewhere } from './queue.ts';

/** How a sweep is carried out. */
export interface SweepOptions {
  readonly jobs: number;
  readonly shard: Shard;
  /** Where its rows are kept; a folder that goes by default. */
  readonly out?: string | undefined;
  /** The queue whose workers run it; this process by default. */
  readonly queue?: QueueChoice | undefined;
}

/** What is to be swept, and how. */
interface SweepWork {
  readonly grid: SweepGrid;
  readonly inputs: RunInputs;
  readonly options: SweepOptions;
}

/** A sweep with all that its rows are made with. */
interface Filling {
  readonly plan: SweepPlan;
  readonly header: SweepHeader;
  readonly grid: SweepGrid;
  readonly options: SweepOptions;
  readonly pool: Pool | undefined;
  readonly out: OutFolder;
}

/** Runs a sweep, or what is left of it, and lets somebody use its folder; `undefined` if the user wanted to stop. */
export async function runSweep<Result>(
  work: SweepWork,
  io: CliIo,
  use: (found: SweepFolder) => Promise<Result>,
): Promise<Result | undefined> {
  // Threads make themselves ready while the sessions are read.
  const pool = openOwnPool(work, io);
  try {
    return await runIn(pool, { work, io, use });
  } finally {
    await pool?.close();
  }
}

/** Threads of this process, for what asks no real model; none where a queue has workers of its own. */
function openOwnPool({ grid, options }: SweepWork, io: CliIo): Pool | undefined {
  if (options.queue !== undefined) return undefined;
  const { cells, models } = grid;
  const isLive = ({ summarizer }: Cell) => models?.askedFor.has(summarizer) === true;
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  return openPool({
    cells: cells.filter((cell) => !isLive(cell)),
    jobs: options.jobs,
    cacheFolder,
  });
}

async function runIn<Result>(
  pool: Pool | undefined,
  {
    work,
    io,
    use,
  }: {
    readonly work: SweepWork;
    readonly io: CliIo;
    readonly use: (found: SweepFolder) => Promise<Result>;
  },
): Promise<Result | undefined> {
  const { grid, inputs, options } = work;
  const plan = await planSweep({ ...inputs, ...grid, signal: io.signal });
  if (plan === undefined) return undefined;
  noteDropped(io, plan.dropped);
  const unread = [...inputs.unread, ...plan.unread];
  const header = toHeader({ ...plan, unread }, grid, options);
  if (plan.sessions.length === 0) throw noInput(header.unread);
  const out = openOutFolder(options.out);
  try {
    const store = openStore(out.path, header);
    out.hold();
    const isWhole = await fillStore(store, { plan, header, grid, options, pool, out }, io);
    return isWhole ? await use({ folder: out.path, header }) : undefined;
  } catch (error) {
    out.takeBack();
    throw error;
  } finally {
    out.close();
  }
}

function toHeader(plan: SweepPlan, grid: SweepGrid, { shard }: SweepOptions): SweepHeader {
  const version = readVersion();
  const { source, hash } = grid.catalog;
  return {
    schemaVersion: SCHEMA_VERSION,
    sweep: identifyPlan(plan, version),
    version,
    mode: grid.mode,
    shard,
    catalog: { source, hash },
    axes: grid.axes,
    seeds: plan.seeds,
    cells: plan.cells,
    sessions: plan.sessions.map(({ ref, skipped, sharedMessages, recordedModel }) => ({
      name: ref.name,
      hash: ref.hash,
      ...(skipped !== undefined && { skipped }),
      ...(sharedMessages !== undefined && { sharedMessages }),
      ...(recordedModel !== undefined && { recordedModel }),
      ...(ref.family !== undefined && { family: ref.family }),
    })),
    unread: plan.unread,
  };
}

/** Whether all rows of the shard are there now. */
async function fillStore(store: ResultStore, filling: Filling, io: CliIo): Promise<boolean> {
  try {
    await addRows(store, filling, io);
  } catch (error) {
    leave(store, filling, io);
    throw error;
  }
  if (store.count === countOwnRows(filling.header)) {
    finish(store, filling, io);
    return true;
  }
  leave(store, filling, io);
  return false;
}

async function addRows(store: ResultStore, filling: Filling, io: CliIo): Promise<void> {
  const { header, grid, options, pool } = filling;
  const places = createPlaces(header);
  const isOurs = ownRows(header, places);
  const total = countOwnRows(header);
  const isRun = (place: number) => header.sessions[places.sessionOf(place)]?.skipped === undefined;
  const isDone = (place: number) => !isOurs(place) || store.has(place);
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  const { queue } = options;
  const checkKept = () => store.checkKept();
  const runOptions = { pool, queue, isDone, checkKept, cacheFolder, signal: io.signal };
  await withRunProgress(io, async (show) => {
    let ran = 0;
    for await (const run of runSomewhere({ ...filling, models: grid.models }, runOptions, io)) {
      store.add(run);
      if (isRun(run.place)) ran += 1;
      show({ done: store.count, total, ran });
      if (io.signal.aborted) break;
    }
  });
}

/** Rows that cannot be put in their order stay as they were added. */
function finish(store: ResultStore, filling: Filling, io: CliIo): void {
  try {
    store.finish();
  } catch (error) {
    if (isUnwritable(error)) noteKept(filling, io);
    throw error;
  }
}

/** What is finished is kept, for the same command to go on with. */
function leave(store: ResultStore, filling: Filling, io: CliIo): void {
  store.close();
  if (store.count === 0) filling.out.takeBack();
  else noteKept(filling, io);
}

function noteKept({ options }: Filling, io: CliIo): void {
  if (options.out !== undefined) {
    printNote(io, 'What is finished is kept: the same command goes on from there.');
  }
}

function ownRows(header: SweepHeader, places: Places): (place: number) => boolean {
  const isOwn = header.sessions.map(({ hash }) => isInShard(hash, header.shard));
  return (place) => isOwn[places.sessionOf(place)] === true;
}
