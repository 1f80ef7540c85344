/** What commands use of the process, and the codes they exit with. */

import type { Environment } from '../../simulator/environment.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import type { CacheOptions } from '../options/cache-folder.ts';

/** A stream that text is written to, and whether a person sees it at once. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** A stream that text is read from, whether a person types it, and what it is open as if it is of the system. */
export type Input = AsyncIterable<Uint8Array | string> & {
  readonly isTTY?: boolean;
  readonly fd?: number;
  destroy(): unknown;
};

/** All that a command knows of the process around it. */
export interface CliIo {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  /** What the command line says of where counts are kept; nothing where it is absent. */
  readonly cache?: CacheOptions | undefined;
  /** Whether progress and notes of what went well are left out. */
  readonly isQuiet?: boolean | undefined;
  /** Fires when the user wants to stop. */
  readonly signal: AbortSignal;
  /** Wall-clock time in ms, for progress only. */
  now(): number;
}

/** Codes with which a command ends; the README lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  /** What was to be compared cannot be, or too little of it has a number. */
  inconclusive: 3,
  interrupted: 130,
} as const;

/** What standard output can show of a report, unless that goes to a file. */
export function terminalOf(io: CliIo, out?: string): Terminal {
  if (out !== undefined) return { colors: false };
  return { colors: hasColors(io), terminalColumns: columnsOf(io.stdout) };
}

/** How many columns a terminal has; unknown of what is none. */
export function columnsOf({ isTTY, columns = 0 }: Output): number | undefined {
  // Some terminals say that they have none.
  return isTTY === true && columns > 0 ? columns : undefined;
}

/** Whether standard output takes colours: never with NO_COLOR, always with FORCE_COLOR, else on a terminal. */
export function hasColors({ stdout, env }: CliIo): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return !/^(?:0|false)$/i.test(forced);
  return stdout.isTTY === true && env['TERM'] !== 'dumb';
}
