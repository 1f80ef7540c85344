/** Injects faults into the built program, in this process and in processes of their own; goes on where it was stopped. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createTrial, type Ended, findFlaws, type Trial, writeInputs } from './faults/trial.ts';
import { runInProcess } from './faults/run-in-process.ts';

interface Progress {
  process: number;
  binary: number;
  met: number;
  readonly codes: Record<string, number>;
  readonly findings: string[];
}

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist/cli/main.js');
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'faults/inject.js')).href;
const HANG_MS = 300_000;
const SAVED_EVERY = 50;

const { values } = parseArgs({
  options: {
    state: { type: 'string' },
    seed: { type: 'string', default: '1' },
    process: { type: 'string', default: '10000' },
    binary: { type: 'string', default: '300' },
    only: { type: 'string' },
  },
});
const { state } = values;
const progress: Progress =
  state !== undefined && existsSync(state)
    ? JSON.parse(readFileSync(state, 'utf8'))
    : { process: 0, binary: 0, met: 0, codes: {}, findings: [] };
const inputs = writeInputs(PROGRAM);

for (const kind of ['process', 'binary'] as const) {
  const first = values.only === undefined ? progress[kind] : Number(values.only);
  const end =
    values.only === undefined ? Number(values[kind]) : first + Math.min(1, Number(values[kind]));
  for (let index = first; index < end; index++) {
    const random = randomOf(`${values.seed} ${kind} ${index}`);
    const run = (trial: Trial) => runInProcess(trial, PROGRAM);
    const trial = await createTrial(random, { inputs, isBinary: kind === 'binary', run });
    const ended = await (kind === 'binary' ? runBinary(trial) : run(trial));
    const flaws = findFlaws(trial, ended);
    for (const flaw of flaws) {
      const found = `${kind} ${index}: ${flaw}: ${JSON.stringify(trial.fault)} ${trial.argv.join(' ')}`;
      progress.findings.push(found);
      console.log(`${found}\n${ended.stderr.slice(0, 600)}`);
    }
    trial.remove();
    progress[kind] = index + 1;
    progress.met += ended.isMet ? 1 : 0;
    progress.codes[String(ended.code)] = (progress.codes[String(ended.code)] ?? 0) + 1;
    if (flaws.length > 0 || index % SAVED_EVERY === 0 || index + 1 === end) save();
  }
}
console.log(JSON.stringify({ ...progress, findings: progress.findings.length }));
process.exit(progress.findings.length === 0 ? 0 : 1);

function save() {
  if (state !== undefined) writeFileSync(state, JSON.stringify(progress, undefined, 1));
}

/** Whole numbers below a bound, the same for the same name. */
function randomOf(name: string) {
  let drawn = 0;
  return (bound: number) => {
    drawn += 1;
    const digest = createHash('sha256').update(`${name} ${drawn}`).digest();
    return digest.readUInt32LE() % bound;
  };
}

function runBinary({ argv, fault, env, stdin }: Trial): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', PRELOAD, PROGRAM, ...argv], {
      env: { PATH: process.env['PATH'], ...env, FAULT: JSON.stringify(fault) },
    });
    const told = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (chunk) => (told[name] += String(chunk)));
    if (fault.port === 'output') child.stdout.destroy();
    child.stdin.on('error', () => undefined).end(stdin);
    let isHung = false;
    const timer = setTimeout(() => {
      isHung = true;
      child.kill('SIGKILL');
    }, HANG_MS);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ ...told, code: isHung ? 'hangs' : (code ?? signal ?? 'nothing') });
    });
  });
}
