import { accountProbes, falseRecallRate } from '../../metrics/probes/accounts.ts';
import { PROBE_KINDS } from '../../metrics/probes/probe.ts';
import { named } from '../../names.ts';
import type { UnreadInput } from '../../report/report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import type { ArmProbes, JudgeReport } from '../../report/summarizers/probes-report.ts';
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
  /** Absent where rules alone decide. */
  readonly judge?: JudgeReport | undefined;
}

/** The report on rows that may be compared; without a name the first arm is the base. */
export function buildSummarizersReport(
  { rows, unread, provenance, judge }: SummarizersInput,
  baseName?: string,
): SummarizersReport {
  const { seed } = provenance;
  const arms = groupArms(rows);
  const base = baseName === undefined ? arms[0] : findArm(arms, baseName);
  const others = arms.filter((arm) => arm !== base);
  const reader = rows[0]?.reader;
  return {
    summarizersVersion: SUMMARIZERS_VERSION,
    provenance,
    arms: arms.map((arm) => summariseArm(arm, seed)),
    differences: base === undefined ? [] : compareArms(base, others, seed),
    ...(reader !== undefined && {
      probes: { reader, ...(judge && { judge }), arms: arms.map(accountArm) },
    }),
    unread,
  };
}

function findArm(arms: readonly ArmRows[], name: string): ArmRows {
  return named('arm', Object.fromEntries(arms.map((arm) => [arm.name, arm])), name);
}

/** Repetitions that cannot differ count once. */
function accountArm({ name, rows }: ArmRows): ArmProbes {
  const own = rows.filter(({ isRandom, repeat }) => isRandom || repeat === 1);
  const results = own.flatMap(({ probes = [] }) => probes);
  const kinds = PROBE_KINDS.flatMap((kind) => {
    const ofKind = results.filter((result) => result.kind === kind);
    const right = ofKind.filter(({ answers }) => answers.compacted.isRight).length;
    return ofKind.length === 0 ? [] : [[kind, right / ofKind.length] as const];
  });
  return {
    arm: name,
    ...accountProbes(results),
    falseRecallRate: falseRecallRate(results),
    kinds: Object.fromEntries(kinds),
  };
}
