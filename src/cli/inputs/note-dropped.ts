import { countOf } from '../../simulator/report/numbers.ts';
import { describeTallies } from '../../simulator/report/provenance-facts.ts';
import type { ImportReport } from '../../simulator/session/session.ts';
import type { CliIo } from '../process/io.ts';
import { printNotes } from '../process/output.ts';

/** Notes what could not be read of sessions that were; a report of runs has it among its sources. */
export function noteDropped(io: CliIo, dropped: readonly ImportReport['dropped'][]): void {
  const some = dropped.filter((reasons) => Object.keys(reasons).length > 0);
  if (some.length === 0) return;
  const where = countOf(some.length, 'session');
  printNotes(io, [
    `Left out on import, in ${where}: ${describeTallies(some)}. 'import --explain' tells of each.`,
  ]);
}
