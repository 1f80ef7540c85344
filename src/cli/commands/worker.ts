import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { parseQueueUrl } from '../../simulator/sweep/queue/connection.ts';
import { serveQueue } from '../../simulator/sweep/queue/serve-queue.ts';
import { readVersion } from '../package.ts';
import { leaveCoresTo } from '../process/cores.ts';
import { parseModelOptions } from '../plan/models.ts';
import { parseJobs, parseWhole, jobsOption } from '../plan/options.ts';
import { EXIT } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import { printNote } from '../process/output.ts';
import { defineCommand, required, option, flag } from '../command.ts';

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
  $ compaction-bench sweep worker --queue redis://127.0.0.1:6379
  $ compaction-bench sweep worker --queue rediss://user:password@queue.example:6380 --jobs 4`;

/** Works on the sweeps of a queue. */
export const workerCommand = defineCommand({
  name: 'worker',
  describe: 'Run the tasks of queued sweeps.',
  options: {
    queue: required('--queue <url>', 'Redis or Valkey, as redis://HOST:PORT'),
    jobs: jobsOption,
    lockSeconds: option(
      '--lock-seconds <number>',
      'seconds after which the tasks of a dead worker go to another',
      '30',
    ),
    once: flag('--once', 'exit when no sweep has work left'),
    baseUrl: option('--base-url <url>', 'address of the real models; must be as in the sweep'),
    apiKeyEnv: option(
      '--api-key-env <name>',
      'environment variable that holds the key; must be as in the sweep',
    ),
    cassette: option('--cassette <folder>', 'folder of recorded answers; must be as in the sweep'),
  },
  examples: NOTES,
  run: async (_, options, { io }) => {
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
    return io.signal.aborted ? undefined : EXIT.done;
  },
});
