import type { PredictedStep, Surprise } from '../replay/predict/step.ts';
import type { Session } from '../session/session.ts';
import { errorsOf, type FidelityErrors } from './fidelity.ts';

/** How well one session's recorded usage was predicted. */
export interface SessionFidelity {
  readonly session: string;
  readonly format: string;
  /** Absent where the recording names none. */
  readonly model?: string;
  /** Steps that were compared with what was predicted of them. */
  readonly steps: number;
  readonly errors: FidelityErrors;
  /** Steps that nothing foretells, by what happened. */
  readonly surprises: Readonly<Partial<Record<Surprise, number>>>;
  /** Of all that was sent in the steps whose cost is recorded; `null` without any. */
  readonly costs: CostTotals | null;
  /** Why nothing was compared; absent where something was. */
  readonly reason?: string;
}

/** What some steps cost on the input side, in nano-dollars. */
export interface CostTotals {
  readonly predictedNanoUsd: number;
  readonly recordedNanoUsd: number;
  /** What of it fell to steps whose cached prefix had been lost within its time to live. */
  readonly lostPredictedNanoUsd: number;
  readonly lostRecordedNanoUsd: number;
}

/** The fidelity of a session's prediction. */
export function recordFidelity(session: Session, steps: readonly PredictedStep[]): SessionFidelity {
  const { name, format, model } = session;
  const reason = steps.length > 0 ? undefined : reasonOf(session);
  return {
    session: name,
    format,
    ...(model !== undefined && { model }),
    steps: steps.length,
    errors: errorsOf(steps),
    surprises: countSurprises(steps),
    costs: totalCosts(steps),
    ...(reason !== undefined && { reason }),
  };
}

/** The row of a session that was not looked into. */
export function recordUncompared(session: Session, reason: string): SessionFidelity {
  return { ...recordFidelity(session, []), reason };
}

/** The costs of several sessions together; `null` where those of none are known. */
export function addCosts(all: readonly (CostTotals | null)[]): CostTotals | null {
  const known = all.filter((costs) => costs !== null);
  if (known.length === 0) return null;
  const sum = (of: (costs: CostTotals) => number) =>
    known.reduce((total, costs) => total + of(costs), 0);
  return {
    predictedNanoUsd: sum((costs) => costs.predictedNanoUsd),
    recordedNanoUsd: sum((costs) => costs.recordedNanoUsd),
    lostPredictedNanoUsd: sum((costs) => costs.lostPredictedNanoUsd),
    lostRecordedNanoUsd: sum((costs) => costs.lostRecordedNanoUsd),
  };
}

function reasonOf({ messages }: Session): string {
  const hasUsage = messages.some(
    (message) => message.role === 'assistant' && message.usage !== undefined,
  );
  return hasUsage ? 'only one step has recorded usage' : 'no usage is recorded';
}

function countSurprises(steps: readonly PredictedStep[]): SessionFidelity['surprises'] {
  const counts: Partial<Record<Surprise, number>> = {};
  for (const { surprise } of steps) {
    if (surprise !== undefined) counts[surprise] = (counts[surprise] ?? 0) + 1;
  }
  return counts;
}

function totalCosts(steps: readonly PredictedStep[]): CostTotals | null {
  return addCosts(
    steps.flatMap(({ inputCost, surprise }) => {
      if (inputCost === undefined) return [];
      const { predicted, recorded } = inputCost;
      const isLost = surprise === 'cache-lost';
      return {
        predictedNanoUsd: predicted,
        recordedNanoUsd: recorded,
        lostPredictedNanoUsd: isLost ? predicted : 0,
        lostRecordedNanoUsd: isLost ? recorded : 0,
      };
    }),
  );
}
