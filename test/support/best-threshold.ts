import { type Compaction, historyMultiplier } from '../../src/simulator/metrics/fold.ts';

/** A session that grows steadily and is compacted again and again. */
export interface SteadyGrowth extends Pick<Compaction, 'model'> {
  readonly summarizer: {
    readonly inputPicoUsd: number;
    readonly outputPicoUsd: number;
    /** The price of the history in multiples of fresh input; small where it is cached. */
    readonly historyMultiplier: number;
  };
  readonly summaryTokens: number;
  readonly growthTokens: number;
  readonly afterTokens: number;
  /** What is read again after each compaction. */
  readonly rereadTokens: number;
  /** Whatever else a compaction costs, such as what a loss of information leads to. */
  readonly penaltyPicoUsd: number;
}

/**
 * The size at which it is cheapest to compact a context that grows steadily. Source: evaluation design,
 * section 5.3, formula 4, T*.
 */
export function bestThresholdTokens(growth: SteadyGrowth): number {
  const { model, summarizer, afterTokens } = growth;
  const summary =
    summarizer.inputPicoUsd * summarizer.historyMultiplier * afterTokens +
    summarizer.outputPicoUsd * growth.summaryTokens;
  const rewrite = model.inputPicoUsd * model.writeMultiplier * (afterTokens + growth.rereadTokens);
  const fixed = summary + rewrite + growth.penaltyPicoUsd;
  const carry = model.inputPicoUsd * historyMultiplier(model);
  return afterTokens + Math.sqrt((2 * growth.growthTokens * fixed) / carry);
}
