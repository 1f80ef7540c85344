import type { PredictedStep } from '../replay/predict/step.ts';

/** Signed errors by measure: predicted less recorded, as a part of what was recorded; shares in points. */
export type FidelityErrors = Readonly<Record<FidelityMeasure, readonly number[]>>;

/** How far predictions lie from recordings, over some steps. */
export interface ErrorSummary {
  readonly steps: number;
  readonly medianSigned: number;
  /** The signed error of the step at the 90th percentile by magnitude. */
  readonly p90Signed: number;
  readonly medianAbsolute: number;
}

/** What is compared between prediction and recording. */
export type FidelityMeasure = keyof typeof fidelityMeasures;

const MEDIAN = 0.5;
const P90 = 0.9;

/** How the error of a step is found, by measure; absent where it was not predicted. */
const fidelityMeasures = {
  contextOneStep: ({ contextNext: context }: PredictedStep) =>
    context && relative(context.predicted, context.recorded),
  contextFreeRunning: ({ contextFree: context }: PredictedStep) =>
    context && relative(context.predicted, context.recorded),
  cacheShare: ({ cacheShare: share }: PredictedStep) => share && share.predicted - share.recorded,
  cost: ({ inputCost: cost }: PredictedStep) => cost && relative(cost.predicted, cost.recorded),
} satisfies Record<string, (step: PredictedStep) => number | undefined>;

/** The errors of some steps. */
export function errorsOf(steps: readonly PredictedStep[]): FidelityErrors {
  const of = (measure: FidelityMeasure) =>
    steps.flatMap((step) => fidelityMeasures[measure](step) ?? []);
  return {
    contextOneStep: of('contextOneStep'),
    contextFreeRunning: of('contextFreeRunning'),
    cacheShare: of('cacheShare'),
    cost: of('cost'),
  };
}

/** The errors of several sessions as those of one: every step weighs the same. */
export function poolErrors(all: readonly FidelityErrors[]): FidelityErrors {
  const of = (measure: FidelityMeasure) => all.flatMap((errors) => errors[measure]);
  return {
    contextOneStep: of('contextOneStep'),
    contextFreeRunning: of('contextFreeRunning'),
    cacheShare: of('cacheShare'),
    cost: of('cost'),
  };
}

/** Errors in a few numbers; nothing where there are none. */
export function summariseErrors(errors: readonly number[]): ErrorSummary | undefined {
  const bySize = errors.toSorted((some, other) => Math.abs(some) - Math.abs(other));
  const bySign = errors.toSorted((some, other) => some - other);
  const medianSigned = quantile(bySign, MEDIAN);
  const p90Signed = quantile(bySize, P90);
  const median = quantile(bySize, MEDIAN);
  if (medianSigned === undefined || p90Signed === undefined || median === undefined) {
    return undefined;
  }
  return { steps: errors.length, medianSigned, p90Signed, medianAbsolute: Math.abs(median) };
}

function relative(predicted: number, recorded: number): number {
  return (predicted - recorded) / recorded;
}

/** The smallest value that at least that part of the values does not exceed. */
function quantile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}
