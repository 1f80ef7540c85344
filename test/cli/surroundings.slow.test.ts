import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { buildPackage, type BuiltPackage } from '../support/built-package.ts';
import { growingTranscript } from '../support/growing-sessions.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

interface Surroundings {
  readonly cwd?: string;
  readonly home?: string;
  readonly cache?: string;
  readonly jobs?: number;
  readonly locale?: string;
  readonly zone?: string;
}

type Outputs = Readonly<Record<string, string>>;

const ROOT = resolve(import.meta.dirname, '../..');
const INPUTS = {
  recorded: 'scenarios/recorded',
  cases: 'test/fixtures/scenarios',
  sessions: 'test/fixtures/sessions',
  events: 'test/fixtures/events',
};
const [MOUNT, UNMOUNT] = ['/bin/mount', '/bin/umount'];
const SMALL = '--set contextTokens=60000 --set outputTokens=8000';
const ONE = 'recorded/table-widths.json';
const TWO = `${ONE} recorded/csv-format.json`;
const VARY = '--vary protect=20k,40k';
/** Lines of each command, `&&` between those that need each other. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  answer: ['answer --jobs JOBS', `answer ${TWO} --format json`],
  run: [
    `run ${TWO} ${SMALL} --details`,
    `run ${ONE} ${SMALL} --events out/a.jsonl --out out/a.html`,
  ],
  explain: [`explain ${ONE} ${SMALL}`],
  whatif: [`whatif ${ONE} --window 32k,64k --format json`],
  doctor: ['doctor --policy opencode-1.18 --model openai/gpt-5-codex'],
  sweep: [`sweep ${TWO} ${VARY} ${SMALL} --trials 2 --jobs JOBS --out out/rows --details`],
  'sweep worker': ['sweep worker'],
  'sweep merge': [
    `sweep ${TWO} ${VARY} --jobs JOBS --shard 1/2 --out out/1 && sweep ${TWO} ${VARY} --jobs JOBS --shard 2/2 --out out/2 && sweep merge out/1 out/2 --format json`,
  ],
  'sweep export': [
    `sweep ${ONE} ${VARY} --jobs JOBS --out out/rows && sweep export out/rows --out out/rows.parquet`,
  ],
  tune: [`tune ${TWO} ${VARY} ${SMALL} --seed 3 --jobs JOBS --format json`],
  compare: [`compare opencode-1.2.16 document-002 ${TWO} ${SMALL} --details`],
  summarizers: ['summarizers --summarizers extractive,tail --pivots 1 --details'],
  'summarizers score': ['summarizers score missing.json'],
  check: ['check cases --format junit'],
  'check merge': ['check cases --shard 1/1 --out out/1.json && check merge out/1.json'],
  'check minimize': [
    `check minimize ${ONE} --policy opencode-1.2.16 --expect 'compactions~>~1' --set contextTokens=40000 --out out/least.yaml`,
  ],
  'sessions import': ['sessions import --redact --salt pepper --out out sessions'],
  'sessions generate': ['sessions generate codex --sessions 2 --seed 5 --out out'],
  'sessions stats': ['sessions stats --by format --format json sessions recorded'],
  'sessions validate': ['sessions validate sessions recorded'],
  'sessions recap': ['sessions recap recorded'],
  report: ['report events/version-2.jsonl --format html'],
  'report serve': ['report serve missing.jsonl'],
  provider: ['provider --script missing.yaml'],
  list: ['list models', 'list settings'],
  complete: ['complete zsh'],
};
/** For what hangs alone. */
const LONGEST_MS = 3_600_000;
/** Is printed now and then, by the clock. */
const PROGRESS = /^\d+\/\d+.*\n/gm;
const SESSION = { growthTokens: 6_000, model: 'claude-sonnet-4-5', version: '2.1.300' };

let built: BuiltPackage;
const base = layOut('base');
const [full, sealed] = [createFolder(), createFolder()];
const mounted: string[] = [];

beforeAll(() => {
  built = buildPackage();
  mount(full, 'size=16k');
  mount(sealed, 'ro');
  if (!mounted.includes(sealed)) chmodSync(sealed, 0o500);
  if (mounted.includes(full)) writeFileSync(join(full, 'rest'), Buffer.alloc(12_288));
});
afterAll(() => {
  for (const folder of mounted) execFileSync(UNMOUNT, [folder]);
  built.remove();
});

it('there is a line for each command', () => {
  const all = Object.entries(commands).filter(([, { load }]) => load !== undefined);
  expect(Object.keys(LINES).toSorted()).toEqual(all.map(([name]) => name).toSorted());
});

describe('the same bytes, whatever the surroundings, are written by', () => {
  it.concurrent.each(Object.values(LINES).flat())(
    '%s',
    async (line) => {
      const expected = await outputsOf(line, {});
      const kept = createFolder();
      const far = layOut('a-folder-with-a-much-longer-name/and-another-one');
      const differ = async (name: string, how: Surroundings) =>
        differences(expected, await outputsOf(line, how)).map((one) => `${name}: ${one}`);
      const turkish = { locale: 'tr_TR.UTF-8', zone: 'Asia/Kathmandu', home: join(far, 'home') };
      const german = { locale: 'de_DE.UTF-8', zone: 'America/St_Johns', cwd: far };
      const found = [
        await differ('cold, four workers, a longer home', { cache: kept, jobs: 4, ...turkish }),
        await differ('warm, two workers, another folder', { cache: kept, jobs: 2, ...german }),
      ];
      const files = filesIn(kept);
      const states: Record<string, string> = {
        poisoned: damaged(kept, (_, index) => readFileSync(files[(index + 1) % files.length]!)),
        half: damaged(kept, (bytes) => bytes.subarray(0, bytes.length / 2)),
        'read-only': sealed,
        // Full disks that are made up have a test of their own.
        ...(mounted.includes(full) && { full }),
      };
      if (files.length > 0) {
        for (const [name, cache] of Object.entries(states))
          found.push(await differ(name, { cache }));
        const cache = createFolder();
        const two = [{}, { cwd: far }].map((how) => differ('two at once', { ...how, cache }));
        found.push(...(await Promise.all(two)));
      }
      expect(found.flat()).toEqual([]);
    },
    LONGEST_MS,
  );
});

function differences(expected: Outputs, got: Outputs): readonly string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
  return names
    .filter((name) => expected[name] !== got[name])
    .map((name) => {
      const [lines, others] = [expected, got].map((outputs) => (outputs[name] ?? '').split('\n'));
      const index = lines!.findIndex((one, at) => one !== others![at]);
      return `${name}, line ${index + 1}: ${others![index]} instead of ${lines![index]}`;
    });
}

function damaged(folder: string, damage: (bytes: Buffer, index: number) => Buffer): string {
  const copy = createFolder();
  cpSync(folder, copy, { recursive: true });
  for (const [index, file] of filesIn(copy).entries())
    writeFileSync(file, damage(readFileSync(file), index));
  return copy;
}

/** What a line writes: to the terminal, and into files. */
async function outputsOf(line: string, how: Surroundings): Promise<Outputs> {
  const {
    cwd = base,
    home = join(base, 'home'),
    cache,
    jobs = 1,
    locale = 'C.UTF-8',
    zone = 'UTC',
  } = how;
  // Lines run at once have folders of their own.
  const place = join(createFolder(), cwd === base ? 'a' : 'a-longer-name');
  cpSync(cwd, place, { recursive: true, filter: (path) => path !== home });
  const env = { PATH: process.env['PATH'], HOME: home, LANG: locale, LC_ALL: locale, TZ: zone };
  const outputs: Record<string, string> = {};
  for (const [index, one] of line.split(' && ').entries()) {
    const argv = one
      .replace('JOBS', String(jobs))
      .split(' ')
      .map((word) => word.replaceAll("'", '').replaceAll('~', ' '));
    const child = spawn(
      process.execPath,
      [built.program, ...argv, ...(cache === undefined ? ['--no-cache'] : [])],
      {
        cwd: place,
        env: { ...env, ...(cache !== undefined && { COMPACTION_BENCH_CACHE: cache }) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const [stdout, stderr, [code]] = await Promise.all([
      buffer(child.stdout),
      buffer(child.stderr),
      once(child, 'close'),
    ]);
    outputs[`${index} stdout`] = stdout.toString('latin1');
    outputs[`${index} stderr`] = stderr.toString('latin1').replaceAll(PROGRESS, '');
    outputs[`${index} code`] = String(code);
  }
  for (const file of filesIn(join(place, 'out')))
    outputs[file.slice(place.length)] = readFileSync(file, 'latin1');
  rmSync(place, { recursive: true });
  return outputs;
}

function layOut(name: string): string {
  const folder = join(createFolder(), name);
  for (const [as, path] of Object.entries(INPUTS))
    cpSync(join(ROOT, path), join(folder, as), { recursive: true });
  for (const [index, day] of ['one', 'two', 'three'].entries()) {
    const session = { ...SESSION, name: day, startMs: Date.UTC(2026, 0, 5 + index, 23), steps: 30 };
    writeFile(
      join(folder, 'home/.claude/projects/-work-app'),
      `${day}.jsonl`,
      growingTranscript(session),
    );
  }
  return folder;
}

function mount(folder: string, options: string): void {
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
    mounted.push(folder);
  } catch {
    // Only some may mount.
  }
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
