import { connect } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { main as Main } from '../../src/cli/main.ts';
import { counted, countCalls, inject } from './inject.js';
import type { Ended, Trial } from './trial.ts';

const HANG_MS = 300_000;
const ADDRESS = /http:\/\/127\.0\.0\.1:(\d+)/;
let uncaught: (error: unknown) => void = () => undefined;
for (const name of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(name, (error) => uncaught(error));

/** Runs a trial by the program's `main`, and ends it where it serves. */
export async function runInProcess(trial: Trial, program: string): Promise<Ended> {
  const { main }: { main: typeof Main } = await import(pathToFileURL(program).href);
  const stop = new AbortController();
  const told = { stdout: '', stderr: '' };
  const output = (name: keyof typeof told) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        told[name] += String(chunk);
        const port = ADDRESS.exec(told.stderr)?.[1];
        if (name === 'stderr' && port !== undefined && !stop.signal.aborted)
          void disturb(Number(port), trial.requests).finally(() => stop.abort());
        done();
      },
    });
  const io = {
    stdin: Object.assign(Readable.from([Buffer.from(trial.stdin)]), { isTTY: trial.stdin === '' }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: trial.env,
    signal: stop.signal,
    now: () => performance.now(),
  };
  const before = { ...process.env };
  Object.assign(process.env, trial.env);
  const undo = prepare(trial.fault);
  const over = new AbortController();
  const { failures } = counted;
  try {
    const broken = new Promise<string>((resolve) => {
      uncaught = (error) => {
        told.stderr += `uncaught: ${error instanceof Error ? error.stack : String(error)}`;
        resolve('uncaught');
      };
    });
    const hung = setTimeout(HANG_MS, 'hangs', { signal: over.signal }).catch(() => 'over');
    const code = await Promise.race([main(trial.argv, io), broken, hung]);
    return { ...told, code, isMet: counted.failures > failures, calls: undo() };
  } finally {
    over.abort();
    stop.abort();
    undo();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

function prepare(fault: Trial['fault']): () => unknown {
  if (fault.port === 'watch') return countCalls(fault['within']);
  return fault.port === 'none' ? () => undefined : inject(fault as never);
}

/** Sends what is no request, in turn; a connection may be left in the middle. */
async function disturb(port: number, requests: readonly string[]) {
  for (const request of requests) {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume();
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.write(request, () => {
        if (request.endsWith('\n')) void setTimeout(30).then(() => socket.destroy());
        else socket.destroy();
      });
    });
  }
}
