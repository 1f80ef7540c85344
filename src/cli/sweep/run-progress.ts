import { MS_PER_SECOND } from '../../simulator/units.ts';
import type { CliIo } from '../process/io.ts';
import { createProgress } from '../process/progress.ts';

/** How far many runs have come. */
export interface RunsDone {
  readonly done: number;
  readonly total: number;
}

/** Shows how far many runs have come, how fast, and how long it still takes. */
export interface RunProgress {
  update(runs: RunsDone): void;
  stop(): void;
}

const SECONDS_PER_MINUTE = 60;

/** The progress of runs, with their rate; what was there before counts for none. */
export function createRunProgress(io: CliIo, doneBefore: number): RunProgress {
  const startMs = io.now();
  const progress = createProgress(io);
  const describe = ({ done, total }: RunsDone): string => {
    const seconds = (io.now() - startMs) / MS_PER_SECOND;
    const rate = seconds > 0 ? (done - doneBefore) / seconds : 0;
    if (rate === 0) return 'runs';
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
