import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { parseQueueUrl } from '../../simulator/sweep/queue/connection.ts';
import { serveQueue } from '../../simulator/sweep/queue/serve-queue.ts';
import { readVersion } from '../package.ts';
import { leaveCoresTo } from '../process/cores.ts';
import { parseJobs, parseWhole, jobsOption } from '../plan/options.ts';
import { EXIT, printNote } from '../process/io.ts';
import { defineCommand, required, option, flag } from '../command.ts';

const LONGEST_LOCK_SECONDS = 3_600;

const NOTES = `
A worker takes the tasks that 'sweep --queue' put there, of one sweep after another, and waits for more. A queue
carries names and sizes of sessions, settings and results, and no texts: a worker needs no session files. It must have
the version of the package that planned the sweep.
Ctrl-C ends it when the tasks in hand are finished; what a killed worker had in hand goes to another one.
Whoever can write to the queue can forge results: keep it to yourself.

Examples:
  $ compaction-bench sweep worker --queue redis://127.0.0.1:6379
  $ compaction-bench sweep worker --queue rediss://user:password@queue.example:6380 --jobs 4`;

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
  },
  examples: NOTES,
  run: async (_, options, { io }) => {
    const { queue, lockSeconds, once } = options;
    const jobs = parseJobs(options.jobs);
    leaveCoresTo(jobs);
    await serveQueue({
      url: parseQueueUrl(queue),
      version: readVersion(),
      jobs,
      lockMs:
        MS_PER_SECOND * parseWhole('--lock-seconds', lockSeconds, { most: LONGEST_LOCK_SECONDS }),
      endsWhenIdle: once === true,
      signal: io.signal,
      note: (message) => printNote(io, message),
    });
    return io.signal.aborted ? undefined : EXIT.done;
  },
});
