import { MS_PER_SECOND } from '../../simulator/units.ts';
import type { CliIo } from '../process/io.ts';
import { createProgress } from '../process/progress.ts';

/** How far many runs have come. */
export interface RunsDone {
  readonly done: number;
  readonly total: number;
  /** Of those done, the ones that took time now: no rows of before, and none of sessions that are not run. */
  readonly ran: number;
}

/** Shows how far many runs have come, how fast, and how long it still takes. */
export interface RunProgress {
  update(runs: RunsDone): void;
  stop(): void;
}

const SECONDS_PER_MINUTE = 60;
/** A rate of less than that says nothing. */
const LEAST_SECONDS = 1;

/** The progress of runs, with their rate. */
export function createRunProgress(io: CliIo): RunProgress {
  const startMs = io.now();
  const progress = createProgress(io);
  const describe = ({ done, total, ran }: RunsDone): string => {
    const seconds = (io.now() - startMs) / MS_PER_SECOND;
    if (ran === 0 || seconds < LEAST_SECONDS) return 'runs';
    const rate = ran / seconds;
    return `runs, ${shownRate(rate)} a second, ${shownTime((total - done) / rate)} left`;
  };
  return {
    update: (runs) => {
      const detail = describe(runs);
      progress.start({ file: detail, detail, index: runs.done, total: runs.total });
    },
    stop: () => progress.stop(),
  };
}

function shownRate(rate: number): string {
  return rate < 1 ? rate.toFixed(2) : String(Math.round(rate));
}

function shownTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < SECONDS_PER_MINUTE) return `${whole} s`;
  return `${Math.floor(whole / SECONDS_PER_MINUTE)} min ${whole % SECONDS_PER_MINUTE} s`;
}
