import { badOption } from '../simulator/lib/errors.ts';
import { known } from '../simulator/lib/collections.ts';
import { isUnwritable } from '../simulator/lib/files.ts';
import { quotedLong } from '../simulator/lib/names.ts';
import { MS_PER_SECOND } from '../simulator/lib/units.ts';
import { SCHEMA_VERSION } from '../simulator/report/report.ts';
import { identifyPlan, planSweep, type SweepPlan } from '../simulator/sweep/plan.ts';
import { openPool, type Pool } from '../simulator/sweep/pool/pool.ts';
import { runQueued } from '../simulator/sweep/queue/run-queued.ts';
import { runPlan } from '../simulator/sweep/run-plan.ts';
import type { FinishedRun } from '../simulator/sweep/run/task.ts';
import { isInShard, type Shard, type SweepHeader } from '../simulator/sweep/store/header.ts';
import {
  countOwnRows,
  createPlaces,
  type SweepFolder,
} from '../simulator/sweep/store/read-rows.ts';
import { openStore, type ResultStore } from '../simulator/sweep/store/result-store.ts';
import { noInput, noteDropped, type RunInputs } from './inputs.ts';
import { readVersion } from './package.ts';
import { findLiveCells } from './plan/live.ts';
import type { Plan } from './plan/plan.ts';
import { type CliIo, printNote } from './process/io.ts';
import { countsFolder, openOutFolder, type OutFolder } from './process/out-folder.ts';
import { shownLeft, withProgress } from './process/progress.ts';

interface Work {
  readonly grid: Plan;
  readonly inputs: RunInputs;
  readonly jobs: number;
  readonly shard: Shard;
  /** By default one that goes. */
  readonly folder?: string | undefined;
  /** By default this process runs it. */
  readonly queue?: string | undefined;
  readonly anonymous?: boolean | undefined;
}

interface Filling extends Work {
  readonly plan: SweepPlan;
  readonly header: SweepHeader;
  readonly pool: Pool | undefined;
  readonly out: OutFolder;
}

/** Of them `ran` took time now. */
interface RunsDone {
  readonly done: number;
  readonly total: number;
  readonly ran: number;
}

/** Runs what is left of a sweep, and uses its folder; `undefined` if the user wanted to stop. */
export async function runSweep<Result>(
  work: Work,
  io: CliIo,
  use: (found: SweepFolder) => Promise<Result>,
): Promise<Result | undefined> {
  // Threads make themselves ready while the sessions are read; a queue has workers of its own.
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  const pool = work.queue === undefined ? openPool({ jobs: work.jobs, cacheFolder }) : undefined;
  try {
    const { grid, inputs } = work;
    const plan = await planSweep({ ...inputs, ...grid, signal: io.signal });
    if (plan === undefined) return undefined;
    noteDropped(io, plan.dropped);
    const header = toHeader({ ...plan, unread: [...inputs.unread, ...plan.unread] }, work);
    if (plan.sessions.length === 0) throw noInput(header.unread);
    const out = openOutFolder(work.folder);
    try {
      const store = openStore(out.path, header);
      if (grid.adapter !== undefined && store.count > 0) {
        store.close();
        throw badOption(
          `Expected '--out' to be a folder without rows beside '--adapter', got ${quotedLong(out.path)}: the adapter may be another program by now.`,
        );
      }
      out.hold();
      const isWhole = await fillStore(store, { ...work, plan, header, pool, out }, io);
      return isWhole ? await use({ folder: out.path, header }) : undefined;
    } catch (error) {
      out.takeBack();
      throw error;
    } finally {
      out.close();
    }
  } finally {
    await pool?.close();
  }
}

export async function withRunProgress(
  io: CliIo,
  work: (show: (runs: RunsDone) => void) => Promise<void>,
): Promise<void> {
  const startMs = io.now();
  const describe = ({ done, total, ran }: RunsDone): string => {
    const passedMs = io.now() - startMs;
    if (ran === 0 || passedMs < MS_PER_SECOND) return 'runs';
    const rate = (ran * MS_PER_SECOND) / passedMs;
    const shown = rate < 1 ? rate.toFixed(2) : String(Math.round(rate));
    return `runs, ${shown} a second${shownLeft(passedMs, ran, ran + total - done)}`;
  };
  await withProgress(io, (show) =>
    work((runs) => {
      const detail = describe(runs);
      show({ file: detail, detail, index: runs.done, total: runs.total });
    }),
  );
}

function toHeader(plan: SweepPlan, { grid, shard, anonymous }: Work): SweepHeader {
  const version = readVersion();
  const { source, hash } = grid.sources.catalog;
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
    sessions: plan.sessions.map(({ ref, skipped, sharedMessages, recordedModel, story }) => ({
      name: ref.name,
      hash: ref.hash,
      ...known({ skipped, sharedMessages, recordedModel }),
      ...(anonymous !== true && { story }),
      ...known({ family: ref.family, setup: ref.setup }),
    })),
    unread: plan.unread,
  };
}

/** Whether all rows of the shard exist; finished ones are kept in any case. */
async function fillStore(store: ResultStore, filling: Filling, io: CliIo): Promise<boolean> {
  const { folder, grid, header, out } = filling;
  const noteKept = () => {
    if (folder === undefined || grid.adapter !== undefined) return;
    printNote(io, 'What is finished is kept: the same command goes on from there.');
  };
  const leave = () => {
    store.close();
    if (store.count === 0) out.takeBack();
    else noteKept();
  };
  try {
    await addRows(store, filling, io);
  } catch (error) {
    leave();
    throw error;
  }
  if (store.count !== countOwnRows(header)) {
    leave();
    return false;
  }
  try {
    store.finish();
    return true;
  } catch (error) {
    // Rows that cannot be put in their order stay as they were added.
    if (isUnwritable(error)) noteKept();
    throw error;
  }
}

async function addRows(store: ResultStore, filling: Filling, io: CliIo): Promise<void> {
  const { header } = filling;
  const { sessionOf } = createPlaces(header);
  const total = countOwnRows(header);
  const isOwn = header.sessions.map(({ hash }) => isInShard(hash, header.shard));
  const isDone = (place: number) => isOwn[sessionOf(place)] !== true || store.has(place);
  await withRunProgress(io, async (show) => {
    let ran = 0;
    for await (const run of runSomewhere(store, { ...filling, isDone }, io)) {
      store.add(run);
      if (header.sessions[sessionOf(run.place)]?.skipped === undefined) ran += 1;
      show({ done: store.count, total, ran });
      if (io.signal.aborted) break;
    }
  });
}

function runSomewhere(
  store: ResultStore,
  {
    plan,
    header: { sweep, version },
    grid,
    pool,
    queue: url,
    isDone,
  }: Filling & { readonly isDone: (place: number) => boolean },
  io: CliIo,
): AsyncGenerator<FinishedRun, void, void> {
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  const options = { isDone, cacheFolder, signal: io.signal };
  if (url === undefined) return runPlan(plan, { ...options, pool, live: findLiveCells(grid, io) });
  const note = (message: string) => printNote(io, message);
  const checkKept = () => store.checkKept();
  return runQueued(plan, { ...options, url, checkKept, sweep, version, note });
}
