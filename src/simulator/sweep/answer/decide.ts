import { sum } from '../../lib/collections.ts';
import { type ArmJudgement, judgeArms } from '../../metrics/statistics/judge-arms.ts';
import { clusterOf } from '../../metrics/statistics/verdict.ts';
import type { AnswerState, AnswerVerdict } from '../../report/answer-schema.ts';
import { type ArmRun, armRunOf } from '../../report/arms.ts';
import { differ, losesMore } from '../../report/verdict.ts';
import type { ResultRow } from '../store/row.ts';

/** A session under the preset and under a change of it; both ended, at a known price. */
export interface Pairing {
  readonly base: ResultRow;
  readonly changed: ResultRow;
}

/** The effect of a change, judged. */
export type Decision = Pick<
  AnswerVerdict,
  'state' | 'spent' | 'losses' | 'sessions' | 'changedSessions' | 'sessionsNeeded'
>;

/** The unit in which runs are judged: dollars at list prices, or without a price the tokens that are processed. */
export type SpendUnit = AnswerVerdict['unit'];

/** The unit in which a run is judged. */
export function spendUnitOf({ metrics }: ResultRow): SpendUnit {
  return metrics.costUsd === null ? 'tokens' : 'usd';
}

/** The amount that a run took, in its unit; dollars with what is read again. */
export function spentIn(row: ResultRow): number {
  return amountOf(armRunOf(row.session, row));
}

/** Judges changes that were tried beside each other: the more there are, the surer each has to be. */
export function decideAll(changes: readonly (readonly Pairing[])[]): readonly Decision[] {
  const matched = changes.map((pairings) => pairings.map(toMatched));
  const judged = judgeArms(
    matched.map((some) => ({
      failed: 0,
      pairs: some.map(({ a, b }) => ({
        cluster: clusterOf(a),
        base: amountOf(a),
        arm: amountOf(b),
        differs: differ(a, b),
      })),
    })),
  );
  return judged.map((judgement, index) => toDecision(judgement, matched[index] ?? []));
}

function toMatched({ base, changed }: Pairing) {
  const key = base.session;
  return { a: armRunOf(key, base), b: armRunOf(key, changed) };
}

/** Money that is surely saved is worth trying, unless losses surely grow. */
function toDecision(
  judgement: ArmJudgement,
  matched: readonly ReturnType<typeof toMatched>[],
): Decision {
  const { from, to, interval, sessions, differing, needed } = judgement;
  return {
    state: stateOf(judgement, losesMore(matched)),
    spent: { from, to, low: interval?.low ?? null, high: interval?.high ?? null },
    losses: {
      from: sum(matched.map(({ a }) => a.losses ?? 0)),
      to: sum(matched.map(({ b }) => b.losses ?? 0)),
    },
    sessions,
    changedSessions: differing,
    sessionsNeeded: typeof needed === 'number' ? needed : null,
  };
}

function stateOf({ state }: ArmJudgement, isLosingMore: boolean): AnswerState {
  if (state === 'better') return isLosingMore ? 'a choice' : 'try it';
  // A change that failed anywhere was left out before.
  return state === 'fails' ? 'worse' : state;
}

function amountOf({ costUsd, tokens }: ArmRun): number {
  return costUsd ?? tokens ?? 0;
}
