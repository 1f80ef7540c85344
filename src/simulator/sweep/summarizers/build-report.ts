import { perKey, groupBy, sum } from '../../lib/collections.ts';
import { named } from '../../lib/names.ts';
import {
  accountProbes,
  falseRecallRate,
  LOSSES,
  normalisedRetention,
  type ProbeAccount,
} from '../../metrics/probes/ask-probes.ts';
import {
  agreementOf,
  agreesEnough,
  cohenKappa,
  isRight,
  JUDGE_TEXTS,
  judgeAnswer,
  krippendorffAlpha,
  type LabelledAnswer,
  labelledAnswers,
  LEAST_JUDGED_SHARE,
  type VerdictPair,
} from '../../metrics/probes/judge.ts';
import {
  CONDITIONS,
  PROBE_KINDS,
  type ProbeKind,
  type Reader,
} from '../../metrics/probes/probe.ts';
import { countReasons } from '../../metrics/record.ts';
import { rangeOfDifference, SHARE } from '../../metrics/statistics/interval.ts';
import type { SummaryRow } from '../../report/arm-metrics.ts';
import type { UnreadInput } from '../../report/report.ts';
import {
  type ArmProbes,
  type IntervalEstimate,
  type JudgeCalibration,
  type JudgesAgreement,
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
  estimateMean,
  estimateShare,
  estimateStatistic,
  exactMean,
  type Sampling,
  sessionMeans,
} from './estimate.ts';
import { summaryHash } from './inputs.ts';
import { type ArmRows, compareArms, groupArms, summariseArm } from './summarise-arms.ts';

/** The sources of a report. */
export interface SummarizersInput {
  readonly rows: readonly SummaryRow[];
  readonly unread: readonly UnreadInput[];
  readonly provenance: SummarizersProvenance;
  /** Absent where rules alone decide. */
  readonly calibration?: JudgesCalibration | undefined;
}

type Rows = readonly SummaryRow[];
type OfAccount = (account: ProbeAccount) => number | null;

/** The sources of a retention. */
type Told = Parameters<typeof normalisedRetention>[0];

/** How far judges may be trusted, before they have judged anything that counts. */
interface JudgesCalibration {
  readonly judges: readonly JudgeCalibration[];
  /** Krippendorff's α of all judges on the labelled answers; absent of one judge. */
  readonly alpha?: IntervalEstimate | undefined;
}

/** A judge's verdict on a labelled answer; absent if it could not be asked. */
interface Verdict {
  readonly question: string;
  readonly label: boolean;
  readonly first: boolean | undefined;
  readonly again: boolean | undefined;
  readonly isReadable: boolean;
}

const AGREEMENT = { low: -1, high: 1 };

/** A row is asked for many figures. */
const accountOf = perKey(({ probes = [] }: SummaryRow): ProbeAccount => accountProbes(probes));

const MODEL = /^ai:([^/]+)\//;

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

/** Sums up the answers of an arm over sessions; repetitions that cannot differ count once. */
export function estimateProbes({ name, rows }: ArmRows, sampling: Sampling): ArmProbes {
  const own = withoutCopies(rows);
  const meansOf = (of: OfAccount) => sessionMeans(own, (row) => of(accountOf(row)));
  const shareOf = (of: OfAccount) => estimateShare(meansOf(of), sampling);
  const range = rangeOfDifference(SHARE);
  const differenceOf = (of: OfAccount) => estimateMean(meansOf(of), { ...sampling, range });
  const byCondition = CONDITIONS.map(
    (condition) => [condition, shareOf(({ accuracy }) => accuracy[condition])] as const,
  );
  const byLoss = LOSSES.map((loss) => [loss, shareOf((account) => account.loss[loss])] as const);
  const falseRecall = sessionMeans(own, ({ probes = [] }) => falseRecallRate(probes));
  return {
    arm: name,
    questions: sum(own.map((row) => accountOf(row).questions)),
    unanswered: countReasons(own.flatMap(({ unanswered = [] }) => unanswered)),
    accuracy: Object.fromEntries(byCondition) as ArmProbes['accuracy'],
    retention: estimateRetention(own, sampling),
    loss: Object.fromEntries(byLoss) as ArmProbes['loss'],
    attentionLoss: differenceOf(({ attentionLoss }) => attentionLoss),
    summaryValue: differenceOf(({ summaryValue }) => summaryValue),
    falseRecallRate: estimateShare(falseRecall, sampling),
    kinds: estimateKinds(own, sampling),
  };
}

/** How far judges agree with labels given by hand, each with itself when its rules stand in another order, and all with one another. */
export async function calibrateJudges(
  judges: readonly Reader[],
  seed: number,
): Promise<JudgesCalibration> {
  const verdicts: (readonly Verdict[])[] = [];
  for (const judge of judges) {
    verdicts.push(await Promise.all(labelledAnswers.map((answer) => judgeTwice(judge, answer))));
  }
  return {
    judges: judges.map(({ name }, index) => reportOf(name, verdicts[index] ?? [], seed)),
    ...(judges.length > 1 && { alpha: alphaOf(verdicts, seed) }),
  };
}

/** The provider of a model, whose models may favour one another; absent where it is no model. */
export function modelFamilyOf(name: string): string | undefined {
  return MODEL.exec(name)?.[1];
}

/** Of how many families some judges are; one that is no model is a family by itself. */
export function countModelFamilies(names: readonly string[]): number {
  return new Set(names.map((name) => modelFamilyOf(name) ?? name)).size;
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

/** A quotient of means, which is no mean of quotients. */
function estimateRetention(rows: Rows, sampling: Sampling): MeanEstimate {
  const meansOf = (condition: keyof Told) =>
    sessionMeans(rows, (row) => accountOf(row).accuracy[condition]);
  const [none, full, compacted] = [meansOf('none'), meansOf('full'), meansOf('compacted')];
  const sessions = new Map(
    [...full].map(([session, ofFull]): [string, Told] => [
      session,
      { none: none.get(session) ?? null, full: ofFull, compacted: compacted.get(session) ?? null },
    ]),
  );
  return {
    ...estimateStatistic(clustersOf(sessions, sampling), retentionOf, { seed: sampling.seed }),
    ...countSessions(sessions.keys(), sampling),
  };
}

function retentionOf(clusters: readonly (readonly Told[])[]): number | null {
  return normalisedRetention({
    none: meanOf(clusters, 'none'),
    full: meanOf(clusters, 'full'),
    compacted: meanOf(clusters, 'compacted'),
  });
}

function meanOf(clusters: readonly (readonly Told[])[], condition: keyof Told): number {
  const means = clusters.map((own) => exactMean(own.map((told) => told[condition] ?? 0)));
  return sum(means) / means.length;
}

function estimateKinds(rows: Rows, sampling: Sampling): ArmProbes['kinds'] {
  const kinds = PROBE_KINDS.flatMap((kind) => {
    const means = sessionMeans(rows, (row) => shareRight(row, kind));
    return means.size === 0 ? [] : [[kind, estimateShare(means, sampling)] as const];
  });
  return Object.fromEntries(kinds);
}

function shareRight({ probes = [] }: SummaryRow, kind: ProbeKind): number | null {
  const own = probes.filter((result) => result.kind === kind);
  if (own.length === 0) return null;
  return own.filter(({ answers }) => answers.compacted.isRight).length / own.length;
}

async function judgeTwice(judge: Reader, labelled: LabelledAnswer): Promise<Verdict> {
  const [first, again] = await Promise.all([
    judgeAnswer(judge, labelled, 0),
    judgeAnswer(judge, labelled, 1),
  ]);
  return {
    question: labelled.question,
    label: isRight(labelled),
    first: first.state === 'judged' ? isRight(first) : undefined,
    again: again.state === 'judged' ? isRight(again) : undefined,
    isReadable: first.state === 'judged' && first.isReadable,
  };
}

/** Answers to one question are no independent evidence. */
function reportOf(name: string, verdicts: readonly Verdict[], seed: number): JudgeCalibration {
  const questions = byQuestion(verdicts);
  const kappa = estimateStatistic(
    questions.map((own) => own.flatMap(withLabel)),
    (drawn) => cohenKappa(drawn.flat()),
    { seed, range: AGREEMENT },
  );
  const judged = verdicts.filter(({ first }) => first !== undefined);
  return {
    name,
    promptHash: summaryHash(JUDGE_TEXTS),
    labels: judged.length,
    kappa,
    selfAgreement: estimateStatistic(
      questions.map((own) => own.flatMap(withItself)),
      (drawn) => agreementOf(drawn.flat()),
      { seed, range: SHARE },
    ),
    unreadable: judged.filter(({ isReadable }) => !isReadable).length,
    failed: verdicts.length - judged.length,
    isTrusted: agreesEnough(kappa.mean) && judged.length >= LEAST_JUDGED_SHARE * verdicts.length,
  };
}

function byQuestion<One extends { readonly question: string }>(
  all: readonly One[],
): readonly (readonly One[])[] {
  return [...groupBy(all, ({ question }) => question).values()];
}

function withLabel({ label, first }: Verdict): readonly VerdictPair[] {
  return first === undefined ? [] : [{ a: label, b: first }];
}

function withItself({ first, again }: Verdict): readonly VerdictPair[] {
  return first === undefined || again === undefined ? [] : [{ a: first, b: again }];
}

function alphaOf(judges: readonly (readonly Verdict[])[], seed: number): IntervalEstimate {
  const answers = (judges[0] ?? []).map(({ question }, index) => ({
    question,
    verdicts: judges.flatMap((own) => {
      const verdict = own[index]?.first;
      return verdict === undefined ? [] : [verdict];
    }),
  }));
  return estimateStatistic(
    byQuestion(answers).map((own) => own.map(({ verdicts }) => verdicts)),
    (drawn) => krippendorffAlpha(drawn.flat()),
    { seed, range: AGREEMENT },
  );
}
