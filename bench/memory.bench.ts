import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure, Suite, SuiteResult } from './suite.ts';
import { makeGeneratedHome, PROJECTS } from './support/home.ts';
import { measureNode, PROGRAM, type Usage } from './support/program.ts';

/** Sessions of one size, ten times as many the second time. */
const FEW = 72;
const MANY = 720;
const SESSION_BYTES = 150_000;
const MOST_MEGABYTES = 250;
/** Names, hashes and rows of ten times as many sessions may take so much more. */
const MOST_GROWTH = 1.25;
/** Else the heap grows as long as nothing keeps it from growing, whatever is still needed of it. */
const SMALL_HEAP = '--max-old-space-size=150';

/** Peak memory of the bare command and of a sweep, over few sessions and over many. */
export const remembering: Suite = { id: 'memory', name: 'Memory', run: measure };

async function measure(): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-memory-'));
  try {
    const few = await measureHome(folder, FEW);
    const many = await measureHome(folder, MANY);
    const figures = [
      ['memory.answer', 'memory.answerGrowth', 'answer'] as const,
      ['memory.sweep', 'memory.sweepGrowth', 'sweep'] as const,
    ].flatMap(([peak, growth, command]): readonly Figure[] => {
      const [fewMb, manyMb] = [few[command].peakMegabytes, many[command].peakMegabytes];
      return [
        { name: peak, value: manyMb, unit: 'MB', atMost: MOST_MEGABYTES },
        { name: growth, value: manyMb / fewMb, unit: '×', atMost: MOST_GROWTH },
      ];
    });
    return { notes: [noteOf(FEW, few), noteOf(MANY, many)], figures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureHome(folder: string, sessions: number) {
  const home = join(folder, `home-${sessions}`);
  makeGeneratedHome(home, { sessions, bytes: SESSION_BYTES });
  const env = { HOME: home, COMPACTION_BENCH_CACHE: join(folder, `cache-${sessions}`) };
  const run = (...argv: readonly string[]) =>
    measureNode([SMALL_HEAP, PROGRAM, ...argv, '--jobs', '1', '--quiet'], { env });
  const answer = await run('--all');
  const vary = ['--vary', 'protect=20k,40k', '--out', join(folder, `rows-${sessions}`)];
  return { answer, sweep: await run('sweep', join(home, PROJECTS), ...vary) };
}

function noteOf(sessions: number, { answer, sweep }: { answer: Usage; sweep: Usage }): string {
  const peak = ({ peakMegabytes }: Usage) => `${peakMegabytes.toFixed(0)} MB`;
  return `${sessions} sessions of ${SESSION_BYTES / 1_000} kB: answer ${peak(answer)}, sweep in 2 cells ${peak(sweep)}`;
}
