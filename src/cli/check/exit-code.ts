import type { CheckReport } from '../../simulator/report/check/check-report.ts';
import { EXIT } from '../process/io.ts';

/** The code with which a check ends: 3 where nothing can be said, 1 where something is not as expected. */
export function exitCodeOfCheck({ failed, unread, gate }: CheckReport): number {
  if (gate !== undefined && gate.inconclusive.length > 0) return EXIT.inconclusive;
  const isBad = failed > 0 || unread.length > 0 || (gate?.findings.length ?? 0) > 0;
  return isBad ? EXIT.failed : EXIT.done;
}
