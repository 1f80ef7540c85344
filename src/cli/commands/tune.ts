import type { Command } from '@commander-js/extra-typings';
import { tuneFormats } from '../../simulator/report/tune/formats.ts';
import { tune } from '../../simulator/sweep/tune/tune.ts';
import { chooseFormat } from '../options/choose-format.ts';
import { collect } from '../options/collect.ts';
import { formatHelp } from '../options/format-help.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { estimateGrid } from '../models/estimate-grid.ts';
import { leaveCoresTo } from '../process/leave-cores.ts';
import { addModelOptions } from '../models/options.ts';
import { withSpent } from '../models/report.ts';
import { noInput } from '../inputs/no-input.ts';
import {
  checkNoInput,
  checkOutPath,
  printNote,
  printNotes,
  settingFiles,
  writeReport,
} from '../process/output.ts';
import { addPlanOptions, DEFAULT_POLICY } from '../options/plan-options.ts';
import { parseJobs } from '../options/parse-jobs.ts';
import { findInputs } from '../inputs/run-inputs.ts';
import { planTuning, type TunePlanOptions } from '../tune/plan.ts';
import { observe } from '../tune/run-cells.ts';

/** What the command line says, as text. */
interface TuneOptions extends TunePlanOptions {
  readonly jobs?: string | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

const DEFAULT_OBJECTIVES = 'cost,regret,compactions';
const WORDS = {
  set: "change one of today's settings; can be repeated",
  config: "take today's settings from an OpenCode configuration",
  seed: 'seed of everything random, the split too',
};

const EXAMPLES = `
Examples:
  $ compaction-bench tune sessions/ --config opencode.json
  $ compaction-bench tune sessions/ --objective cost,regret --vary reserved=10000,20000,40000
  $ compaction-bench tune sessions/ --vary protect=20000,40000 --within compactions=..40 --hold-out 0.3`;

/** Adds the command that looks for better settings than today's. */
export function addTuneCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  const command = program
    .command('tune')
    .description("Search for better settings than today's, and say what to write in the config.")
    .argument('[inputs...]', 'files, folders or patterns (default: the shipped sessions)')
    .option(
      '--objective <name,...>',
      `metrics to have less of, or more where more is better, as of tokensSaved (default: ${DEFAULT_OBJECTIVES})`,
      collect,
    )
    .option(
      '--vary <key=a,b,c>',
      "a setting and its values; can be repeated (default: the policy's most influential ones, around today's values)",
      collect,
    )
    .option(
      '--within <key=min..max>',
      'range of a setting, or of a metric over all sessions; can be repeated',
      collect,
    )
    .option('--hold-out <share>', 'share of the sessions kept aside to report on', '0.3')
    .option('--policy <name>', 'preset to tune', DEFAULT_POLICY);
  const planned = addPlanOptions(command, WORDS)
    .option('--jobs <number>', 'threads (default: one per core)')
    .option('--format <name>', formatHelp(tuneFormats))
    .option('--out <path>', 'write the report to a file');
  addModelOptions(planned)
    .addHelpText('after', EXAMPLES)
    .action(async (inputs, options) => {
      const { objective = [DEFAULT_OBJECTIVES], vary = [], within = [], set = [] } = options;
      onExit(await tuneSessions(inputs, { ...options, objective, vary, within, set }, io));
    });
}

async function tuneSessions(
  inputs: readonly string[],
  options: TuneOptions,
  io: CliIo,
): Promise<number> {
  const { format, out, policy, model, summarizer } = options;
  const render = chooseFormat(tuneFormats, 'tune format', { format, out });
  checkOutPath(out);
  const jobs = parseJobs(options.jobs);
  const plan = planTuning(options, io.env);
  const found = findInputs(inputs);
  checkNoInput(out, [...found.files, ...settingFiles(options)]);
  printNotes(io, plan.notes);
  if (options.dryRun === true) return estimateGrid({ ...plan, seeds: [plan.seed] }, found, io);
  leaveCoresTo(jobs);
  const observed = await withSpent(plan.models?.registry, io, () =>
    observe(plan, { inputs: found, jobs }, io),
  );
  if (observed === undefined) return EXIT.interrupted;
  const { observations, unread, recorded } = observed;
  if (observations.length === 0) throw noInput(unread);
  const outcome = tune(observations, { ...plan, cells: plan.tuned });
  if (outcome.state === 'inconclusive') {
    printNote(io, `Nothing can be tuned: ${outcome.reason}.`);
    return EXIT.inconclusive;
  }
  const { mode } = plan;
  const origin = { ...plan.origin, recorded };
  const report = { policy, model, summarizer, mode, origin, ...outcome.tuned, unread };
  const isWritten = writeReport(io, render(report, terminalOf(io, out)), out);
  const hasFailed = observations.some(({ state }) => state === 'failed');
  return isWritten && unread.length === 0 && !hasFailed ? EXIT.done : EXIT.failed;
}
