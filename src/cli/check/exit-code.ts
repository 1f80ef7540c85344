import type { CheckReport } from '../../simulator/report/check/check-report.ts';
import { type CheckState, stateOfCheck } from '../../simulator/report/check/verdict.ts';
import { EXIT } from '../process/io.ts';

const CODES = {
  good: EXIT.done,
  bad: EXIT.failed,
  inconclusive: EXIT.inconclusive,
} satisfies Record<CheckState, number>;

/** The code with which a check ends: 3 where nothing can be said, 1 where something is not as expected. */
export function exitCodeOfCheck(report: CheckReport): number {
  return CODES[stateOfCheck(report)];
}
