import { type LossAccount, LOSSES } from '../metrics/probes/ask-probes.ts';
import { agreesEnough, LEAST_KAPPA } from '../metrics/probes/judge.ts';
import {
  type Condition,
  CONDITIONS,
  PROBE_KINDS,
  type ProbeKind,
} from '../metrics/probes/probe.ts';
import type { Interval } from '../metrics/statistics/interval.ts';
import type { Verdict } from '../metrics/statistics/verdict.ts';
import type { FactKind } from '../session/facts.ts';
import type { ArmMetricName, MissingPivot, SummarizerSettings } from './arm-metrics.ts';
import {
  countOf,
  formatCount,
  formatDifference,
  formatFixed,
  joinEnds,
  knownInterval,
  percentOf,
  UNKNOWN,
  withEnds,
} from './numbers.ts';
import type { Origin } from './origin.ts';
import type { UnreadInput } from './report.ts';
import { shareCell } from './statistics-charts.ts';
import type { Column } from './text-table.ts';

/** Summarizers with prompts, compared on the same sessions. */
export interface SummarizersReport {
  readonly summarizersVersion: typeof SUMMARIZERS_VERSION;
  readonly provenance: SummarizersProvenance;
  readonly arms: readonly ArmReport[];
  /** Of each arm to the base. */
  readonly differences: readonly ArmDifference[];
  /** Absent where nobody was asked. */
  readonly probes?: ProbesReport | undefined;
  readonly unread: readonly UnreadInput[];
}

/** Everything that would have to be the same to get the same numbers. */
export interface SummarizersProvenance {
  readonly origin: Origin;
  readonly scorerVersion: number;
  /** Hash of all that rows share. */
  readonly bench: string;
  readonly policy: string;
  /** Whose tokenizer counts, and whose limits hold where the policy decides. */
  readonly model: string;
  /** How often each session is compacted. */
  readonly pivots: number;
  readonly compactAt: readonly number[] | 'policy';
  readonly seed: number;
  /** How often each session was run under each arm. */
  readonly repeats: number;
  /** Where some were run less often: the least. */
  readonly leastRepeats?: number;
  readonly scenarios: readonly ScenarioProvenance[];
}

/** A session that was used. */
export interface ScenarioProvenance {
  readonly name: string;
  readonly hash: string;
  readonly facts: 'planted' | 'extracted';
  /** The first by name of its family; absent where it stands alone. */
  readonly family?: string | undefined;
}

/** A number with its interval; `null` where unknown. */
export interface IntervalEstimate {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How many sessions a number rests on. */
export interface SessionCount {
  /** Sessions in which it is known. */
  readonly sessions: number;
  /** Of how many families they are, each of which counts once; absent where all are independent. */
  readonly families?: number;
}

/** A mean over sessions with its interval. */
export interface MeanEstimate extends IntervalEstimate, SessionCount {}

/** A summarizer with a prompt. */
export interface ArmReport {
  readonly name: string;
  readonly summarizer: string;
  /** Settings that decide its answers besides its name; absent where there are none. */
  readonly settings?: SummarizerSettings | undefined;
  readonly model: string;
  readonly prompt: string;
  readonly promptHash: string;
  readonly metrics: Readonly<Record<ArmMetricName, MeanEstimate>>;
  /** Share of each kind of facts that the first summary kept. */
  readonly kinds: Readonly<Partial<Record<FactKind, MeanEstimate>>>;
  readonly mustFacts: MustFacts;
  readonly decay: ArmDecay;
  readonly failures: ArmFailures;
}

/** How what is kept falls off over repeated pivots. */
export interface ArmDecay {
  /** Of the summary after each pivot. */
  readonly summary: DecayEstimate;
  /** Of all that the model still sees. */
  readonly view: DecayEstimate;
  /** Of facts in the summary, after Kaplan and Meier, by the pivots that they went through. */
  readonly survival: readonly SurvivalEstimate[];
}

/** Retention after each pivot, and the geometric decay that fits how many facts survive as many pivots. */
export interface DecayEstimate {
  readonly retention: readonly MeanEstimate[];
  /** Share that each further pivot leaves of what the one before left; facts said in between do not count. */
  readonly rho: MeanEstimate;
  /** Pivots after which half is left; `null` also where nothing is lost. */
  readonly halfLife: MeanEstimate;
}

/** How likely it is that a fact has survived as many pivots. */
export interface SurvivalEstimate {
  readonly pivots: number;
  /** Means over repetitions and over the sessions of a family, so that they need not be whole. */
  readonly atRisk: number;
  readonly lost: number;
  readonly survival: MeanEstimate;
}

/** Facts that must be kept, over all scored pivots. */
export interface MustFacts {
  readonly of: number;
  readonly dropped: number;
  /**
   * The highest rate of drops that this leaves possible at 95 %, where a family of sessions counts once; `null` where
   * there was none to be kept.
   */
  readonly highestRate: number | null;
}

/** Failures, which no score contains. */
export interface ArmFailures {
  readonly trials: number;
  /** Pivots that have a score. */
  readonly pivots: number;
  readonly failed: number;
  readonly unreached: number;
  readonly cut: number;
  /** Summaries that are no shorter than what they stand for. */
  readonly nonCompressing: number;
  readonly empty: number;
  readonly reasons: readonly FailureReason[];
}

/** A reason with how often it occurred. */
export interface FailureReason {
  readonly reason: string;
  readonly state: MissingPivot['state'];
  readonly times: number;
}

/** The difference of an arm from the base, on the sessions that both have. */
export interface ArmDifference {
  readonly arm: string;
  readonly base: string;
  readonly metric: ArmMetricName;
  readonly sessions: number;
  readonly difference: MeanEstimate;
  /** Of costs the geometric mean of ratios, by which they are judged. */
  readonly ratio?: MeanEstimate;
  readonly verdict: Verdict;
}

/** Results of the questions, and who answered them. */
export interface ProbesReport {
  readonly reader: string;
  /** The model behind each reader and judge that has one, as its provider names it. */
  readonly models: Readonly<Record<string, string>>;
  /** Arms whose summaries are by a model of the reader's own family, which may know its own ways. */
  readonly ownFamily: readonly string[];
  /** The first one decides; nobody where rules alone do. */
  readonly judges: readonly JudgeReport[];
  /** Absent of fewer than two judges. */
  readonly agreement?: JudgesAgreement | undefined;
  readonly arms: readonly ArmProbes[];
}

/** Results of the questions after the first pivot of an arm: means over sessions, each with its interval. */
export interface ArmProbes {
  readonly arm: string;
  readonly questions: number;
  /** Why questions have no result. */
  readonly unanswered: readonly { readonly reason: string; readonly times: number }[];
  readonly accuracy: Readonly<Record<Condition, MeanEstimate>>;
  /** Share of what the sessions told that is left; unknown where they told too little more than nothing. */
  readonly retention: MeanEstimate;
  /** Points that the pivot took: those it lost, less those it gained. */
  readonly loss: Readonly<Record<keyof LossAccount, MeanEstimate>>;
  /** Share that the reader missed with everything before it. */
  readonly attentionLoss: MeanEstimate;
  /** Share that the summary adds to the tail. */
  readonly summaryValue: MeanEstimate;
  /** Of questions that nobody can answer. */
  readonly falseRecallRate: MeanEstimate;
  /** Right after the pivot, by what was asked for. */
  readonly kinds: Readonly<Partial<Record<ProbeKind, MeanEstimate>>>;
}

/** How far a judge may be trusted with what it has judged. */
export interface JudgeReport extends JudgeCalibration {
  /** Arms whose summaries are by a model of its own family, which it may favour; absent in earlier reports. */
  readonly ownFamily?: readonly string[];
}

/** How far a judge may be trusted, before it has judged anything that counts. */
export interface JudgeCalibration {
  readonly name: string;
  /** Of all that it is told beside the answer. */
  readonly promptHash: string;
  /** Labelled answers that it has judged. */
  readonly labels: number;
  /** Cohen's κ with the labels; unknown where chance alone explains the verdicts. */
  readonly kappa: IntervalEstimate;
  /** Share of verdicts that stay when the rules stand in another order. */
  readonly selfAgreement: IntervalEstimate;
  /** Verdicts that were not in the form that was asked for. */
  readonly unreadable: number;
  /** Labelled answers on which it could not be asked. */
  readonly failed: number;
  /** κ, on nearly all labels, is as high as it must be before anything may depend on the judge. */
  readonly isTrusted: boolean;
}

/** How far judges agree with one another beyond chance: Krippendorff's α. */
export interface JudgesAgreement {
  readonly families: number;
  /** On the labelled answers. */
  readonly onLabels: IntervalEstimate;
  /** On the sample of answers that all of them have judged. */
  readonly onSample: IntervalEstimate;
  readonly sampled: number;
}

/** The version of the shape of the JSON document. */
export const SUMMARIZERS_VERSION = 2;

/** How much what it gets right under a condition tells of an arm, the most telling one first. */
const CONDITION_RANKS: Readonly<Record<Condition, number>> = {
  compacted: 1,
  full: 3,
  tail: 4,
  none: 5,
  oracle: 6,
};

/** The table of questions. */
export const PROBE_COLUMNS: readonly Column[] = [
  { title: 'Questions to' },
  { title: 'Asked', rank: 7 },
  ...CONDITIONS.map((name) => ({ title: name.toUpperCase(), rank: CONDITION_RANKS[name] })),
  { title: 'Retention' },
  { title: 'False recall', rank: 2 },
];

/** The table of what a pivot took. */
export const LOSS_COLUMNS: readonly Column[] = [
  { title: 'Loss of' },
  { title: 'Lost' },
  { title: 'Ignored', rank: 3 },
  { title: 'Confabulated', rank: 2 },
  { title: 'Gained', rank: 4 },
  { title: 'Attention', rank: 5 },
  { title: 'Summary adds', rank: 1 },
];

/** The table of questions by kind. */
export const PROBE_KIND_COLUMNS: readonly Column[] = [
  { title: 'Right after the pivot' },
  ...PROBE_KINDS.map((title, index) => ({ title, rank: index })),
];

const DECIMALS = 2;
const NOTHING_TO_ASK =
  'No question could be asked: nothing was compacted, or no fact of these sessions names what it is about.';

/** Pivots from which on tenths say nothing. */
const LONG = 100;
const LASTING = '∞';

/** Explains the words of the table. */
export const DECAY_NOTE =
  'ρ: what each further pivot leaves of what the previous one left. Half-life: pivots until half is left. Survives: share of facts still in the summary after that many pivots (Kaplan–Meier).';

/** Intervals that are narrower have ends with a tenth. */
const NARROW = 0.05;

/** One row an arm: what it got right under each condition. */
export function probeRows(arms: readonly ArmProbes[]): readonly (readonly string[])[] {
  return arms.map(({ arm, questions, accuracy, retention, falseRecallRate }) => [
    arm,
    formatCount(questions),
    ...CONDITIONS.map((condition) => spreadCell(accuracy[condition])),
    spreadCell(retention),
    spreadCell(falseRecallRate),
  ]);
}

/** One row an arm: what the pivot took, and where it went. */
export function lossRows(arms: readonly ArmProbes[]): readonly (readonly string[])[] {
  return arms.map(({ arm, loss, attentionLoss, summaryValue }) => [
    arm,
    ...LOSSES.map((name) => spreadCell(loss[name])),
    pointsCell(attentionLoss),
    pointsCell(summaryValue),
  ]);
}

/** One row an arm: what it got right after the pivot, by what was asked for. */
export function probeKindRows(arms: readonly ArmProbes[]): readonly (readonly string[])[] {
  return arms.map(({ arm, kinds }) => [
    arm,
    ...PROBE_KINDS.map((kind) => {
      const found = kinds[kind];
      return found === undefined ? UNKNOWN : spreadCell(found);
    }),
  ]);
}

/** Who reads and who judges and how far to trust them, a sentence each. */
export function panelLines({
  reader,
  models,
  ownFamily,
  judges,
  agreement,
  arms,
}: ProbesReport): readonly string[] {
  const own =
    ownFamily.length === 0
      ? []
      : [`The reader is of the same family as ${ownFamily.join(', ')} and may know its ways.`];
  const unanswered = arms.flatMap(({ arm, unanswered: reasons }) =>
    reasons.map(
      ({ reason, times }) => `${arm}: ${countOf(times, 'question')} unanswered: ${reason}`,
    ),
  );
  const isIdle = arms.every(({ questions }) => questions === 0);
  return [
    `Reader: ${reader}.`,
    ...(isIdle ? [NOTHING_TO_ASK] : []),
    ...Object.entries(models).map(([name, model]) => `${name} answered as ${model}.`),
    ...own,
    ...judges.map(describeJudge),
    ...(agreement ? [describeAgreement(agreement)] : []),
    ...unanswered,
  ];
}

/** The table of decay, with the pivots that any arm got to; the last of them tells most. */
export function decayColumns(report: SummarizersReport): readonly Column[] {
  const pivots = pivotsOf(report);
  const count = pivots.length;
  return [
    { title: 'Over pivots' },
    ...pivots.map((pivot) => ({ title: `Kept after ${pivot}`, rank: 1 + count - pivot })),
    { title: 'ρ', rank: 0 },
    { title: 'Half-life' },
    { title: 'ρ of the view', rank: 1 + 2 * count },
    ...pivots.map((pivot) => ({ title: `Survives ${pivot}`, rank: 1 + 2 * count - pivot })),
  ];
}

/** One row an arm; none where no arm was compacted more than once. */
export function decayRows(report: SummarizersReport): readonly (readonly string[])[] {
  const pivots = pivotsOf(report);
  if (pivots.length < 2) return [];
  return report.arms.map(({ name, decay: { summary, view, survival } }) => [
    name,
    ...pivots.map((_, index) => shareAt(summary.retention[index])),
    numberCell(summary.rho),
    halfLifeCell(summary),
    numberCell(view.rho),
    ...pivots.map((_, index) => shareAt(survival[index]?.survival)),
  ]);
}

/** A share with its interval, in percent. */
export function spreadCell({ mean, ...ends }: IntervalEstimate): string {
  return mean === null ? UNKNOWN : withPercentEnds(shareCell(mean), knownInterval(ends));
}

/** A difference of two shares with its interval, in points. */
export function pointsCell({ mean, ...ends }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  return withPercentEnds(formatDifference(mean, 'ratio'), knownInterval(ends));
}

function describeJudge(judge: JudgeReport): string {
  const {
    name,
    labels,
    kappa,
    selfAgreement,
    unreadable,
    failed,
    isTrusted,
    ownFamily = [],
  } = judge;
  const told = [
    `κ ${coefficient(kappa)} with ${countOf(labels, 'label')}`,
    `agrees with itself in ${spreadCell(selfAgreement)}`,
    `${countOf(unreadable, 'verdict')} unreadable`,
    ...(failed === 0 ? [] : [`${countOf(failed, 'label')} not judged`]),
  ];
  const doubt = agreesEnough(kappa.mean) ? 'too few labels were judged' : `below κ ${LEAST_KAPPA}`;
  const warning = isTrusted ? '' : `; ${doubt}, do not rely on it`;
  const own =
    ownFamily.length === 0
      ? ''
      : ` It is of the same family as ${ownFamily.join(', ')} and may favour its summaries.`;
  return `Judge ${name}: ${told.join(', ')}${warning}.${own}`;
}

function coefficient({ mean, ...ends }: IntervalEstimate): string {
  if (mean === null) return 'unknown';
  return withEnds(showFixed(mean), knownInterval(ends), showFixed);
}

function showFixed(value: number): string {
  return formatFixed(value, DECIMALS);
}

function describeAgreement({ families, onLabels, onSample, sampled }: JudgesAgreement): string {
  const warning = families > 1 ? '' : '; they are of one family, so agreement proves little';
  const sample = `${coefficient(onSample)} on ${countOf(sampled, 'answer')} that all judged`;
  return `Judges among themselves: α ${coefficient(onLabels)} on the labels, ${sample}${warning}.`;
}

function pivotsOf({ arms }: SummarizersReport): readonly number[] {
  const most = arms.reduce(
    (longest, { decay }) => Math.max(longest, decay.summary.retention.length),
    0,
  );
  return Array.from({ length: most }, (_, index) => index + 1);
}

function shareAt(estimate: IntervalEstimate | undefined): string {
  return estimate === undefined ? UNKNOWN : spreadCell(estimate);
}

function numberCell({ mean, ...ends }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  const interval = ends.low === ends.high ? null : knownInterval(ends);
  return withEnds(showFixedOfDecayReport(mean), interval, showFixedOfDecayReport);
}

function showFixedOfDecayReport(value: number): string {
  return formatFixed(value, DECIMALS);
}

function halfLifeCell({ rho, halfLife }: DecayEstimate): string {
  if (rho.mean === null) return UNKNOWN;
  const ends =
    rho.low === null || rho.high === null || rho.low === rho.high
      ? ''
      : ` (${joinEnds(pivotsCell(halfLife.low), pivotsCell(halfLife.high))})`;
  return `${pivotsCell(halfLife.mean)}${ends}`;
}

/** The number of pivots of a half-life, which is endless without loss. */
function pivotsCell(pivots: number | null): string {
  if (pivots === null) return LASTING;
  return pivots < LONG ? pivots.toFixed(1) : formatCount(Math.round(pivots));
}

/** Without an interval where both of its ends are the same. */
function withPercentEnds(shown: string, interval: Interval | null): string {
  if (interval === null || interval.low === interval.high) return shown;
  const digits = interval.high - interval.low < NARROW ? 1 : 0;
  return withEnds(shown, interval, (end) => formatFixed(percentOf(end), digits));
}
