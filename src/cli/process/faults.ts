import { CommanderError } from '@commander-js/extra-typings';
import { HarnessError } from '../../simulator/lib/errors.ts';
import { describeFault, faultCode, isFault, isUnwritable } from '../../simulator/lib/files.ts';
import { quotedLong } from '../../simulator/lib/names.ts';
import { type CliIo, EXIT, printNote } from './io.ts';

type FaultIo = Pick<CliIo, 'stderr' | 'env'>;

const STACK_VARIABLE = 'COMPACTION_BENCH_STACK';
/** Of errors of V8 and Node.js where something is larger than they can hold. */
const TOO_LARGE =
  /^Invalid (?:string|array|typed array) length|^Array buffer allocation|^Maximum call stack|^Cannot create a (?:string|Buffer) (?:longer|larger)/;

/** Tells an error in a sentence and gives the exit code of the program. */
export function reportError(error: unknown, io: FaultIo) {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
  if (error instanceof HarnessError) {
    printNote(io, error.message);
    return isUnwritable(error) ? EXIT.failed : EXIT.wrongUse;
  }
  printFault(error, io);
  return EXIT.failed;
}

/** Prints an unforeseen error as one sentence, with its stack where the environment asks for it. */
export function printFault(error: unknown, io: FaultIo): void {
  const isTraced = Boolean(io.env[STACK_VARIABLE]);
  const hint = isTraced ? '' : `; ${STACK_VARIABLE}=1 shows where`;
  printNote(io, `${describeError(error)}${hint}.`);
  if (isTraced && error instanceof Error) printNote(io, error.stack ?? error.message);
}

/** Ends the process at an error that nobody catches, as of an event or of a promise that nobody awaits. */
export function endAtFaults(io: FaultIo): void {
  process.on('uncaughtException', (error) => process.exit(reportError(error, io)));
}

function describeError(error: unknown) {
  const told = quotedLong(String(error));
  if (isFault(error)) return describeSystemError(error as NodeJS.ErrnoException);
  if (error instanceof Error && TOO_LARGE.test(error.message))
    return `Expected an input that fits into memory, got ${told}`;
  if (faultCode(error).startsWith('ERR_WORKER')) return `Expected a thread to start, got ${told}`;
  return `Expected no fault of this program, which is worth a report, got ${told}`;
}

function describeSystemError(error: NodeJS.ErrnoException) {
  const place = error.path === undefined ? '' : ` of ${quotedLong(error.path)}`;
  return `Expected the system to carry out '${error.syscall}'${place}, got ${describeFault(error)}`;
}
