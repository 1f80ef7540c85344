import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { SuiteResult } from '../suite.ts';

/**
 * The result of a module that runs in a process of its own. Elsewhere the traces of other suites would be measured too:
 * things that they have taught the compiler of the machine and left in memory. Throws where the module ends without a
 * word.
 */
export async function runApart(module: URL, args: readonly string[]): Promise<SuiteResult> {
  // JSON has no word for what is no number.
  const child = fork(module, args, { serialization: 'advanced' });
  const stop = () => child.kill();
  process.once('exit', stop);
  const results: SuiteResult[] = [];
  child.on('message', (result: SuiteResult) => results.push(result));
  // A result that was sent may be read only after the end.
  const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  process.off('exit', stop);
  const [result] = results;
  if (result === undefined) {
    throw new Error(`Expected figures of ${args.join(' ')}, got ${signal ?? `exit code ${code}`}.`);
  }
  return result;
}
