import { sum } from '../../lib/collections.ts';
import { named } from '../../lib/names.ts';
import { shareLeft, shareRight } from '../../metrics/probes/ask-probes.ts';
import { type Condition, CONDITIONS, PROBE_KINDS } from '../../metrics/probes/probe.ts';
import { countReasons } from '../../metrics/record.ts';
import type { SummaryRow } from '../../report/arm-metrics.ts';
import type { UnreadInput } from '../../report/report.ts';
import {
  type ArmProbes,
  type MeanEstimate,
  type ProbesReport,
  SUMMARIZERS_VERSION,
  type SummarizersProvenance,
  type SummarizersReport,
} from '../../report/summarizers-report.ts';
import { withoutCopies } from './comparable.ts';
import {
  clustersOf,
  countSessions,
  estimateShare,
  estimateStatistic,
  exactMean,
  type Sampling,
  sessionMeans,
} from './estimate.ts';
import { type ArmRows, compareArms, groupArms, summariseArm } from './summarise-arms.ts';

/** The sources of a report. */
export interface SummarizersInput {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  readonly provenance: SummarizersProvenance;
}

/** The shares of questions of a session that are answered right. */
type Answered = Readonly<Record<Condition, number>>;

const MODEL = /^ai:([^/]+)\//;

/** The report on rows that may be compared; without a name the first arm is the base. */
export function buildSummarizersReport(
  { rows, unread, provenance }: SummarizersInput,
  baseName?: string,
): SummarizersReport {
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
    ...(reader !== undefined && { probes: buildProbes(reader, arms, sampling) }),
    unread,
  };
}

/** Sums up the answers of an arm over sessions; repetitions that cannot differ count once. */
export function estimateProbes({ name, rows }: ArmRows, sampling: Sampling): ArmProbes {
  const own = withoutCopies(rows);
  const meansOf = (condition: Condition) =>
    sessionMeans(own, ({ probes = [] }) => shareRight(probes, condition));
  const accuracy = CONDITIONS.map(
    (condition) => [condition, estimateShare(meansOf(condition), sampling)] as const,
  );
  return {
    arm: name,
    questions: sum(own.map(({ probes = [] }) => probes.length)),
    unanswered: countReasons(own.flatMap(({ unanswered = [] }) => unanswered)),
    accuracy: Object.fromEntries(accuracy) as ArmProbes['accuracy'],
    left: estimateLeft(meansOf, sampling),
    kinds: estimateKinds(own, sampling),
  };
}

/** The provider of a model, whose models may favour one another; absent where it is no model. */
export function modelFamilyOf(name: string): string | undefined {
  return MODEL.exec(name)?.[1];
}

/** Families as the report itself tells of them. */
function samplingOf({ seed, scenarios }: SummarizersProvenance): Sampling {
  const families = scenarios.flatMap(({ name, family }) =>
    family === undefined ? [] : [[name, family] as const],
  );
  return { seed, families: new Map(families) };
}

function findArm(arms: readonly ArmRows[], name: string): ArmRows {
  return named('arm', Object.fromEntries(arms.map((arm) => [arm.name, arm])), name);
}

function buildProbes(reader: string, arms: readonly ArmRows[], sampling: Sampling): ProbesReport {
  const model = arms.flatMap(({ rows }) => rows).find((row) => row.readerModel !== undefined);
  return {
    reader,
    ...(model?.readerModel !== undefined && { model: model.readerModel }),
    ownFamily: ownFamilyOf(reader, arms),
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

/** A quotient of means, which is no mean of quotients. */
function estimateLeft(
  meansOf: (condition: Condition) => ReadonlyMap<string, number>,
  sampling: Sampling,
): MeanEstimate {
  const [full, compacted, none] = CONDITIONS.map(meansOf);
  const sessions = new Map(
    [...(full ?? [])].map(([session, ofFull]): [string, Answered] => [
      session,
      {
        full: ofFull,
        compacted: compacted?.get(session) ?? 0,
        none: none?.get(session) ?? 0,
      },
    ]),
  );
  return {
    ...estimateStatistic(clustersOf(sessions, sampling), leftOf, { seed: sampling.seed }),
    ...countSessions(sessions.keys(), sampling),
  };
}

function leftOf(clusters: readonly (readonly Answered[])[]): number | null {
  const meanOf = (condition: Condition) =>
    exactMean(clusters.map((own) => exactMean(own.map((answered) => answered[condition]))));
  return shareLeft({ full: meanOf('full'), compacted: meanOf('compacted'), none: meanOf('none') });
}

function estimateKinds(rows: readonly SummaryRow[], sampling: Sampling): ArmProbes['kinds'] {
  const kinds = PROBE_KINDS.flatMap((kind) => {
    const of = (condition: Condition) =>
      sessionMeans(rows, ({ probes = [] }) => shareRight(probes, condition, kind));
    const compacted = of('compacted');
    if (compacted.size === 0) return [];
    const full = estimateShare(of('full'), sampling);
    return [[kind, { full, compacted: estimateShare(compacted, sampling) }] as const];
  });
  return Object.fromEntries(kinds);
}
