import { countEach, known, sum } from '../lib/collections.ts';
import type { Decision } from '../replay/decisions.ts';
import type { Compared, PredictedStep, Surprise } from '../replay/predict.ts';
import type { Session } from '../session/session.ts';
import type { Carried, Rereads } from './rereads.ts';

/** Predicted less recorded, as a fraction of the recorded value; shares in points. */
export type FidelityErrors = Readonly<Record<FidelityMeasure, readonly number[]>>;

interface ErrorSummary {
  readonly steps: number;
  readonly medianSigned: number;
  /** Of the step at the 90th percentile by magnitude. */
  readonly p90Signed: number;
  readonly medianAbsolute: number;
}

export type FidelityMeasure = keyof typeof fidelityMeasures;

export interface SessionFidelity extends Decided {
  readonly session: string;
  readonly format: string;
  readonly model?: string;
  /** Of the agent, such as `2.1.17`. */
  readonly release?: string;
  readonly steps: number;
  readonly errors: FidelityErrors;
  /** Steps that nothing foretells, by what happened. */
  readonly surprises: Readonly<Partial<Record<Surprise, number>>>;
  /** Of all steps whose cost is recorded; `null` without any. */
  readonly costs: CostTotals | null;
  /** Why nothing was compared; absent where something was. */
  readonly reason?: string;
}

/** A session beside runs of its agent's preset. */
export interface Decided {
  /** With where its preset would have made them. */
  readonly decisions: readonly Decision[];
  /** That of its agent, with settings; absent where unknown. */
  readonly preset?: string;
  readonly rereads?: readonly Rereads[];
  readonly carried?: Carried;
}

interface CostTotals {
  readonly predictedNanoUsd: number;
  readonly recordedNanoUsd: number;
  /** Of steps that lost their cached prefix within its time to live. */
  readonly lostPredictedNanoUsd: number;
  readonly lostRecordedNanoUsd: number;
}

const MEDIAN = 0.5;
const P90 = 0.9;

/** The error of a step, by measure; absent where it was not predicted. */
const fidelityMeasures = {
  contextOneStep: ({ contextNext }: PredictedStep) => relative(contextNext),
  contextFreeRunning: ({ contextFree }: PredictedStep) => relative(contextFree),
  fitOneStep: ({ fitNext }: PredictedStep) => relative(fitNext),
  fitFreeRunning: ({ fitFree }: PredictedStep) => relative(fitFree),
  cacheShare: ({ cacheShare: share }: PredictedStep) => share && share.predicted - share.recorded,
  cost: ({ inputCost }: PredictedStep) => relative(inputCost),
};

/** The errors of several sessions as those of one: every step weighs the same. */
export function poolErrors(all: readonly FidelityErrors[]): FidelityErrors {
  return byMeasure((measure) => all.flatMap((errors) => errors[measure]));
}

export function summariseErrors(errors: readonly number[]): ErrorSummary | undefined {
  const bySize = errors.toSorted((some, other) => Math.abs(some) - Math.abs(other));
  const bySign = errors.toSorted((some, other) => some - other);
  const medianSigned = quantile(bySign, MEDIAN);
  const p90Signed = quantile(bySize, P90);
  const median = quantile(bySize, MEDIAN);
  if (medianSigned === undefined || p90Signed === undefined || median === undefined)
    return undefined;
  return { steps: errors.length, medianSigned, p90Signed, medianAbsolute: Math.abs(median) };
}

/** The fidelity of a session's prediction. */
export function recordFidelity(
  session: Session,
  steps: readonly PredictedStep[],
  decided: Decided = { decisions: [] },
): SessionFidelity {
  const { name, format, model, release } = session;
  const surprises = steps.flatMap(({ surprise }) => surprise ?? []);
  return {
    session: name,
    format,
    ...known({ model, release: release?.join('.') }),
    steps: steps.length,
    errors: byMeasure((measure) => steps.flatMap((step) => fidelityMeasures[measure](step) ?? [])),
    surprises: Object.fromEntries(countEach(surprises)),
    costs: totalCosts(steps),
    ...decided,
    ...known({ reason: steps.length > 0 ? undefined : reasonOf(session) }),
  };
}

export function recordUncompared(session: Session, reason: string): SessionFidelity {
  return { ...recordFidelity(session, []), reason };
}

/** The costs of several sessions together; `null` where those of none are known. */
export function addCosts(all: readonly (CostTotals | null)[]): CostTotals | null {
  const costs = all.filter((one) => one !== null);
  if (costs.length === 0) return null;
  const total = (of: keyof CostTotals) => sum(costs.map((one) => one[of]));
  return {
    predictedNanoUsd: total('predictedNanoUsd'),
    recordedNanoUsd: total('recordedNanoUsd'),
    lostPredictedNanoUsd: total('lostPredictedNanoUsd'),
    lostRecordedNanoUsd: total('lostRecordedNanoUsd'),
  };
}

function quantile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}

function reasonOf({ messages }: Session): string {
  const hasUsage = messages.some(
    (message) => message.role === 'assistant' && message.usage !== undefined,
  );
  return hasUsage ? 'only one step has recorded usage' : 'no usage is recorded';
}

function totalCosts(steps: readonly PredictedStep[]): CostTotals | null {
  return addCosts(
    steps.flatMap(({ inputCost, surprise }) => {
      if (inputCost === undefined) return [];
      const { predicted, recorded } = inputCost;
      const lost = surprise === 'cache-lost' ? inputCost : { predicted: 0, recorded: 0 };
      return {
        predictedNanoUsd: predicted,
        recordedNanoUsd: recorded,
        lostPredictedNanoUsd: lost.predicted,
        lostRecordedNanoUsd: lost.recorded,
      };
    }),
  );
}

function byMeasure(errorsOf: (measure: FidelityMeasure) => readonly number[]): FidelityErrors {
  const measures = Object.keys(fidelityMeasures) as readonly FidelityMeasure[];
  return Object.fromEntries(
    measures.map((measure) => [measure, errorsOf(measure)]),
  ) as FidelityErrors;
}

function relative(compared: Compared | undefined): number | undefined {
  return compared && (compared.predicted - compared.recorded) / compared.recorded;
}
