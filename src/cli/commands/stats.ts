import type { Command } from '@commander-js/extra-typings';
import { badOption } from '../../simulator/lib/errors.ts';
import { named } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import {
  DIVISIONS,
  type Statistics,
  type StatisticsView,
} from '../../simulator/report/statistics-charts.ts';
import { statisticsFormats } from '../../simulator/report/statistics.ts';
import { readSessions } from '../../simulator/session/load.ts';
import {
  charsEstimator,
  type Estimator,
  type EstimatorName,
} from '../../simulator/session/statistics/sample.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';
import { describeFiles, describeSessions } from '../describe-files.ts';
import { findInputs, noInput, noteDropped, readsStdin, readStdin, STDIN } from '../inputs.ts';
import { ownOrigin } from '../package.ts';
import { chooseFormat, formatHelp } from '../plan/options.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { withCounters } from '../process/out-folder.ts';
import { checkNoInput, checkOutPath, writeReport } from '../process/output.ts';

/** What the command line says, as text. */
interface StatsOptions {
  readonly tokens: string;
  readonly by: string;
  readonly charts?: boolean | undefined;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench stats sessions/
  $ compaction-bench stats 'logs/**/*.jsonl' --by format --charts
  $ compaction-bench stats sessions/ --tokens o200k_base --out workload.json
  $ cat session.jsonl | compaction-bench stats`;

/** What can weigh texts, by name, the default first; a tokenizer is loaded when it is asked for. */
const estimators = {
  chars4: async () => charsEstimator,
  o200k_base: async (counters) => ({
    name: 'o200k_base',
    tokensOf: await counters.ofEncoding('o200k_base'),
  }),
  cl100k_base: async (counters) => ({
    name: 'cl100k_base',
    tokensOf: await counters.ofEncoding('cl100k_base'),
  }),
} satisfies Record<EstimatorName, (counters: Counters) => Promise<Estimator>>;

/** Adds the command that tells what recorded sessions are like. */
export function addStatsCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  program
    .command('stats')
    .description('Describe sessions: sizes, turns, steps, gaps, reuse, compactions.')
    .argument(
      '[inputs...]',
      `files, folders or patterns; ${STDIN} for standard input (default: what is piped in, else the shipped sessions)`,
    )
    .option(
      '--tokens <name>',
      'how tokens are counted: chars4, o200k_base or cl100k_base',
      'chars4',
    )
    .option('--by <name>', `group the table by ${listed(DIVISIONS, 'or')}`, 'tool')
    .option('--charts', 'add charts to the table')
    .option('--format <name>', formatHelp(statisticsFormats))
    .option('--out <path>', 'write the report to a file')
    .addHelpText('after', EXAMPLES)
    .action(async (inputs, options) => {
      onExit(await tellStatistics(inputs, options, io));
    });
}

async function tellStatistics(
  inputs: readonly string[],
  options: StatsOptions,
  io: CliIo,
): Promise<number> {
  const { format, out } = options;
  const render = chooseFormat(statisticsFormats, 'statistics format', { format, out });
  const view: StatisticsView = { by: divisionOf(options), charts: options.charts === true };
  if (view.charts && render !== statisticsFormats.table) {
    throw badOption("Expected '--charts' to come with '--format table', got another format.");
  }
  checkOutPath(out);
  const report = await withCounters(io, async (counters) => {
    const estimator = await loadEstimator(options.tokens, counters);
    return await describe(inputs, { out, estimator }, io);
  });
  if (report === undefined) return EXIT.interrupted;
  if (report.sessions.length === 0) throw noInput(report.unread);
  const origin = ownOrigin();
  const isWritten = writeReport(io, render({ ...report, origin }, view, terminalOf(io, out)), out);
  return isWritten && report.unread.length === 0 ? EXIT.done : EXIT.failed;
}

function divisionOf({ by }: StatsOptions): StatisticsView['by'] {
  const divisions = Object.fromEntries(DIVISIONS.map((name) => [name, name]));
  return named('division', divisions, by);
}

/** The estimator of that name. */
function loadEstimator(name: string, counters: Counters): Promise<Estimator> {
  return named('estimator', estimators, name)(counters);
}

async function describe(
  inputs: readonly string[],
  { out, estimator }: { readonly out: string | undefined; readonly estimator: Estimator },
  io: CliIo,
): Promise<Statistics | undefined> {
  if (!readsStdin(inputs, io)) {
    const found = findInputs(inputs);
    checkNoInput(out, found.files);
    return await describeFiles(found, estimator, io);
  }
  const text = await readStdin(io);
  if (text === undefined) return undefined;
  const sessions = readSessions('standard input', text);
  noteDropped(
    io,
    sessions.map(({ report }) => report.dropped),
  );
  return describeSessions(sessions, estimator);
}
