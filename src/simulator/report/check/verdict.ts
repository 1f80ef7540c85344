/** What a check came to: one word for programs, one sentence for people, the same in every format. */

import { countOf, formatCount } from '../numbers.ts';
import type { CheckReport } from './check-report.ts';
import type { GateReport } from './gate-report.ts';

/** Whether all is as it should be, and whether that can be said at all. */
export type CheckState = 'good' | 'bad' | 'inconclusive';

/** Words of the sentence, and whether they are good news. */
export interface VerdictPart {
  readonly text: string;
  readonly isGood: boolean;
}

const NOTHING_COMPARED = 'nothing was compared with a baseline';

/** Where something cannot be compared, nothing else matters. */
export function stateOfCheck({ failed, unread, gate }: CheckReport): CheckState {
  if (gate !== undefined && gate.inconclusive.length > 0) return 'inconclusive';
  const isBad = failed > 0 || unread.length > 0 || (gate?.findings.length ?? 0) > 0;
  return isBad ? 'bad' : 'good';
}

/** How many scenarios passed, and how they stand against the baseline where there is one. */
export function describeVerdict(
  report: CheckReport,
  paint: (part: VerdictPart) => string = ({ text }) => text,
): string {
  const { scenarios, gate } = report;
  const runs = scenarios.reduce((total, scenario) => total + scenario.runs.length, 0);
  const counts = countsOf(report).map(paint).join(', ');
  const standing = gate === undefined ? '' : `; ${standingOf(gate).map(paint).join(', ')}`;
  return `${countOf(scenarios.length, 'scenario')}, ${countOf(runs, 'run')}: ${counts}${standing}`;
}

function countsOf({ passed, failed, unread }: CheckReport): readonly VerdictPart[] {
  return [
    { text: `${formatCount(passed)} passed`, isGood: true },
    ...bad(failed, `${formatCount(failed)} failed`),
    ...bad(unread.length, `${formatCount(unread.length)} not read`),
  ];
}

function standingOf({ comparedRuns, findings, inconclusive }: GateReport): readonly VerdictPart[] {
  const isCompared = comparedRuns > 0;
  const lack = isCompared ? 'the comparison is inconclusive' : NOTHING_COMPARED;
  const worse = [
    ...bad(findings.length, `${countOf(findings.length, 'difference')} from the baseline`),
    ...bad(inconclusive.length, lack),
  ];
  if (worse.length > 0) return worse;
  return [
    { text: isCompared ? 'no difference from the baseline' : NOTHING_COMPARED, isGood: true },
  ];
}

function bad(count: number, text: string): readonly VerdictPart[] {
  return count === 0 ? [] : [{ text, isGood: false }];
}
