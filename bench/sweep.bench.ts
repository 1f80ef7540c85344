import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { discoverSessionFiles } from '../src/simulator/session/files/discover.ts';
import type { Suite, SuiteResult } from './suite.ts';
import { measureNode, PROGRAM, type Usage } from './support/program.ts';
import { showRounds, takeTurns } from './support/take-turns.ts';
import { transcriptLines } from './support/transcripts.ts';

const SHARED = resolve(import.meta.dirname, '../../shared/sessions');
const SESSIONS = 40;
/** Windows in which some sessions compact, some are only pruned and some fit; 5 × 4 × 5 cells. */
const GRID = [
  'protect=10k,20k,30k,40k,50k',
  'minimum=5k,10k,20k,30k',
  'contextTokens=80k,100k,128k,160k,200k',
];
const MOST_SECONDS = 20;
/** The seconds that two processors have in that time, whatever else the machine does. */
const MOST_PROCESSOR_SECONDS = 2 * MOST_SECONDS;
const LEAST_SPEEDUP = 1.7;
/** A sweep for which one worker takes less is over before a second one is of use. */
const LEAST_SECONDS = 10;
const ROUNDS = 2;
/** Size of a generated session, enough to fill a window. */
const GENERATED_BYTES = 500_000;

/** How long 100 cells of the largest shared sessions take, and what a second worker brings. */
export const sweeping: Suite = { id: 'sweep', name: 'Sweep', run: measure };

async function measure(): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-sweep-'));
  try {
    const isShared = existsSync(SHARED);
    const files = isShared ? largestFiles() : generateFiles(join(folder, 'sessions'));
    const [load = 0] = loadavg();
    const processorMs: number[] = [];
    const { one, two, processors } = await takeTurns(ROUNDS, {
      one: async () => 1_000 * (await timeSweep(files, 1)).seconds,
      two: async () => {
        const { seconds, processorSeconds } = await timeSweep(files, 2);
        processorMs.push(1_000 * processorSeconds);
        return 1_000 * seconds;
      },
      processors: () => processorMs.at(-1) ?? 0,
    });
    const what = isShared ? 'largest shared sessions' : 'generated sessions, for none are shared';
    return {
      notes: [
        `${files.length} ${what}`,
        showRounds('one worker', one),
        showRounds('two workers', two),
        `${availableParallelism()} processors; ${load.toFixed(1)} other processes wanted one before`,
      ],
      figures: [
        {
          name: 'sweep.secondsFor100Cells',
          value: two.p50 / 1_000,
          unit: 's',
          atMost: MOST_SECONDS,
        },
        {
          name: 'sweep.processorSecondsFor100Cells',
          value: processors.p50 / 1_000,
          unit: 's',
          atMost: MOST_PROCESSOR_SECONDS,
        },
        {
          name: 'sweep.twoWorkersSpeedup',
          value: one.p50 / two.p50,
          unit: '×',
          ...(one.p50 >= 1_000 * LEAST_SECONDS && { atLeast: LEAST_SPEEDUP }),
        },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

/** A run that fails is told by the rows, not by the time that it took. */
function timeSweep(files: readonly string[], jobs: number): Promise<Usage> {
  const vary = GRID.flatMap((axis) => ['--vary', axis]);
  const command = ['--no-cache', 'sweep', ...files, ...vary, '--jobs', String(jobs)];
  return measureNode([PROGRAM, ...command], { codes: [0, 1] });
}
