/** Feeds damaged recordings to every command, and keeps those that break one: `npm run fuzz -- --help`. */

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { main as Main } from '../src/cli/main.ts';
import { createRandom } from '../src/simulator/env.ts';
import { captureIo } from '../test/support/captured-io.ts';
import { writeInputs } from './faults/trial.ts';
import { mutate, pick } from './fuzz/mutate.ts';
import { createSeeds, type Seed } from './fuzz/seeds.ts';

/** A mutant that broke a command, by its number. */
interface Finding {
  readonly index: number;
  readonly seed?: string;
  readonly command?: string;
  readonly faults: readonly string[];
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
  readonly bytes: number;
}

type Environment = Readonly<Record<string, string>>;

const USAGE = `Usage: npm run fuzz -- [--count 100000] [--seed 1] [--state fuzz.json] [--binary dist/cli/main.js]

Goes on where the state file ends. Mutants that break a command lie beside it, in a folder of its name.
`;
/** What mostly reads: it comes most often, since it is what a damaged file is for. */
const READING = [
  'sessions import X --explain',
  'sessions stats X',
  'sessions validate X',
  'sessions recap X',
  'explain X',
  'whatif X',
  'compare X X',
];
const REPLAYING = [
  'answer X',
  'run X --policy none,opencode-1.2.16 --events OUT.jsonl',
  'tune X --vary protect=1k,2k',
  'sweep X --policy none,opencode-1.2.16 --out OUT',
  'compare none opencode-1.2.16 X',
  'summarizers X --summarizers lead',
  'check minimize X --policy opencode-1.2.16',
  'sessions generate --fit X --sessions 1 --seed 1',
];
/** It stretches a key on purpose, for more than a second. */
const REDACTING = ['sessions import X --redact --out OUT'];
const KINDS = { binary: 0.55, text: 0.75, result: 0.95, home: 1 };
const PROGRAM = join(import.meta.dirname, '../dist/cli/main.js');
/** A process takes as long to start as some hundred mutants. */
const BATCH = 2000;
const WARM_UP = 20;
/** Of processor time, which a busy machine does not change. */
const MOST_MS = 10_000;
const HANG_MS = 1_200_000;
const MOST_BYTES = 1024 ** 3;
const SHOWN = 600;
const STACK = /^\s+at .*:\d+:\d+\)?$/m;
const TELL_USE = `data:text/javascript,process.on("exit",()=>{const{maxRSS,userCPUTime}=process.resourceUsage();process._rawDebug(\`used=\${maxRSS},\${Math.round(userCPUTime/1000)}\`)})`;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    state: { type: 'string', default: 'fuzz.json' },
    binary: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    results: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const work = mkdtempSync(join(tmpdir(), 'compaction-bench-fuzz-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
if (options.help) process.stdout.write(USAGE);
else if (options.results === undefined) await runAll(writeInputs(PROGRAM));
else await runBatch(options.results, Number(options.from), Number(options.to));

async function runAll(results: string): Promise<void> {
  const kept = existsSync(options.state) ? readFileSync(options.state, 'utf8') : '{}';
  let { done = 0, findings = [] } = JSON.parse(kept) as { done?: number; findings?: Finding[] };
  const seeds = createSeeds(results);
  const count = Number(options.count);
  while (done < count) {
    const end = Math.min(count, done + BATCH);
    const found = await followBatch(results, done, end);
    for (const { index } of found.findings)
      writeFiles(join(`${options.state}.mutants`, String(index)), mutantAt(seeds, index).files);
    findings = [...findings, ...found.findings];
    ({ done } = found);
    writeFileSync(options.state, JSON.stringify({ done, findings }, undefined, 2));
  }
  process.stdout.write(`${done} mutants, ${findings.length} findings.\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

/** Runs mutants in a process of their own, and ends it where one hangs. */
async function followBatch(results: string, from: number, to: number) {
  const place = ['--results', results, '--from', String(from), '--to', String(to)];
  const argv = [...process.argv.slice(2), ...place];
  const batch = fork(import.meta.filename, argv, { stdio: 'inherit' });
  const findings: Finding[] = [];
  let index = from;
  let timer = setTimeout(() => undefined, 0);
  batch.on('message', (message: number | Finding) => {
    clearTimeout(timer);
    timer = setTimeout(() => batch.kill('SIGKILL'), HANG_MS);
    if (typeof message === 'number') index = message;
    else findings.push(message);
  });
  const [code] = (await once(batch, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code === 0) return { findings, done: to };
  const faults = [code === null ? 'hangs or dies' : `ends the process with ${code}`];
  return { findings: [...findings, { index, faults }], done: index + 1 };
}

async function runBatch(results: string, from: number, to: number): Promise<void> {
  const { main }: { main: typeof Main } = await import(pathToFileURL(PROGRAM).href);
  const seeds = createSeeds(results);
  for (let index = from; index < to; index++) {
    process.send?.(index);
    const { seed, files, command } = mutantAt(seeds, index);
    rmSync(work, { recursive: true, force: true });
    const folder = join(work, 'in');
    writeFiles(folder, files);
    const path = files.length > 1 ? folder : join(folder, files[0]?.[0] ?? '');
    const places: Readonly<Record<string, string>> = { X: path, OUT: join(work, 'out') };
    const words = command.replaceAll(/\b(?:X|OUT)\b/g, (name) => places[name] ?? name).split(' ');
    const argv = ['--no-cache', ...words];
    const env = { HOME: seed.kind === 'home' ? folder : work };
    const faults = faultsOf(options.binary ? runBinary(argv, env) : await runHere(main, argv, env));
    if (faults.length > 0) process.send?.({ index, seed: seed.name, command, faults });
  }
  process.exit(0);
}

/** The mutant of a number, the same whenever it is made. */
function mutantAt(seeds: readonly Seed[], index: number) {
  // Neighbouring seeds begin alike.
  const random = createRandom(Math.imul(Number(options.seed) * 7919 + index, 0x9e_37_79_b1) >>> 0);
  for (let draw = 0; draw < WARM_UP; draw++) random();
  const drawn = random();
  const [kind] = Object.entries(KINDS).find(([, end]) => drawn < end) ?? [];
  const seed = pick(
    seeds.filter((one) => one.kind === kind),
    random,
  );
  const changed = pick(seed.files, random);
  const files = seed.files.map((file) => {
    const [name, content] = file;
    const isPacked = seed.kind === 'binary' || name.endsWith('.db');
    return [name, file === changed ? mutate(content, isPacked, random) : content] as const;
  });
  const group = pick([REPLAYING, ...(random() < 0.02 ? [REDACTING] : [READING, READING])], random);
  return { seed, files, command: pick(seed.commands ?? group, random) };
}

function writeFiles(folder: string, files: Seed['files']): void {
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

async function runHere(main: typeof Main, argv: readonly string[], env: Environment) {
  const start = process.cpuUsage();
  const io = captureIo({ env });
  const code = await main(argv, io);
  const bytes = process.memoryUsage.rss();
  const output = io.written.stderr + io.written.stdout;
  const { user, system } = process.cpuUsage(start);
  return { code, output, ms: (user + system) / 1000, bytes };
}

function runBinary(argv: readonly string[], env: Environment): Ended {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', TELL_USE, options.binary ?? '', ...argv],
    { encoding: 'utf8', timeout: HANG_MS / 2, env: { ...process.env, ...env } },
  );
  const [, kilobytes, ms] = /^used=(\d+),(\d+)$/m.exec(stderr) ?? [];
  const bytes = Number(kilobytes) * 1024;
  return { code: status, output: stderr + stdout, ms: Number(ms), bytes };
}

function faultsOf({ code, output, ms, bytes }: Ended): readonly string[] {
  const tells = code === 0 || code === 2 || (code === 1 && /Expected | unread\b/.test(output));
  return [
    ...(tells || code === 3 ? [] : [`exit code ${code}: ${output.slice(0, SHOWN)}`]),
    ...(STACK.test(output) || output.includes('worth a report') ? [output.slice(0, SHOWN)] : []),
    ...(ms > MOST_MS ? [`${Math.round(ms)} ms`] : []),
    ...(bytes > MOST_BYTES ? [`${Math.round(bytes / 1024 ** 2)} MB`] : []),
  ];
}
