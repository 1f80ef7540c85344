import { Presets, SingleBar } from 'cli-progress';
import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { shownText } from '../../simulator/report/markup.ts';
import type { CliIo } from './io.ts';

export type ShowProgress = (start: {
  readonly file: string;
  readonly index: number;
  readonly total: number;
  /** Of a plain line, for work whose count stands still for long. */
  readonly detail?: string;
}) => void;

interface Progress {
  readonly start: ShowProgress;
  stop(): void;
}

const LINE_INTERVAL_MS = 10_000;
/** The pace tells the rest from this time and share on. */
const LEAST_PASSED_MS = 5_000;
const LEAST_DONE = 0.1;
const SECONDS_PER_MINUTE = 60;
const BAR_WIDTH = 24;

export async function withProgress<Result>(
  io: CliIo,
  work: (show: ShowProgress) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(io);
  try {
    return await work(progress.start);
  } finally {
    progress.stop();
  }
}

/** The time left at the pace so far, behind a comma; empty while that is a guess. */
export function shownLeft(passedMs: number, done: number, all: number) {
  if (passedMs < LEAST_PASSED_MS || done < all * LEAST_DONE || done === 0) return '';
  const seconds = Math.ceil((passedMs * (all - done)) / done / MS_PER_SECOND);
  const minutes = Math.floor(seconds / SECONDS_PER_MINUTE);
  const shown = minutes === 0 ? '' : `${minutes} min `;
  return `, ${shown}${seconds % SECONDS_PER_MINUTE} s left`;
}

export function* inTurn<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  io: CliIo,
): Generator<Item, void, void> {
  const progress = createProgress(io);
  try {
    for (const [index, item] of items.entries()) {
      progress.start({ file: nameOf(item), index, total: items.length });
      yield item;
    }
  } finally {
    progress.stop();
  }
}

function createProgress(io: CliIo): Progress {
  if (io.isQuiet) return { start: () => {}, stop: () => {} };
  return io.stderr.isTTY === true ? createBar(io) : createLines(io);
}

function createBar({ stderr }: CliIo): Progress {
  const bar = new SingleBar(
    {
      stream: stderr,
      format: '{bar} {value}/{total} {file}',
      barsize: BAR_WIDTH,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  );
  return {
    start: ({ file, index, total }) => {
      const payload = { file: shownText(file) };
      if (bar.isActive) bar.update(index, payload);
      else bar.start(total, index, payload);
    },
    stop: () => bar.stop(),
  };
}

function createLines(io: CliIo): Progress {
  let lastMs = io.now();
  return {
    start: ({ index, total, detail }) => {
      if (io.now() - lastMs < LINE_INTERVAL_MS) return;
      lastMs = io.now();
      const more = detail === undefined ? '' : ` ${detail}`;
      io.stderr.write(`${index}/${total}${more}\n`);
    },
    stop: () => undefined,
  };
}
