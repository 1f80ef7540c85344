import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isFault } from '../simulator/lib/files.ts';
import { removeLeftFolders } from '../simulator/lib/process-end.ts';
import { endAtFaults, reportError } from './process/faults.ts';
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
    // What was broken off says nothing.
    code = io.signal.aborted ? EXIT.interrupted : reportError(error, io);
  }
  if (code === EXIT.interrupted) printNote(io, 'Interrupted.');
  return code;
}

export async function runProcess() {
  const { stdin, stdout, stderr, env } = process;
  endAtFaults({ stderr, env });
  setMemoryFlags();
  removeLeftFolders();
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  process.stdout.on('error', endEarly);
  process.stderr.on('error', () => undefined);
  const { signal } = controller;
  const io = { stdin, stdout, stderr, env, signal, now: () => performance.now() };
  process.exitCode = await main(process.argv.slice(2), io);
}

function isEntry() {
  const [, script] = process.argv;
  const own = fileURLToPath(import.meta.url);
  try {
    return script !== undefined && realpathSync(script) === own;
  } catch (error) {
    if (isFault(error)) return script === own;
    throw error;
  }
}

if (isEntry()) await runProcess();
