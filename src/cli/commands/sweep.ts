import { known } from '../../simulator/lib/collections.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { isUnwritable } from '../../simulator/lib/files.ts';
import { quoted, quotedLong } from '../../simulator/lib/names.ts';
import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { SCHEMA_VERSION } from '../../simulator/report/report.ts';
import { type SweepFormat, sweepFormats, WHOLE } from '../../simulator/report/sweep.ts';
import { contentFor } from '../../simulator/summarizer/summarizers.ts';
import { isSimulated } from '../../simulator/sweep/grid.ts';
import { identifyPlan, planSweep, type SweepPlan } from '../../simulator/sweep/plan.ts';
import { openPool, type Pool } from '../../simulator/sweep/pool/pool.ts';
import { parseQueueUrl } from '../../simulator/sweep/queue/connection.ts';
import { runQueued } from '../../simulator/sweep/queue/run-queued.ts';
import { runPlan } from '../../simulator/sweep/run-plan.ts';
import {
  isInShard,
  parseShard,
  type Shard,
  type SweepHeader,
} from '../../simulator/sweep/store/header.ts';
import {
  countOwnRows,
  createPlaces,
  type SweepFolder,
} from '../../simulator/sweep/store/read-rows.ts';
import { openStore, type ResultStore } from '../../simulator/sweep/store/result-store.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  formatOption,
  option,
  topOption,
  repeated,
} from '../command.ts';
import { findSessions, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { readVersion } from '../package.ts';
import { estimateGrid, findLiveCells } from '../plan/live.ts';
import { withSpent } from '../plan/models.ts';
import {
  demoOption,
  jobsOption,
  parseJobs,
  SESSION_INPUTS,
  adapterOptions,
  modelOptions,
  POLICY_BY_DEFAULT,
  MODEL_BY_DEFAULT,
  DEFAULT_SUMMARIZER,
  sourceOptions,
  seedOption,
} from '../plan/options.ts';
import { type Plan, planOver } from '../plan/plan.ts';
import { leaveCoresTo } from '../process/cores.ts';
import { type CliIo, printNote, printNotes } from '../process/io.ts';
import {
  checkOutFolder,
  countsFolder,
  openOutFolder,
  type OutFolder,
} from '../process/out-folder.ts';
import { shownLeft, withProgress } from '../process/progress.ts';
import { exitCodeOf, printSweep } from '../saved-reports.ts';

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

interface RunsDone {
  readonly done: number;
  readonly total: number;
  readonly ran: number;
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
    ...anonymousOption,
    ...detailsOption,
    ...topOption,
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ inputs }, options, { io, openReport }) => {
    const { format, terminal } = openReport<SweepFormat>(sweepFormats, 'sweep format');
    const { folder, anonymous } = options;
    const shard = parseShard(options.shard);
    const jobs = parseJobs(options.jobs);
    if (folder !== undefined) checkOutFolder(folder);
    const queue = options.queue === undefined ? undefined : checkQueue(options.queue, folder);
    const find = () => findSessions(inputs, options, io);
    const check = queue === undefined ? undefined : checkQueued;
    const { plan: grid, found } = await planOver(options, { find, check }, io);
    printNotes(io, grid.notes);
    if (options.dryRun) return estimateGrid(grid, found, io);
    if (queue === undefined) leaveCoresTo(jobs);
    const names = await anonymiserFor(options);
    const work = { grid, inputs: found, jobs, shard, folder, queue, anonymous };
    const report = await withSpent(grid.models?.registry, io, () =>
      runSweep(work, io, (filled) => printSweep(filled, { format, terminal, names }, io)),
    );
    return exitCodeOf(report);
  },
});

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
    const plan = await planSweep({ ...inputs, ...grid, cacheFolder, signal: io.signal });
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
) {
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

function checkQueue(queue: string, folder: string | undefined) {
  if (folder !== undefined) return parseQueueUrl(queue);
  throw badOption(
    "Expected '--queue' to come with '--out', got none: rows taken from a queue must be kept somewhere.",
  );
}

function checkQueued({ adapter, cells }: Plan) {
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

async function addRows(
  store: ResultStore,
  { plan, grid, header, pool, queue: url }: Filling,
  io: CliIo,
) {
  const { sweep, version } = header;
  const { sessionOf } = createPlaces(header);
  const total = countOwnRows(header);
  const isOwn = header.sessions.map(({ hash }) => isInShard(hash, header.shard));
  const options = {
    isDone: (place: number) => isOwn[sessionOf(place)] !== true || store.has(place),
    cacheFolder: countsFolder(io.cache ?? {}, io.env),
    signal: io.signal,
  };
  const note = (message: string) => printNote(io, message);
  const runs =
    url === undefined
      ? runPlan(plan, { ...options, pool, live: findLiveCells(grid, io) })
      : runQueued(plan, { ...options, url, checkKept: store.checkKept, sweep, version, note });
  await withRunProgress(io, async (show) => {
    let ran = 0;
    for await (const run of runs) {
      store.add(run);
      if (header.sessions[sessionOf(run.place)]?.skipped === undefined) ran += 1;
      show({ done: store.count, total, ran });
      if (io.signal.aborted) break;
    }
  });
}

function gridOptions() {
  return {
    vary: repeated(
      '--vary <key=a,b,c>',
      'values of a setting, or of policy, model or summarizer; can be repeated',
    ),
    policy: repeated(
      '--policy <name,...>',
      `presets to vary over; recorded is what really happened (default: ${POLICY_BY_DEFAULT})`,
    ),
    model: repeated(
      '--model <provider/id,...>',
      `models to vary over (default: ${MODEL_BY_DEFAULT})`,
    ),
    summarizer: repeated(
      '--summarizer <name,...>',
      `summarizers to vary over; ai:PROVIDER/MODEL is a real model (default: ${DEFAULT_SUMMARIZER})`,
    ),
    ...sourceOptions({ set: 'change a setting in all cells; can be repeated' }),
    trials: option('--trials <number>', 'seeds per cell', '1'),
    seed: seedOption('the first seed'),
  };
}
