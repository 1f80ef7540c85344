import { type Command, Option } from '@commander-js/extra-typings';
import { named } from '../../simulator/names.ts';
import { sweepFormats } from '../../simulator/report/sweep/formats.ts';
import { type SweepFormat, WHOLE } from '../../simulator/report/sweep/sweep-report.ts';
import { parseShard } from '../../simulator/sweep/store/shard.ts';
import { collect } from '../options/collect.ts';
import { formatNames } from '../options/format-help.ts';
import type { CliIo } from '../process/io.ts';
import { checkOutFolder } from '../process/out-folder.ts';
import { printNotes } from '../process/output.ts';
import { estimateGrid } from '../models/estimate-grid.ts';
import { leaveCoresTo } from '../process/leave-cores.ts';
import { addModelOptions } from '../models/options.ts';
import { withSpent } from '../models/report.ts';
import { parseJobs } from '../options/parse-jobs.ts';
import {
  addSourceOptions,
  DEFAULT_MODEL,
  DEFAULT_POLICY,
  DEFAULT_SUMMARIZER,
} from '../options/plan-options.ts';
import { checkQueue, checkQueuedModels } from '../sweep/queue.ts';
import { findInputs } from '../inputs/run-inputs.ts';
import { runSweep } from '../sweep/run-sweep.ts';
import { type GridOptions, planGrid } from '../sweep/grid.ts';
import { exitCodeOf, printSweep } from '../sweep/report.ts';

/** What the command line says, as text. */
interface SweepCommandOptions extends GridOptions {
  readonly jobs?: string | undefined;
  readonly shard: string;
  readonly out?: string | undefined;
  readonly queue?: string | undefined;
  readonly sendTexts?: true | undefined;
  readonly format: string;
}

const EXAMPLES = `
Examples:
  $ compaction-bench sweep --vary reserved=10k,20k,30k --policy document-001
  $ compaction-bench sweep sessions/ --vary protect=20k,40k --vary policy=opencode-1.2.16,document-002
  $ compaction-bench sweep sessions/ --vary contextTokens=64k,128k --out results --jobs 4
  $ compaction-bench sweep sessions/ --vary protect=20k,40k --out part-1 --shard 1/2
  $ compaction-bench sweep sessions/ --summarizer extractive,ai:openai/gpt-5-mini --budget-usd 2 --out results
  $ compaction-bench sweep /shared/sessions --vary protect=20k,40k --out results --queue redis://127.0.0.1:6379`;

/** Adds the command that runs sessions in all combinations of some settings. */
export function addSweepCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  const command = program
    .command('sweep')
    .description('Run sessions under every combination of settings, and report each.')
    .argument('[inputs...]', 'files, folders or patterns (default: the shipped sessions)')
    .option(
      '--vary <key=a,b,c>',
      'values of a setting, or of policy, model or summarizer; can be repeated',
      collect,
    )
    .option('--policy <name,...>', `presets to vary over (default: ${DEFAULT_POLICY})`, collect)
    .option('--model <provider/id,...>', `models to vary over (default: ${DEFAULT_MODEL})`, collect)
    .option(
      '--summarizer <name,...>',
      `summarizers to vary over; ai:PROVIDER/MODEL is a real model (default: ${DEFAULT_SUMMARIZER})`,
      collect,
    );
  const planned = addSourceOptions(command, {
    set: 'change a setting in all cells; can be repeated',
  })
    .option('--trials <number>', 'seeds per cell', '1')
    .option('--seed <number>', 'the first seed', '1')
    .option('--jobs <number>', 'threads (default: one per core)')
    .option('--out <folder>', 'keep the rows there, and resume from those already there')
    .addOption(new Option('--shard <i/n>', 'only this part of the sessions').default(WHOLE))
    .option(
      '--queue <url>',
      "have 'worker' processes run it: Redis or Valkey, as redis://HOST:PORT; needs --out",
    )
    .option(
      '--send-texts',
      'put the sessions into the queue while they run, for workers without the files; whoever can read the queue can read them',
    )
    .option('--format <name>', formatNames(sweepFormats), 'table');
  addModelOptions(planned)
    .addHelpText('after', EXAMPLES)
    .action(async (inputs, { vary = [], set = [], ...rest }) =>
      onExit(await sweep(inputs, { ...rest, vary, set }, io)),
    );
}

async function sweep(
  inputs: readonly string[],
  options: SweepCommandOptions,
  io: CliIo,
): Promise<number> {
  const format = named<Record<string, SweepFormat>>('sweep format', sweepFormats, options.format);
  const shard = parseShard(options.shard);
  const jobs = parseJobs(options.jobs);
  if (options.out !== undefined) checkOutFolder(options.out);
  const queue = checkQueue(options);
  const grid = planGrid(options, io.env);
  if (queue !== undefined) checkQueuedModels(grid.models);
  const found = findInputs(inputs);
  const work = { grid, inputs: found, options: { jobs, shard, out: options.out, queue } };
  printNotes(io, grid.notes);
  if (options.dryRun === true) return estimateGrid(grid, found, io);
  if (queue === undefined) leaveCoresTo(jobs);
  const report = await withSpent(grid.models?.registry, io, () =>
    runSweep(work, io, (filled) => printSweep(filled, format, io)),
  );
  return exitCodeOf(report);
}
