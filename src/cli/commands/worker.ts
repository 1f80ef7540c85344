import type { Command } from '@commander-js/extra-typings';
import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { parseQueueUrl } from '../../simulator/sweep/queue/connection.ts';
import { serveQueue } from '../../simulator/sweep/queue/serve-queue.ts';
import { readVersion } from '../package.ts';
import { leaveCoresTo } from '../plan/grid.ts';
import { parseModelOptions } from '../plan/models.ts';
import { parseJobs, parseWhole } from '../plan/options.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import { printNote } from '../process/output.ts';

/** What the command line says, as text. */
interface WorkerOptions {
  readonly queue: string;
  readonly jobs?: string | undefined;
  readonly lockSeconds: string;
  readonly once?: true | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
  readonly cassette?: string | undefined;
}

const LONGEST_LOCK_SECONDS = 3_600;

const NOTES = `
A worker takes the tasks of every sweep that 'sweep --queue' put there, one sweep after another, and waits for
more. A queue carries names, settings and results, and texts of sessions only with 'sweep --send-texts': a worker
reads the session files by the path that the sweep was given, from a folder that all machines share, and refuses a
file that holds something else. It must have the version of the package that planned the sweep.
Where a sweep asks real models, the worker does so with the key of its own environment; where that goes, and which
folder is written to, the sweep cannot decide alone.
Ctrl-C ends it when the tasks in hand are finished; what a killed worker had in hand goes to another one.
Whoever can write to the queue can have workers read session files: keep it to yourself.

Examples:
  $ compaction-bench worker --queue redis://127.0.0.1:6379
  $ compaction-bench worker --queue rediss://user:password@queue.example:6380 --jobs 4`;

/** Adds the command that works on sweeps of a queue. */
export function addWorkerCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('worker')
    .description('Run the tasks of queued sweeps.')
    .requiredOption('--queue <url>', 'Redis or Valkey, as redis://HOST:PORT')
    .option('--jobs <number>', 'threads (default: one per core)')
    .option(
      '--lock-seconds <number>',
      'seconds after which the tasks of a dead worker go to another',
      '30',
    )
    .option('--once', 'exit when no sweep has work left')
    .option('--base-url <url>', 'address of the real models; must be as in the sweep')
    .option(
      '--api-key-env <name>',
      'environment variable that holds the key; must be as in the sweep',
    )
    .option('--cassette <folder>', 'folder of recorded answers; must be as in the sweep')
    .addHelpText('after', NOTES)
    .action(async (options) => onExit(await work(options, io)));
}

async function work(options: WorkerOptions, io: CliIo): Promise<number> {
  const { queue, lockSeconds, once } = options;
  const jobs = parseJobs(options.jobs);
  const { baseUrl, apiKeyEnv, cassette } = parseModelOptions(options, io.env);
  leaveCoresTo(jobs);
  await serveQueue({
    url: parseQueueUrl(queue),
    version: readVersion(),
    jobs,
    lockMs:
      MS_PER_SECOND * parseWhole('--lock-seconds', lockSeconds, { most: LONGEST_LOCK_SECONDS }),
    endsWhenIdle: once === true,
    cacheFolder: countsFolder(io.cache ?? {}, io.env),
    environment: io.env,
    own: { baseUrl, apiKeyEnv, cassette },
    signal: io.signal,
    note: (message) => printNote(io, message),
  });
  return io.signal.aborted ? EXIT.interrupted : EXIT.done;
}
