import { badOption } from '../../simulator/lib/errors.ts';
import { isUnwritable } from '../../simulator/lib/files.ts';
import { quoted, quotedLong } from '../../simulator/lib/names.ts';
import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { SCHEMA_VERSION } from '../../simulator/report/report.ts';
import { type SweepFormat, WHOLE } from '../../simulator/report/sweep-report.ts';
import { sweepFormats } from '../../simulator/report/sweep.ts';
import { contentFor } from '../../simulator/summarizer/summarizers.ts';
import { isSimulated } from '../../simulator/sweep/grid.ts';
import { identifyPlan, planSweep, type SweepPlan } from '../../simulator/sweep/plan.ts';
import { openPool, type Pool } from '../../simulator/sweep/pool/pool.ts';
import { parseQueueUrl } from '../../simulator/sweep/queue/connection.ts';
import { runQueued, type RunQueuedOptions } from '../../simulator/sweep/queue/run-queued.ts';
import { runPlan, type RunPlanOptions } from '../../simulator/sweep/run-plan.ts';
import type { FinishedRun } from '../../simulator/sweep/run/task.ts';
import {
  isInShard,
  parseShard,
  type Shard,
  type SweepHeader,
} from '../../simulator/sweep/store/header.ts';
import {
  countOwnRows,
  createPlaces,
  type Places,
  type SweepFolder,
} from '../../simulator/sweep/store/read-rows.ts';
import { openStore, type ResultStore } from '../../simulator/sweep/store/result-store.ts';
import { findSessions, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { readVersion } from '../package.ts';
import { estimateGrid, findLiveCells } from '../plan/live.ts';
import { adapterOptions } from '../plan/adapter.ts';
import { withSpent, modelOptions } from '../plan/models.ts';
import { type Plan, planOver } from '../plan/plan.ts';
import { demoOption, gridOptions, parseJobs, jobsOption, SESSION_INPUTS } from '../plan/options.ts';
import { leaveCoresTo } from '../process/cores.ts';
import type { CliIo } from '../process/io.ts';
import {
  checkOutFolder,
  countsFolder,
  openOutFolder,
  type OutFolder,
} from '../process/out-folder.ts';
import { printNote, printNotes } from '../process/output.ts';
import { shownLeft, withProgress } from '../process/progress.ts';
import { exitCodeOf, printSweep } from '../saved-reports.ts';
import {
  anonymiserFor,
  anonymousOption,
  detailsOption,
  topOption,
  defineCommand,
  option,
  formatOption,
} from '../command.ts';

/** How a sweep is carried out. */
interface SweepOptions {
  readonly jobs: number;
  readonly shard: Shard;
  /** Where its rows are kept; a folder that goes by default. */
  readonly out?: string | undefined;
  /** The queue whose workers run it; this process by default. */
  readonly queue?: string | undefined;
  /** Leaves out how people call sessions. */
  readonly anonymous?: boolean | undefined;
}

interface SweepWork {
  readonly grid: Plan;
  readonly inputs: RunInputs;
  readonly options: SweepOptions;
}

/** A sweep with all that its rows are made with. */
interface Filling {
  readonly plan: SweepPlan;
  readonly header: SweepHeader;
  readonly grid: Plan;
  readonly options: SweepOptions;
  readonly pool: Pool | undefined;
  readonly out: OutFolder;
}

/** How far many runs have come. */
interface RunsDone {
  readonly done: number;
  readonly total: number;
  /** Of those done, the ones that took time now: no rows of before, and none of sessions that are not run. */
  readonly ran: number;
}

/** Shows how far many runs have come, how fast, and how long it still takes. */
type ShowRuns = (runs: RunsDone) => void;

/** The options of a queue. */
interface QueueOptions {
  readonly queue?: string | undefined;
  readonly out?: string | undefined;
}

/** How a sweep is carried out here or by others. */
interface SomewhereOptions extends RunPlanOptions, Pick<RunQueuedOptions, 'checkKept'> {
  readonly queue: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench sweep --vary reserved=10k,20k,30k --policy document-001
  $ compaction-bench sweep sessions/ --vary protect=20k,40k --vary policy=opencode-1.2.16,document-002
  $ compaction-bench sweep sessions/ --vary contextTokens=64k,128k --out results --jobs 4
  $ compaction-bench sweep sessions/ --vary protect=20k,40k --out part-1 --shard 1/2
  $ compaction-bench sweep sessions/ --policy opencode-1.18,claude-code --adapter 'python3 compact.py'
  $ compaction-bench sweep sessions/ --summarizer extractive,ai:openai/gpt-5-mini --budget-usd 2 --out results
  $ compaction-bench sweep sessions/ --vary protect=20k,40k --summarizer scripted:usual --out results --queue redis://127.0.0.1:6379`;

/** Runs sessions in all combinations of some settings. */
export const sweepCommand = defineCommand({
  name: 'sweep',
  describe: 'Run sessions under every combination of settings, and report each.',
  arguments: { '[inputs...]': SESSION_INPUTS },
  options: {
    demo: demoOption,
    ...gridOptions(),
    ...adapterOptions,
    jobs: jobsOption,
    folder: option('--out <folder>', 'keep the rows there, and resume from those already there'),
    shard: option('--shard <i/n>', 'only this part of the sessions', WHOLE),
    queue: option(
      '--queue <url>',
      "have 'sweep worker' processes run it: Redis or Valkey, as redis://HOST:PORT; needs --out",
    ),
    ...formatOption(sweepFormats),
    ...anonymousOption(),
    ...detailsOption(),
    ...topOption(),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ inputs }, options, { io, openReport }) => {
    const { format, terminal } = openReport<SweepFormat>(sweepFormats, 'sweep format');
    const shard = parseShard(options.shard);
    const jobs = parseJobs(options.jobs);
    const { folder: out } = options;
    if (out !== undefined) checkOutFolder(out);
    const queue = checkQueue({ ...options, out });
    const find = () => findSessions(inputs, options, io);
    const check = queue === undefined ? undefined : checkQueued;
    const { plan: grid, found } = await planOver(options, { find, check }, io);
    const work = {
      grid,
      inputs: found,
      options: { jobs, shard, out, queue, anonymous: options.anonymous },
    };
    printNotes(io, grid.notes);
    if (options.dryRun) return estimateGrid(grid, found, io);
    if (queue === undefined) leaveCoresTo(jobs);
    const report = await withSpent(grid.models?.registry, io, () =>
      runSweep(work, io, (filled) =>
        printSweep(filled, { format, terminal, names: anonymiserFor(options) }, io),
      ),
    );
    return exitCodeOf(report);
  },
});

/** Lets work show how far its runs have come, with their rate. */
export async function withRunProgress<Result>(
  io: CliIo,
  work: (show: ShowRuns) => Promise<Result>,
): Promise<Result> {
  const startMs = io.now();
  const describe = ({ done, total, ran }: RunsDone): string => {
    const passedMs = io.now() - startMs;
    if (ran === 0 || passedMs < MS_PER_SECOND) return 'runs';
    const rate = shownRate((ran * MS_PER_SECOND) / passedMs);
    return `runs, ${rate} a second${shownLeft(passedMs, ran, ran + total - done)}`;
  };
  return await withProgress(io, (show) =>
    work((runs) => {
      const detail = describe(runs);
      show({ file: detail, detail, index: runs.done, total: runs.total });
    }),
  );
}

/** The queue, where one is named. Throws if its address is none, or if nothing could be gone on with. */
function checkQueue({ queue, out }: QueueOptions): string | undefined {
  if (queue === undefined) return undefined;
  if (out === undefined) {
    throw badOption(
      "Expected '--queue' to come with '--out', got none: rows taken from a queue must be kept somewhere.",
    );
  }
  return parseQueueUrl(queue);
}

/** Throws where workers would need a program or texts that they do not have. */
function checkQueued({ adapter, cells }: Plan): void {
  if (adapter !== undefined) {
    throw badOption(
      "Expected '--adapter' without '--queue', because the program of an adapter is on this machine alone.",
    );
  }
  const reading = cells.find(
    (cell) => isSimulated(cell) && contentFor(cell.summarizer) === 'texts',
  );
  if (reading === undefined) return;
  throw badOption(
    `Expected '--summarizer' to need no texts with '--queue', which carries sizes alone, such as scripted:usual, got ${quoted(reading.summarizer)}.`,
  );
}

/** Runs a sweep, or what is left of it, and lets somebody use its folder; `undefined` if the user wanted to stop. */
async function runSweep<Result>(
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

/** Threads of this process; none where a queue has workers of its own. */
function openOwnPool({ options }: SweepWork, io: CliIo): Pool | undefined {
  if (options.queue !== undefined) return undefined;
  return openPool({ jobs: options.jobs, cacheFolder: countsFolder(io.cache ?? {}, io.env) });
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
    checkNothingKept(store, grid, out);
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

/** Throws where rows of an adapter are kept: the program may be another one since. */
function checkNothingKept(store: ResultStore, { adapter }: Plan, { path }: OutFolder): void {
  if (adapter === undefined || store.count === 0) return;
  store.close();
  throw badOption(
    `Expected '--out' to be a folder without rows beside '--adapter', got ${quotedLong(path)}: the adapter may be another program by now.`,
  );
}

function toHeader(plan: SweepPlan, grid: Plan, { shard, anonymous }: SweepOptions): SweepHeader {
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
      ...(skipped !== undefined && { skipped }),
      ...(sharedMessages !== undefined && { sharedMessages }),
      ...(recordedModel !== undefined && { recordedModel }),
      ...(anonymous !== true && { story }),
      ...(ref.family !== undefined && { family: ref.family }),
      ...(ref.setup && { setup: ref.setup }),
    })),
    unread: plan.unread,
  };
}

/** Returns true if all rows of the shard exist now. */
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
  const { header, options, pool } = filling;
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
    for await (const run of runSomewhere(filling, runOptions, io)) {
      store.add(run);
      if (isRun(run.place)) ran += 1;
      show({ done: store.count, total, ran });
      if (io.signal.aborted) break;
    }
  });
}

function ownRows(header: SweepHeader, places: Places): (place: number) => boolean {
  const isOwn = header.sessions.map(({ hash }) => isInShard(hash, header.shard));
  return (place) => isOwn[places.sessionOf(place)] === true;
}

/** The rows of a plan that are not there: from threads of this process, or from the workers of a queue. */
function runSomewhere(
  { plan, header, grid }: Pick<Filling, 'plan' | 'header' | 'grid'>,
  { queue, checkKept, ...options }: SomewhereOptions,
  io: CliIo,
): AsyncGenerator<FinishedRun, void, void> {
  if (queue === undefined) return runPlan(plan, { ...options, live: findLiveCells(grid, io) });
  const { sweep, version } = header;
  const note = (message: string) => printNote(io, message);
  return runQueued(plan, { ...options, url: queue, checkKept, sweep, version, note });
}

/** Keeps finished rows, so that the same command can go on with them. */
function leave(store: ResultStore, filling: Filling, io: CliIo): void {
  store.close();
  if (store.count === 0) filling.out.takeBack();
  else noteKept(filling, io);
}

function noteKept({ options, grid }: Filling, io: CliIo): void {
  if (options.out !== undefined && grid.adapter === undefined) {
    printNote(io, 'What is finished is kept: the same command goes on from there.');
  }
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

function shownRate(rate: number): string {
  return rate < 1 ? rate.toFixed(2) : String(Math.round(rate));
}
