import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommanderError } from '@commander-js/extra-typings';
import { HarnessError } from '../simulator/lib/errors.ts';
import { isUnwritable } from '../simulator/lib/files.ts';
import { removeLeftFolders } from '../simulator/lib/process-end.ts';
import { type CliIo, endEarly, EXIT, printNote, setMemoryFlags } from './process/io.ts';
import { completeArguments, createProgram } from './program.ts';

/** Runs a command line, without the program's own name, and gives its exit code. */
export async function main(given: readonly string[], io: CliIo) {
  const argv = completeArguments(given);
  let code: number = EXIT.done;
  try {
    const program = await createProgram(io, {
      argv,
      onExit: (result) => {
        code = result;
      },
    });
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = reportError(error, io);
  }
  if (code === EXIT.interrupted) printNote(io, 'Interrupted.');
  return code;
}

export async function runProcess() {
  setMemoryFlags();
  removeLeftFolders();
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  process.stdout.on('error', endEarly);
  process.stderr.on('error', () => undefined);
  process.exitCode = await main(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: controller.signal,
    now: () => performance.now(),
  });
}

/** Wrong use and full disks are told in words; a bug with its stack. */
function reportError(error: unknown, io: CliIo) {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
  if (error instanceof HarnessError) {
    printNote(io, error.message);
    return isUnwritable(error) ? EXIT.failed : EXIT.wrongUse;
  }
  printNote(io, error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}

function isEntry() {
  const [, script] = process.argv;
  return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url);
}

if (isEntry()) await runProcess();
