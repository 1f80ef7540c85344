/** Child processes, each in a group of its own, and their end: when they are told to, and with this process. */

import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** Added to a signal's number, as shells do. */
const SIGNALLED = 128;
const groups = new Set<ChildProcess>();

process.once('exit', endAll);
for (const signal of SIGNALS) {
  process.once(signal, () => process.exit(SIGNALLED + constants.signals[signal]));
}

/** Starts a program with a command line. */
export function start([program = '', ...given]: readonly string[], options: SpawnOptions) {
  const child = spawn(program, given, { ...options, detached: true });
  groups.add(child.on('error', () => {}));
  return child;
}

/** Waits for a program's end, and ends what it left running; its exit code, or `undefined` where it has none. */
export async function codeOf(child: ChildProcess): Promise<number | undefined> {
  if (child.exitCode === null && child.signalCode === null)
    await once(child, 'exit').catch(() => {});
  end(child);
  return child.exitCode ?? undefined;
}

/** Waits for a program that tells on standard error how far it is; one that falls silent is ended. */
export async function listenTo(child: ChildProcess, longestSilenceMs: number) {
  let [said, isSilent] = ['', false];
  const timer = setTimeout(() => {
    isSilent = true;
    end(child);
  }, longestSilenceMs);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    timer.refresh();
  });
  const code = await codeOf(child);
  clearTimeout(timer);
  return { code, said, isSilent };
}

/** Ends a program with its group. */
export function end(child: ChildProcess): void {
  groups.delete(child);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is over.
  }
}

function endAll(): void {
  for (const child of groups) end(child);
}
