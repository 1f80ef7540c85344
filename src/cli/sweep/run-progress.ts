import { MS_PER_SECOND } from '../../simulator/units.ts';
import type { CliIo } from '../process/io.ts';
import { withProgress } from '../process/progress.ts';

/** How far many runs have come. */
export interface RunsDone {
  readonly done: number;
  readonly total: number;
  /** Of those done, the ones that took time now: no rows of before, and none of sessions that are not run. */
  readonly ran: number;
}

/** Shows how far many runs have come, how fast, and how long it still takes. */
type ShowRuns = (runs: RunsDone) => void;

const SECONDS_PER_MINUTE = 60;
/** A rate of less than that says nothing. */
const LEAST_SECONDS = 1;

/** Lets work show how far its runs have come, with their rate. */
export async function withRunProgress<Result>(
  io: CliIo,
  work: (show: ShowRuns) => Promise<Result>,
): Promise<Result> {
  const startMs = io.now();
  const describe = ({ done, total, ran }: RunsDone): string => {
    const seconds = (io.now() - startMs) / MS_PER_SECOND;
    if (ran === 0 || seconds < LEAST_SECONDS) return 'runs';
    const rate = ran / seconds;
    return `runs, ${shownRate(rate)} a second, ${shownTime((total - done) / rate)} left`;
  };
  return await withProgress(io, (show) =>
    work((runs) => {
      const detail = describe(runs);
      show({ file: detail, detail, index: runs.done, total: runs.total });
    }),
  );
}

function shownRate(rate: number): string {
  return rate < 1 ? rate.toFixed(2) : String(Math.round(rate));
}

function shownTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < SECONDS_PER_MINUTE) return `${whole} s`;
  return `${Math.floor(whole / SECONDS_PER_MINUTE)} min ${whole % SECONDS_PER_MINUTE} s`;
}
