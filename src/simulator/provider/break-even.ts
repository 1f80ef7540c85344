/** What cached input costs, in prices of fresh input, and how often nothing is cached. */
export interface CacheMultipliers {
  readonly readMultiplier: number;
  readonly writeMultiplier: number;
  /** Share of steps that come after the cache has run out; 0 for none. */
  readonly coldShare: number;
}

/** A prune as the cache sees it. */
export interface PruneSizes extends CacheMultipliers {
  /** What survives behind the first change and is written anew. */
  readonly survivingTokens: number;
  readonly removedTokens: number;
}

/** A prune that has to be worth it within a number of steps. */
export interface PruneHorizon extends CacheMultipliers {
  readonly survivingTokens: number;
  readonly horizonSteps: number;
}

/** Prices of one token in pico-dollars. */
export interface AskPrices {
  readonly inputPicoUsd: number;
  readonly outputPicoUsd: number;
}

/** A compaction as the bill sees it. */
export interface CompactionSizes {
  /** Prices of the model that is to go on. */
  readonly model: AskPrices & CacheMultipliers;
  readonly summarizer: AskPrices & {
    /** What the history costs it, in prices of fresh input: little where it is cached for it too. */
    readonly historyMultiplier: number;
  };
  readonly summaryTokens: number;
}

/** A compaction of a context of one size into one of another. */
export interface Compaction extends CompactionSizes {
  /** Prices of the model for requests as large as before; absent where they are the same. */
  readonly modelBefore?: (AskPrices & CacheMultipliers) | undefined;
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** Of those after it, the ones that are not written anew for it: what the cache still holds; 0 where it is absent. */
  readonly cachedTokens?: number | undefined;
}

/** A session that grows steadily and is compacted again and again. */
export interface SteadyGrowth extends CompactionSizes {
  readonly growthTokens: number;
  readonly afterTokens: number;
  /** What is read again after each compaction. */
  readonly rereadTokens: number;
  /** Whatever else a compaction costs, such as what a loss of information leads to. */
  readonly penaltyPicoUsd: number;
}

/**
 * What a step pays for a token of its history, in prices of fresh input: `e` in the formulas of the
 * evaluation design, section 5.3, to which the numbers at the other functions refer.
 */
export function historyMultiplier(cache: CacheMultipliers): number {
  return (1 - cache.coldShare) * cache.readMultiplier + cache.coldShare * cache.writeMultiplier;
}

/** Steps until a prune has saved what rewriting the cache costs; formula 2, (w - r) L / (e S). */
export function pruneBreakEvenSteps(prune: PruneSizes): number {
  return stepsToEarn(rewriteCost(prune), historyMultiplier(prune) * prune.removedTokens);
}

/** The least removal that is worth it within a horizon; formula 2 for S, (w - r) L / (e n). */
export function minimumWorthRemoving(prune: PruneHorizon): number {
  return rewriteCost(prune) / (historyMultiplier(prune) * prune.horizonSteps);
}

/** What a compaction costs to read the history, write the summary and cache the rest; formula 3, K, with H of formula 1. */
export function compactionCostPicoUsd(compaction: Compaction): number {
  const { model, afterTokens, cachedTokens = 0 } = compaction;
  const rewrite = model.inputPicoUsd * model.writeMultiplier * (afterTokens - cachedTokens);
  return summaryCostPicoUsd(compaction, compaction.beforeTokens) + rewrite;
}

/** Steps until a compaction has saved what it costs; formula 3, K / (p e (C - C')), with p and e of C for C. */
export function compactionBreakEvenSteps(compaction: Compaction): number {
  const { model, modelBefore = model, beforeTokens, afterTokens } = compaction;
  const savedPerStep = carryPicoUsd(modelBefore) * beforeTokens - carryPicoUsd(model) * afterTokens;
  return stepsToEarn(compactionCostPicoUsd(compaction), Math.max(0, savedPerStep));
}

/** The size at which it is cheapest to compact a context that grows steadily; formula 4, T*. */
export function bestThresholdTokens(growth: SteadyGrowth): number {
  const { model, afterTokens, growthTokens } = growth;
  const rewrite = model.inputPicoUsd * model.writeMultiplier * (afterTokens + growth.rereadTokens);
  const fixed = summaryCostPicoUsd(growth, afterTokens) + rewrite + growth.penaltyPicoUsd;
  return afterTokens + Math.sqrt((2 * growthTokens * fixed) / carryPicoUsd(model));
}

/** What costs nothing has earned it at once, even where a step saves nothing. */
function stepsToEarn(cost: number, savedPerStep: number): number {
  return cost === 0 ? 0 : cost / savedPerStep;
}

function carryPicoUsd(model: AskPrices & CacheMultipliers): number {
  return model.inputPicoUsd * historyMultiplier(model);
}

function rewriteCost(prune: CacheMultipliers & { readonly survivingTokens: number }): number {
  return (prune.writeMultiplier - prune.readMultiplier) * prune.survivingTokens;
}

function summaryCostPicoUsd(
  { summarizer, summaryTokens }: CompactionSizes,
  historyTokens: number,
): number {
  const { inputPicoUsd, outputPicoUsd, historyMultiplier: multiplier } = summarizer;
  return inputPicoUsd * multiplier * historyTokens + outputPicoUsd * summaryTokens;
}
