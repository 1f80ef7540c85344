import { krippendorffAlpha } from '../../metrics/probes/agreement.ts';
import { named } from '../../names.ts';
import type { UnreadInput } from '../../report/report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';
import type { JudgesAgreement, ProbesReport } from '../../report/summarizers/probes-report.ts';
import {
  type IntervalEstimate,
  SUMMARIZERS_VERSION,
  type SummarizersProvenance,
  type SummarizersReport,
} from '../../report/summarizers/summarizers-report.ts';
import type { JudgesCalibration } from './calibrate-judge.ts';
import { estimateStatistic } from './estimate.ts';
import { estimateProbes } from './estimate-probes.ts';
import { countModelFamilies, modelFamilyOf } from './model-family.ts';
import { clustersOf, type Sampling } from './sampling.ts';
import { groupBy } from '../../group-by.ts';
import { type ArmRows, compareArms, groupArms, summariseArm } from './summarise-arms.ts';
import { withoutCopies } from './without-copies.ts';

/** What a report is made from. */
export interface SummarizersInput {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  readonly provenance: SummarizersProvenance;
  /** Absent where rules alone decide. */
  readonly calibration?: JudgesCalibration | undefined;
}

const AGREEMENT = { low: -1, high: 1 };

/** The report on rows that may be compared; without a name the first arm is the base. */
export function buildSummarizersReport(
  input: SummarizersInput,
  baseName?: string,
): SummarizersReport {
  const { rows, unread, provenance } = input;
  const sampling = samplingOf(provenance);
  const arms = groupArms(rows);
  const base = baseName === undefined ? arms[0] : findArm(arms, baseName);
  const others = arms.filter((arm) => arm !== base);
  const reader = rows[0]?.reader;
  return {
    summarizersVersion: SUMMARIZERS_VERSION,
    provenance,
    arms: arms.map((arm) => summariseArm(arm, sampling)),
    differences: base === undefined ? [] : compareArms(base, others, sampling),
    ...(reader !== undefined && { probes: buildProbes(input, arms, { reader, sampling }) }),
    unread,
  };
}

function findArm(arms: readonly ArmRows[], name: string): ArmRows {
  return named('arm', Object.fromEntries(arms.map((arm) => [arm.name, arm])), name);
}

/** Families as the report itself tells of them. */
function samplingOf({ seed, scenarios }: SummarizersProvenance): Sampling {
  const families = scenarios.flatMap(({ name, family }) =>
    family === undefined ? [] : [[name, family] as const],
  );
  return { seed, families: new Map(families) };
}

function buildProbes(
  { rows, calibration }: SummarizersInput,
  arms: readonly ArmRows[],
  { reader, sampling }: { readonly reader: string; readonly sampling: Sampling },
): ProbesReport {
  return {
    reader,
    models: Object.fromEntries(
      rows.flatMap(({ readerModels = {} }) => Object.entries(readerModels)),
    ),
    ownFamily: ownFamilyOf(reader, arms),
    judges: (calibration?.judges ?? []).map((judge) => ({
      ...judge,
      ownFamily: ownFamilyOf(judge.name, arms),
    })),
    ...(calibration?.alpha && {
      agreement: agreementIn(rows, calibration.alpha, { judges: calibration.judges, sampling }),
    }),
    arms: arms.map((arm) => estimateProbes(arm, sampling)),
  };
}

/** The arms whose summaries are by models of the same family as another one. */
function ownFamilyOf(model: string, arms: readonly ArmRows[]): readonly string[] {
  const family = modelFamilyOf(model);
  if (family === undefined) return [];
  const own = arms.filter(({ rows: [first] }) => modelFamilyOf(first?.summarizer ?? '') === family);
  return own.map(({ name }) => name);
}

function agreementIn(
  rows: readonly SummaryRow[],
  onLabels: IntervalEstimate,
  { judges, sampling }: Pick<JudgesCalibration, 'judges'> & { readonly sampling: Sampling },
): JudgesAgreement {
  const sessions = groupBy(withoutCopies(rows), ({ scenario }) => scenario);
  const checked = clustersOf(sessions, sampling)
    .map((own) => own.flatMap(verdictsIn))
    .filter(({ length }) => length > 0);
  return {
    families: countModelFamilies(judges.map(({ name }) => name)),
    onLabels,
    onSample: estimateStatistic(checked, (drawn) => krippendorffAlpha(drawn.flat()), {
      ...sampling,
      range: AGREEMENT,
    }),
    sampled: checked.flat().length,
  };
}

/** The verdicts of all judges on the answers that all of them have seen. */
function verdictsIn(rows: readonly SummaryRow[]): readonly (readonly boolean[])[] {
  return rows
    .flatMap(({ probes = [] }) => probes)
    .flatMap(({ answers }) => Object.values(answers))
    .flatMap(({ verdicts }) => (verdicts === undefined ? [] : [verdicts]));
}
