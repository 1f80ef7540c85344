import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { discoverSessionFiles } from '../src/simulator/session/discover.ts';
import { medianOf } from './support/median.ts';
import type { Suite, SuiteResult } from './suite.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SHARED = resolve(ROOT, '../shared/sessions');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const SESSIONS = 40;
/** Reaches what compacts and what prunes; 10 × 10 cells. */
const AXES = [
  'protect=5k,10k,15k,20k,25k,30k,35k,40k,45k,50k',
  'contextTokens=40k,50k,60k,70k,80k,90k,100k,110k,120k,130k',
];
const MOST_SECONDS = 20;
const LEAST_SPEEDUP = 1.7;
/** One thread and two take turns, so that what else the machine does meets both. */
const ROUNDS = 3;
const MS_PER_SECOND = 1_000;

/** How long 100 cells of the largest shared sessions take, and what a second worker brings. */
export const sweeping: Suite = {
  id: 'sweep',
  name: 'Sweep',
  run: async () =>
    existsSync(SHARED) ? measure() : { notes: ['no shared sessions'], figures: [] },
};

/** Workers need the package as it is built. */
function measure(): SuiteResult {
  const folder = mkdtempSync(join(ROOT, '.sweep-bench-'));
  try {
    const dist = join(folder, 'dist');
    const argv = [COMPILER, '-p', 'tsconfig.build.json', '--declaration', 'false'];
    execFileSync(process.execPath, [...argv, '--outDir', dist], { cwd: ROOT });
    for (const path of ['package.json', 'catalog']) {
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    const files = largestFiles();
    const rounds = Array.from({ length: ROUNDS }, () => ({
      one: secondsOf(dist, files, 1),
      two: secondsOf(dist, files, 2),
    }));
    return {
      notes: [`${files.length} sessions, 100 cells, ${ROUNDS} rounds`],
      figures: [
        {
          name: 'sweep.secondsFor100Cells',
          value: medianOf(rounds.map(({ two }) => two)),
          unit: 's',
          atMost: MOST_SECONDS,
        },
        {
          name: 'sweep.twoWorkersSpeedup',
          value: medianOf(rounds.map(({ one, two }) => one / two)),
          unit: '×',
          atLeast: LEAST_SPEEDUP,
        },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function largestFiles(): readonly string[] {
  const sized = discoverSessionFiles([SHARED]).map((file) => [file, statSync(file).size] as const);
  return sized
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SESSIONS)
    .map(([file]) => file);
}

/** A run that fails is told by the rows, not by the time that it took. */
function secondsOf(dist: string, files: readonly string[], jobs: number): number {
  const vary = AXES.flatMap((axis) => ['--vary', axis]);
  const argv = ['--no-cache', 'sweep', ...files, ...vary, '--jobs', String(jobs)];
  const startMs = performance.now();
  const { status } = spawnSync(process.execPath, [join(dist, 'cli/main.js'), ...argv], {
    stdio: 'ignore',
  });
  if (status !== 0 && status !== 1) throw new Error(`The sweep ended with ${status}.`);
  return (performance.now() - startMs) / MS_PER_SECOND;
}
