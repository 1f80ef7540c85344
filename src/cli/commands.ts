import type { Command } from '@commander-js/extra-typings';
import type { CliIo } from './io.ts';

/** Adds a command to the program; the exit code goes to `onExit` when it has run. */
export type AddCommand = (program: Command, io: CliIo, onExit: (code: number) => void) => void;

/** A command of the program, which is loaded when it is called. */
export interface CommandEntry {
  /** What it does, in the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<AddCommand>;
}

/** The command that has to know all others, and is the last for that. */
export const COMPLETE = 'complete';

/** The commands by name, in the order of the help. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: 'replay sessions under policies and report what compaction did',
    load: async () => (await import('./commands/run.ts')).addRunCommand,
  },
  import: {
    summary: 'write recorded sessions in one format',
    load: async () => (await import('./commands/import.ts')).addImportCommand,
  },
  generate: {
    summary: 'make up sessions like those of an agent, or like your own',
    load: async () => (await import('./commands/generate.ts')).addGenerateCommand,
  },
  list: {
    summary: 'list what can be named: policies, models, metrics and more',
    load: async () => (await import('./commands/list.ts')).addListCommand,
  },
  check: {
    summary: 'run scenarios and gates, and say what is not met',
    load: async () => (await import('./commands/check.ts')).addCheckCommand,
  },
  flake: {
    summary: 'tell how far scenarios stray by chance alone',
    load: async () => (await import('./commands/flake.ts')).addFlakeCommand,
  },
  compare: {
    summary: 'compare two policies or two files of results',
    load: async () => (await import('./commands/compare.ts')).addCompareCommand,
  },
  conformance: {
    summary: 'check the engine against vectors of released versions',
    load: async () => (await import('./commands/conformance.ts')).addConformanceCommand,
  },
  explain: {
    summary: 'tell why a policy did what it did at a step',
    load: async () => (await import('./commands/explain.ts')).addExplainCommand,
  },
  minimize: {
    summary: 'shrink a session that breaks something to the smallest one that still does',
    load: async () => (await import('./commands/minimize.ts')).addMinimizeCommand,
  },
  doctor: {
    summary: 'examine a policy on a model: when it compacts, what cannot work',
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
  stats: {
    summary: 'tell what sessions are like: sizes, turns, gaps, reuse',
    load: async () => (await import('./commands/stats.ts')).addStatsCommand,
  },
  validate: {
    summary: 'compare what the bench predicts with recorded usage',
    load: async () => (await import('./commands/validate.ts')).addValidateCommand,
  },
  sweep: {
    summary: 'run sessions in every combination of settings',
    load: async () => (await import('./commands/sweep.ts')).addSweepCommand,
  },
  worker: {
    summary: 'work on sweeps that were put into a queue',
    load: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  },
  merge: {
    summary: 'make one sweep of its shards',
    load: async () => (await import('./commands/merge.ts')).addMergeCommand,
  },
  export: {
    summary: 'write the rows of a sweep as Parquet, CSV or JSON lines',
    load: async () => (await import('./commands/export.ts')).addExportCommand,
  },
  tune: {
    summary: "look for better settings than today's, and say what to write in the config",
    load: async () => (await import('./commands/tune.ts')).addTuneCommand,
  },
  report: {
    summary: 'render saved events and reports again, in any format',
    load: async () => (await import('./commands/report.ts')).addReportCommand,
  },
  serve: {
    summary: 'show a report in a browser while it changes',
    load: async () => (await import('./commands/serve.ts')).addServeCommand,
  },
  whatif: {
    summary: 'replay one session under other windows or models',
    load: async () => (await import('./commands/whatif.ts')).addWhatIfCommand,
  },
  summarizers: {
    summary: 'compare summarizers and prompts by what their summaries keep',
    load: async () => (await import('./commands/summarizers.ts')).addSummarizersCommand,
  },
  [COMPLETE]: {
    summary: 'teach a shell to complete commands and options',
    load: async () => (await import('./commands/complete.ts')).addCompleteCommand,
  },
};
