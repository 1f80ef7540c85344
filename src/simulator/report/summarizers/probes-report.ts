import { type LossAccount, LOSSES } from '../../metrics/probes/ask-probes.ts';
import { agreesEnough, LEAST_KAPPA } from '../../metrics/probes/judge.ts';
import {
  type Condition,
  CONDITIONS,
  PROBE_KINDS,
  type ProbeKind,
} from '../../metrics/probes/probe.ts';
import { formatFixed } from '../fixed.ts';
import { knownInterval, withEnds } from '../intervals.ts';
import { countOf, formatCount, UNKNOWN } from '../numbers.ts';
import type { Column } from '../text-table.ts';
import { pointsCell, spreadCell } from './spread-cell.ts';
import type { IntervalEstimate, MeanEstimate } from './summarizers-report.ts';

/** What questions came to, and who answered them. */
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

/** What questions after the first pivot of an arm came to: means over sessions, each with its interval. */
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
  /** What the reader missed with everything before it. */
  readonly attentionLoss: MeanEstimate;
  /** What the summary adds to the tail. */
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
  /** Whether κ is as high as it has to be before anything may depend on the judge, on nearly all labels. */
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

function describeAgreement({ families, onLabels, onSample, sampled }: JudgesAgreement): string {
  const warning = families > 1 ? '' : '; they are of one family, so agreement proves little';
  const sample = `${coefficient(onSample)} on ${countOf(sampled, 'answer')} that all judged`;
  return `Judges among themselves: α ${coefficient(onLabels)} on the labels, ${sample}${warning}.`;
}

function coefficient({ mean, ...ends }: IntervalEstimate): string {
  if (mean === null) return 'unknown';
  return withEnds(showFixed(mean), knownInterval(ends), showFixed);
}

function showFixed(value: number): string {
  return formatFixed(value, DECIMALS);
}
