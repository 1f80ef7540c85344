/** The process as commands see it, and exit codes. */

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Environment } from '../../simulator/env.ts';
import { quoted } from '../../simulator/lib/names.ts';
import type { Terminal } from '../../simulator/report/report.ts';

export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

export type Input = AsyncIterable<Uint8Array | string> & {
  readonly isTTY?: boolean;
  readonly fd?: number;
  destroy(): unknown;
};

/** `false` for none. */
export interface CacheOptions {
  readonly cache?: string | boolean | undefined;
}

export interface CliIo {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cache?: CacheOptions | undefined;
  readonly isQuiet?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Wall-clock time in ms, for progress only. */
  now(): number;
}

/** Codes with which a command ends; the README lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  inconclusive: 3,
  interrupted: 130,
} as const;

const FLAGS = [
  // V8 takes what a session holds to its end for what stays for good, as soon as some sessions were long, and then has to
  // go through all memory for it; but of a run nothing stays.
  '--no-allocation-site-pretenuring',
  // So little outlives a replay's young objects that threads cost more to wake for them than they collect.
  '--no-parallel-scavenge',
];

/** The terminal that a report is for; a plain one for a file. */
export function terminalOf(io: CliIo, out?: string): Terminal {
  if (out !== undefined) return { colors: false };
  return { colors: hasColors(io), terminalColumns: columnsOf(io.stdout) };
}

/** How many columns a terminal has; unknown of what is none. */
export function columnsOf({ isTTY, columns = 0 }: Output): number | undefined {
  // Some terminals say that they have none.
  return isTTY === true && columns > 0 ? columns : undefined;
}

/** True if standard output takes colours: NO_COLOR, FORCE_COLOR, then the terminal decide. */
export function hasColors({ stdout, env }: CliIo): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return !/^(?:0|false)$/i.test(forced);
  return stdout.isTTY === true && env['TERM'] !== 'dumb';
}

/** True if the user wants to stop; lets signals be heard. */
export async function isStopped({ signal }: Pick<CliIo, 'signal'>): Promise<boolean> {
  await setImmediate();
  return signal.aborted;
}

/** Items so far as the user does not want to stop. */
export async function takeInTurn<Item>(
  items: Iterable<Item>,
  io: Pick<CliIo, 'signal'>,
): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (await isStopped(io)) break;
  }
  return taken;
}

/** Writes pieces as fast as they are taken until the user wants to stop. Whether all were. */
export async function writePieces(io: CliIo, pieces: Iterable<string>): Promise<boolean> {
  for (const piece of pieces) {
    if (io.signal.aborted) return false;
    if (!io.stdout.write(piece)) await untilTaken(io);
  }
  return true;
}

/** Ends a program that cannot write: quietly where nobody reads, as in `… | head`. */
export function endEarly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Expected to write to standard output, got ${quoted(error.message)}.\n`);
  process.exit(EXIT.failed);
}

/** Has V8 expect that nearly all objects of a run are thrown away; for good. */
export function setMemoryFlags(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}

async function untilTaken({ stdout, signal }: CliIo): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      stdout.removeListener('drain', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    stdout.once('drain', go);
    signal.addEventListener('abort', go, { once: true });
    // The call that writes may have stopped it at once.
    if (signal.aborted) go();
  });
}
