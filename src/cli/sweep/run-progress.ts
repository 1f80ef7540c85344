import { Presets, SingleBar } from 'cli-progress';
import { shownText } from '../../simulator/report/shown-text.ts';
import { MS_PER_SECOND } from '../../simulator/units.ts';
import type { CliIo } from '../process/io.ts';

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

/** Time without a terminal after which a line says that something goes on. */
const LINE_INTERVAL_MS = 10_000;
const SECONDS_PER_MINUTE = 60;
const BAR_WIDTH = 24;

/** A bar on a terminal, elsewhere a plain line now and then; nothing for who wants it quiet. What was there before counts for no rate. */
export function createRunProgress(io: CliIo, doneBefore: number): RunProgress {
  if (io.isQuiet) return { update: () => {}, stop: () => {} };
  const startMs = io.now();
  const describe = ({ done, total }: RunsDone): string => {
    const seconds = (io.now() - startMs) / MS_PER_SECOND;
    const rate = seconds > 0 ? (done - doneBefore) / seconds : 0;
    if (rate === 0) return 'runs';
    return `runs, ${shownRate(rate)} a second, ${shownTime((total - done) / rate)} left`;
  };
  return io.stderr.isTTY === true ? createBar(io, describe) : createLines(io, describe);
}

type Describe = (runs: RunsDone) => string;

function createBar({ stderr }: CliIo, describe: Describe): RunProgress {
  const bar = new SingleBar(
    {
      stream: stderr,
      format: '{bar} {value}/{total} {text}',
      barsize: BAR_WIDTH,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  return {
    update: (runs) => {
      const payload = { text: shownText(describe(runs)) };
      if (bar.isActive) bar.update(runs.done, payload);
      else bar.start(runs.total, runs.done, payload);
    },
    stop: () => bar.stop(),
  };
}

function createLines(io: CliIo, describe: Describe): RunProgress {
  let lastMs = io.now();
  return {
    update: (runs) => {
      if (io.now() - lastMs < LINE_INTERVAL_MS) return;
      lastMs = io.now();
      io.stderr.write(`${runs.done}/${runs.total} ${describe(runs)}\n`);
    },
    stop: () => undefined,
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
