import { badOption } from '../../simulator/lib/errors.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { type SweepFormat, WHOLE } from '../../simulator/report/sweep-report.ts';
import { sweepFormats } from '../../simulator/report/sweep.ts';
import { contentFor } from '../../simulator/summarizer/summarizers.ts';
import { isSimulated } from '../../simulator/sweep/grid.ts';
import { parseQueueUrl } from '../../simulator/sweep/queue/connection.ts';
import { parseShard } from '../../simulator/sweep/store/header.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  formatOption,
  option,
  topOption,
} from '../command.ts';
import { findSessions } from '../inputs.ts';
import { adapterOptions } from '../plan/adapter.ts';
import { estimateGrid } from '../plan/live.ts';
import { modelOptions, withSpent } from '../plan/models.ts';
import { demoOption, gridOptions, jobsOption, parseJobs, SESSION_INPUTS } from '../plan/options.ts';
import { type Plan, planOver } from '../plan/plan.ts';
import { leaveCoresTo } from '../process/cores.ts';
import { checkOutFolder } from '../process/out-folder.ts';
import { printNotes } from '../process/io.ts';
import { runSweep } from '../run-sweep.ts';
import { exitCodeOf, printSweep } from '../saved-reports.ts';

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
    ...anonymousOption(),
    ...detailsOption(),
    ...topOption(),
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
    const work = { grid, inputs: found, jobs, shard, folder, queue, anonymous };
    const report = await withSpent(grid.models?.registry, io, () =>
      runSweep(work, io, (filled) =>
        printSweep(filled, { format, terminal, names: anonymiserFor(options) }, io),
      ),
    );
    return exitCodeOf(report);
  },
});

function checkQueue(queue: string, folder: string | undefined): string {
  if (folder !== undefined) return parseQueueUrl(queue);
  throw badOption(
    "Expected '--queue' to come with '--out', got none: rows taken from a queue must be kept somewhere.",
  );
}

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
