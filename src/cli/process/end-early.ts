import { quoted } from '../../simulator/names.ts';
import { EXIT } from './io.ts';

/** Ends a program that cannot write any more: quietly where nobody reads, as in `… | head`; told in words where a disk is full. */
export function endEarly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Expected to write to standard output, got ${quoted(error.message)}.\n`);
  process.exit(EXIT.failed);
}
