import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discoverSessionFiles } from '../src/simulator/session/files/discover.ts';
import type { Figure, Suite, SuiteResult } from './suite.ts';
import { generatedSession, makeHome, PROJECTS } from './support/home.ts';
import { measureNode, packageFile, PROGRAM, type Usage } from './support/program.ts';
import { takeTurns } from './support/take-turns.ts';

const CATALOG = packageFile('catalog/models.json');
const GENERATED = { sessions: 60, bytes: 2_500_000 };
/** Larger than any other index, so that it is another session. */
const NEW_INDEX = 1_000;
const PARSES = 3;
/** Other windows make other triggers, so that every run is a new one. */
const OTHER_WINDOW = 0.9;
const BYTES_PER_MEGABYTE = 1_000_000;
/** Times of a bare parse that each question may take of its processors. */
const QUESTIONS = [
  ['answer.first', 'first', 5],
  ['answer.same', 'same', 0.4],
  ['answer.other', 'other', 1.2],
  ['answer.tune', 'tune', 6],
  ['answer.newSession', 'newSession', 0.6],
] as const;
const MOST_MEGABYTES_OF_JOB = 250;
const MOST_OF_TWO_JOBS = { processor: 1.15, wall: 0.6 } as const;

const PARSE = `const { readFileSync } = require('node:fs');
  for (const file of process.argv.slice(1)) {
    for (const line of readFileSync(file, 'utf8').split('\\n')) {
      try { JSON.parse(line); } catch { /* One that is cut is none. */ }
    }
  }`;

/** Processor time of the bare command and of `tune`, by that of a bare parse of the same files. */
export const answering: Suite = { id: 'answer', name: 'Answer', run: measure };

async function measure(): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-answer-'));
  try {
    const home = join(folder, 'home');
    const kind = makeHome(home, GENERATED);
    const { files } = discoverSessionFiles([join(home, PROJECTS)]);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const parses = await takeTurns(PARSES, {
      parse: async () => 1_000 * (await measureNode(['-e', PARSE, ...files])).processorSeconds,
    });
    const parse = parses.parse.p50 / 1_000;
    const times = await measureQuestions(folder, home);
    const megabytes = (bytes / BYTES_PER_MEGABYTE).toFixed(0);
    return {
      notes: [
        `${files.length} ${kind} transcripts, ${megabytes} MB, parsed in ${parse.toFixed(1)} s of processors`,
        ...Object.entries(times).map(noteOf),
      ],
      figures: toFigures(times, parse),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Times = Awaited<ReturnType<typeof measureQuestions>>;

/** One after the other, as each finds what those before it kept. */
async function measureQuestions(folder: string, home: string) {
  const envWith = (cache: string) => ({ HOME: home, COMPACTION_BENCH_CACHE: join(folder, cache) });
  const ask = (jobs: number, ...more: readonly string[]) => {
    const argv = [PROGRAM, '--all', '--jobs', String(jobs), '--quiet', ...more];
    return measureNode(argv, { env: envWith(`cache-${jobs}`) });
  };
  const first = await ask(1);
  const same = await ask(1);
  const other = await ask(1, '--catalog', otherCatalog(folder));
  const tuned = ['tune', join(home, PROJECTS), '--jobs', '1', '--quiet'];
  const tune = await measureNode([PROGRAM, ...tuned], { env: envWith('cache-1'), codes: [0, 3] });
  const firstOfTwo = await ask(2);
  const added = generatedSession(NEW_INDEX, GENERATED.bytes);
  writeFileSync(join(home, PROJECTS, '-work-app', 'new.jsonl'), added);
  const newSession = await ask(1);
  return { first, same, other, tune, newSession, firstOfTwo };
}

function toFigures(times: Times, parse: number): readonly Figure[] {
  const { first, firstOfTwo } = times;
  const overParse = QUESTIONS.map(([name, question, atMost]) => {
    return { name, value: times[question].processorSeconds / parse, unit: '×', atMost };
  });
  return [
    ...overParse,
    {
      name: 'answer.twoJobs.processor',
      value: firstOfTwo.processorSeconds / first.processorSeconds,
      unit: '×',
      atMost: MOST_OF_TWO_JOBS.processor,
    },
    {
      name: 'answer.twoJobs.wall',
      value: firstOfTwo.seconds / first.seconds,
      unit: '×',
      atMost: MOST_OF_TWO_JOBS.wall,
    },
    {
      name: 'answer.peak',
      value: Math.max(first.peakMegabytes, firstOfTwo.peakMegabytes / 2),
      unit: 'MB a job',
      atMost: MOST_MEGABYTES_OF_JOB,
    },
  ];
}

/** The shipped models with smaller windows. */
function otherCatalog(folder: string): string {
  const path = join(folder, 'catalog.json');
  const other = readFileSync(CATALOG, 'utf8').replaceAll(
    /("context": ?)(\d+)/g,
    (_, key: string, tokens: string) => `${key}${Math.round(Number(tokens) * OTHER_WINDOW)}`,
  );
  writeFileSync(path, other);
  return path;
}

function noteOf([name, { processorSeconds, seconds, peakMegabytes }]: [string, Usage]): string {
  return `${name}: ${processorSeconds.toFixed(1)} s of processors, ${seconds.toFixed(1)} s, peak ${peakMegabytes.toFixed(0)} MB`;
}
