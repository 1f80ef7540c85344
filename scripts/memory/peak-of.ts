import { execFileSync } from 'node:child_process';

/** Ends a process that would never end. */
const TIMEOUT_MS = 600_000;

/** Megabytes that a script comes to in a process of its own, which prints them in its last line. */
export function peakOf(
  script: string,
  args: readonly string[],
  flags: readonly string[] = [],
): number {
  const printed = execFileSync(process.execPath, [...process.execArgv, ...flags, script, ...args], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  return Number(printed.trim().split('\n').at(-1));
}
