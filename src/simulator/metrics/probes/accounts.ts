/** Accounts of questions: how they were answered, and what a loss is made of. */

import { isAtMost } from '../statistics/at-most.ts';
import type { Condition, ProbeKind } from './probe.ts';

/** How an answer was decided. */
export interface DecidedAnswer {
  readonly isRight: boolean;
  /** Whether it claims nothing that could be wrong. */
  readonly isAbstained: boolean;
  readonly by: 'rule' | 'judge';
  /** Where several judges were asked: whether each of them finds it right, in their order. */
  readonly verdicts?: readonly boolean[] | undefined;
}

/** One question under every condition. */
export interface ProbeResult {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly answers: Readonly<Record<Condition, DecidedAnswer>>;
  /** Whether a search finds the answer in what is left after the pivot. */
  readonly isLeft: boolean;
}

/** What questions came to; `null` where there is none, or too little to divide by. */
export interface ProbeAccount {
  readonly questions: number;
  readonly accuracy: Readonly<Record<Condition, number | null>>;
  /** Share of what the session told that is left; `null` where the session told too little more than nothing. */
  readonly retention: number | null;
  /** Points that the pivot took: those it lost, less those it gained. */
  readonly loss: LossAccount;
  /** What the reader missed with everything before it. */
  readonly attentionLoss: number | null;
  /** What the summary adds to the tail. */
  readonly summaryValue: number | null;
}

/** Questions that are answered right before the pivot and wrong after it, as shares of all, and the other way round. */
export interface LossAccount {
  /** Gone from the context, and not answered. */
  readonly lost: number | null;
  /** Still there, and not used. */
  readonly ignored: number | null;
  /** Gone, and answered with something else. */
  readonly confabulated: number | null;
  /** Right only after the pivot. */
  readonly gained: number | null;
}

/** The parts of a loss, in the order of reports. */
export const LOSSES: readonly (keyof LossAccount)[] = ['lost', 'ignored', 'confabulated', 'gained'];

/** What the session must tell more than nothing does. Source: evaluation design, section 9.2. */
const LEAST_TOLD = 0.2;

/** What questions came to, but for those that nobody can answer. */
export function accountProbes(all: readonly ProbeResult[]): ProbeAccount {
  const results = all.filter(({ kind }) => kind !== 'abstention');
  const share = (is: (result: ProbeResult) => boolean) => shareOf(results, is);
  const of = (condition: Condition) => share(({ answers }) => answers[condition].isRight);
  const accuracy = {
    none: of('none'),
    oracle: of('oracle'),
    full: of('full'),
    compacted: of('compacted'),
    tail: of('tail'),
  };
  const isLost = ({ answers }: ProbeResult) => answers.full.isRight && !answers.compacted.isRight;
  return {
    questions: results.length,
    accuracy,
    retention: normalisedRetention(accuracy),
    loss: {
      lost: share((one) => isLost(one) && !one.isLeft && one.answers.compacted.isAbstained),
      ignored: share((one) => isLost(one) && one.isLeft),
      confabulated: share(
        (one) => isLost(one) && !one.isLeft && !one.answers.compacted.isAbstained,
      ),
      gained: share(({ answers }) => !answers.full.isRight && answers.compacted.isRight),
    },
    attentionLoss: minus(accuracy.oracle, accuracy.full),
    summaryValue: minus(accuracy.compacted, accuracy.tail),
  };
}

/** Share of questions after the pivot that nobody can answer and that were answered all the same. */
export function falseRecallRate(all: readonly ProbeResult[]): number | null {
  const asked = all.filter(({ kind }) => kind === 'abstention');
  return shareOf(asked, ({ answers }) => !answers.compacted.isRight);
}

/** How much of what the session tells beyond nothing is left; raw numbers stand where that is too little. */
export function normalisedRetention({
  none,
  full,
  compacted,
}: Pick<ProbeAccount['accuracy'], 'none' | 'full' | 'compacted'>): number | null {
  if (none === null || full === null || compacted === null) return null;
  return isAtMost(LEAST_TOLD, full - none) ? (compacted - none) / (full - none) : null;
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

function shareOf(
  results: readonly ProbeResult[],
  is: (result: ProbeResult) => boolean,
): number | null {
  return results.length === 0 ? null : results.filter(is).length / results.length;
}
