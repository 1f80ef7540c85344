import { named } from '../../names.ts';
import type { UnreadInput } from '../../report/report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import {
  SUMMARIZERS_VERSION,
  type SummarizersProvenance,
  type SummarizersReport,
} from '../../report/summarizers/summarizers-report.ts';
import { type ArmRows, compareArms, groupArms, summariseArm } from './summarise-arms.ts';

/** What a report is made from. */
export interface SummarizersInput {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  readonly provenance: SummarizersProvenance;
}

/** The report on rows that may be compared; without a name the first arm is the base. */
export function buildSummarizersReport(
  { rows, unread, provenance }: SummarizersInput,
  baseName?: string,
): SummarizersReport {
  const { seed } = provenance;
  const arms = groupArms(rows);
  const base = baseName === undefined ? arms[0] : findArm(arms, baseName);
  const others = arms.filter((arm) => arm !== base);
  return {
    summarizersVersion: SUMMARIZERS_VERSION,
    provenance,
    arms: arms.map((arm) => summariseArm(arm, seed)),
    differences: base === undefined ? [] : compareArms(base, others, seed),
    unread,
  };
}

function findArm(arms: readonly ArmRows[], name: string): ArmRows {
  return named('arm', Object.fromEntries(arms.map((arm) => [arm.name, arm])), name);
}
