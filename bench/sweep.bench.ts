import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { discoverSessionFiles } from '../src/simulator/session/files/discover.ts';
import type { Figure, Suite, SuiteResult } from './suite.ts';
import { medianOf } from './support/median.ts';
import { transcriptLines } from './support/transcripts.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** The bundled one, which lies beside what is compiled of `src`. */
const PROGRAM = fileURLToPath(
  new URL('../../dist/cli/main.js', import.meta.resolve('../src/cli/main.ts')),
);
const SHARED = resolve(ROOT, '../shared/sessions');
const SESSIONS = 40;
/** Windows in which some sessions compact, some are only pruned and some fit; 5 × 4 × 5 cells. */
const GRID = [
  'protect=10k,20k,30k,40k,50k',
  'minimum=5k,10k,20k,30k',
  'contextTokens=80k,100k,128k,160k,200k',
];
/** So much to do that it hardly matters how long a worker takes to begin; 10 × 8 × 10 cells. */
const LARGE_GRID = [
  'protect=10k,15k,20k,25k,30k,35k,40k,45k,50k,60k',
  'minimum=5k,7k,10k,12k,15k,20k,25k,30k',
  `contextTokens=${Array.from({ length: 10 }, (_, index) => `${80 + 20 * index}k`).join(',')}`,
];
const MOST_SECONDS = 20;
/** The seconds that two processors have in that time, whatever else the machine does. */
const MOST_PROCESSOR_SECONDS = 2 * MOST_SECONDS;
const LEAST_SPEEDUP = 1.7;
/** One sweep alone takes a twentieth more or less from time to time. */
const ROUNDS = 3;
/** A sweep for which one worker takes less is over before a second one is of use. */
const LEAST_SECONDS = 10;
const MS_PER_SECOND = 1_000;
const MICROSECONDS_PER_SECOND = 1_000_000;
/** Has a process tell in its last line what it took of its processors, its threads included. */
const TELL_USAGE = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads';
  const tell = () => process.stderr.write('\\n' + JSON.stringify(process.cpuUsage()));
  if (isMainThread) process.on('exit', tell);
`)}`;
/** Size of a generated session, enough to fill a window. */
const GENERATED_BYTES = 500_000;

/** How long 100 cells of the largest shared sessions take, and what a second worker brings in 800. */
export const sweeping: Suite = { id: 'sweep', name: 'Sweep', run: measure };

/** Generated sessions are written beside, not into the repository. */
async function measure(): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-sweep-'));
  try {
    const isShared = existsSync(SHARED);
    const files = isShared ? largestFiles() : generateFiles(join(folder, 'sessions'));
    const [load = 0] = loadavg();
    const few = await timeBoth({ files, axes: GRID });
    const large = { files, axes: LARGE_GRID };
    const many = await timeBoth(large);
    const apart = await timeApart(large);
    const what = isShared ? 'largest shared sessions' : 'generated sessions, for none are shared';
    return {
      notes: [
        `${files.length} ${what}`,
        describeTimes('100 cells', few),
        describeTimes('800 cells', many),
        `two programs side by side, with 800 cells each: ${apart.toFixed(1)} s`,
        `${availableParallelism()} processors; ${load.toFixed(1)} other processes wanted one before`,
      ],
      figures: toFigures({ few, many, apart }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toFigures({ few, many, apart }: SweepTimes): readonly Figure[] {
  const { seconds, processorSeconds } = few.two;
  return [
    { name: 'sweep.secondsFor100Cells', value: seconds, unit: 's', atMost: MOST_SECONDS },
    {
      name: 'sweep.processorSecondsFor100Cells',
      value: processorSeconds,
      unit: 's',
      atMost: MOST_PROCESSOR_SECONDS,
    },
    {
      name: 'sweep.twoWorkersSpeedupIn800Cells',
      value: speedupOf(many),
      unit: '×',
      ...(many.one.seconds >= LEAST_SECONDS && { atLeast: LEAST_SPEEDUP }),
    },
    {
      name: 'sweep.twoProgramsSpeedupIn800Cells',
      value: (2 * many.one.seconds) / apart,
      unit: '×',
    },
  ];
}

function generateFiles(folder: string): readonly string[] {
  mkdirSync(folder);
  return Array.from({ length: SESSIONS }, (_, index) => {
    const file = join(folder, `transcript-${index}.jsonl`);
    writeFileSync(file, [...transcriptLines({ index, bytes: GENERATED_BYTES })].join(''));
    return file;
  });
}

function largestFiles(): readonly string[] {
  const sized = discoverSessionFiles([SHARED]).files.map(
    (file) => [file, statSync(file).size] as const,
  );
  return sized
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SESSIONS)
    .map(([file]) => file);
}

/** The time that a sweep took, by the clock and by its processors. */
interface SweepTime {
  readonly seconds: number;
  /** Of all processors together. */
  readonly processorSeconds: number;
}

/** The files of a sweep, and the axes that it varies. */
interface BenchSweep {
  readonly files: readonly string[];
  readonly axes: readonly string[];
}

/** The times that are compared, over few cells and over many. */
interface SweepTimes {
  readonly few: BothTimes;
  readonly many: BothTimes;
  /** Seconds of two programs side by side, each with one worker and as many cells. */
  readonly apart: number;
}

/** A sweep with one worker and with two. */
interface BothTimes {
  readonly one: SweepTime;
  readonly two: SweepTime;
}

/** Both take turns, so that whatever else the machine does meets either. */
async function timeBoth(sweep: BenchSweep): Promise<BothTimes> {
  const [one, two]: [SweepTime[], SweepTime[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await timeSweep(sweep, 1));
    two.push(await timeSweep(sweep, 2));
  }
  return { one: medianTime(one), two: medianTime(two) };
}

function medianTime(times: readonly SweepTime[]): SweepTime {
  return {
    seconds: medianOf(times.map(({ seconds }) => seconds)),
    processorSeconds: medianOf(times.map(({ processorSeconds }) => processorSeconds)),
  };
}

/** The seconds that two programs take which share nothing but the machine: more than that no second worker can bring. */
async function timeApart(sweep: BenchSweep): Promise<number> {
  const times = await Promise.all([timeSweep(sweep, 1), timeSweep(sweep, 1)]);
  return Math.max(...times.map(({ seconds }) => seconds));
}

function speedupOf({ one, two }: BothTimes): number {
  return one.seconds / two.seconds;
}

function describeTimes(cells: string, times: BothTimes): string {
  const [one, two] = [describeTime(times.one), describeTime(times.two)];
  return `${cells}: one worker ${one}, two ${two}, ${speedupOf(times).toFixed(2)} times as fast`;
}

function describeTime({ seconds, processorSeconds }: SweepTime): string {
  return `${seconds.toFixed(1)} s (${processorSeconds.toFixed(1)} s of processors)`;
}

/** A run that fails is told by the rows, not by the time that it took. */
async function timeSweep({ files, axes }: BenchSweep, jobs: number): Promise<SweepTime> {
  const vary = axes.flatMap((axis) => ['--vary', axis]);
  const command = ['--no-cache', 'sweep', ...files, ...vary, '--jobs', String(jobs)];
  const argv = ['--import', TELL_USAGE, PROGRAM, ...command];
  const startMs = performance.now();
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [[status], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  if (status !== 0 && status !== 1) throw new Error(`The sweep ended with ${status}: ${stderr}`);
  return {
    seconds: (performance.now() - startMs) / MS_PER_SECOND,
    processorSeconds: readUsage(stderr),
  };
}

function readUsage(stderr: string): number {
  const { user, system }: NodeJS.CpuUsage = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  return (user + system) / MICROSECONDS_PER_SECOND;
}
