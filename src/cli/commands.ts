import type { AddCommand } from './command.ts';

export interface CommandEntry {
  readonly summary: string;
  readonly load?: () => Promise<AddCommand>;
}

export const COMPLETE = 'complete';

export const ANSWER = 'answer';

export const OTHER_COMMANDS = 'More:';

/** The commands below each heading of the help. */
export const HEADINGS: Readonly<Record<string, readonly string[]>> = {
  'Begin here:': [ANSWER],
  'Replay sessions:': ['run', 'explain', 'whatif', 'doctor'],
  'Tune settings:': ['sweep', 'tune', 'compare', 'summarizers'],
  'Gate changes:': ['check'],
  'Sessions and results:': ['sessions', 'report'],
  [OTHER_COMMANDS]: ['provider', 'list', COMPLETE],
};

/** The commands by name, in the order of the help. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  [ANSWER]: {
    summary: 'say what to change, from the sessions of this machine; the default command',
    load: async () => (await import('./commands/answer.ts')).answerCommand,
  },
  run: {
    summary: 'replay sessions under policies and report what compaction did',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  explain: {
    summary: 'explain why a policy did what it did at a step',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  whatif: {
    summary: 'replay one session under other windows or models',
    load: async () => (await import('./commands/whatif.ts')).whatIfCommand,
  },
  doctor: {
    summary: 'examine a policy on a model: when it compacts, what cannot work',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  sweep: {
    summary: 'run sessions under every combination of settings',
    load: async () => (await import('./commands/sweep.ts')).sweepCommand,
  },
  'sweep worker': {
    summary: 'run the tasks of queued sweeps',
    load: async () => (await import('./commands/worker.ts')).workerCommand,
  },
  'sweep merge': {
    summary: 'combine the shards of a sweep',
    load: async () => (await import('./commands/merge.ts')).mergeSweepCommand,
  },
  'sweep export': {
    summary: 'write the rows of a sweep as Parquet, CSV or JSON lines',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  tune: {
    summary: "search for better settings than today's",
    load: async () => (await import('./commands/tune.ts')).tuneCommand,
  },
  compare: {
    summary: 'compare two policies, or two files of results',
    load: async () => (await import('./commands/compare.ts')).compareCommand,
  },
  summarizers: {
    summary: 'compare summarizers and prompts by what survives',
    load: async () => (await import('./commands/summarizers.ts')).summarizersCommand,
  },
  'summarizers score': {
    summary: 'say what became of facts in summaries of your own',
    load: async () => (await import('./commands/score.ts')).scoreCommand,
  },
  check: {
    summary: 'run scenarios and gates, and say what fails',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  'check merge': {
    summary: 'combine the shards of a check',
    load: async () => (await import('./commands/merge.ts')).mergeCheckCommand,
  },
  'check minimize': {
    summary: 'shrink a session that breaks something to its core',
    load: async () => (await import('./commands/minimize.ts')).minimizeCommand,
  },
  sessions: {
    summary: 'import, generate, describe and validate sessions',
  },
  'sessions import': {
    summary: 'convert recorded sessions into one format',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  'sessions generate': {
    summary: 'generate sessions like those of an agent, or like your own',
    load: async () => (await import('./commands/generate.ts')).generateCommand,
  },
  'sessions stats': {
    summary: 'describe sessions: sizes, turns, gaps, reuse',
    load: async () => (await import('./commands/stats.ts')).statsCommand,
  },
  'sessions validate': {
    summary: 'compare predicted usage with what was recorded',
    load: async () => (await import('./commands/validate.ts')).validateCommand,
  },
  'sessions recap': {
    summary: 'sum up sessions: titles of turns, and which files they changed',
    load: async () => (await import('./commands/recap.ts')).recapCommand,
  },
  report: {
    summary: 'render saved events and reports in any format',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  'report serve': {
    summary: 'show a report in a browser, and refresh it as it changes',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  provider: {
    summary: 'serve a model that answers by a script, to see when an agent compacts',
    load: async () => (await import('./commands/provider.ts')).providerCommand,
  },
  list: {
    summary: 'list what can be named: policies, models, metrics and more',
    load: async () => (await import('./commands/list.ts')).listCommand,
  },
  [COMPLETE]: {
    summary: 'print a completion script for your shell',
    load: async () => (await import('./commands/complete.ts')).addCompleteCommand,
  },
};
