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

/** Prices of one token in pico-dollars. */
export interface AskPrices {
  readonly inputPicoUsd: number;
  readonly outputPicoUsd: number;
}

/** A compaction of a context of one size into one of another, as the bill sees it. */
export interface Compaction {
  /** Prices of the model that is to go on. */
  readonly model: AskPrices & CacheMultipliers;
  /** Prices of the model for requests as large as before; absent where they are the same. */
  readonly modelBefore?: (AskPrices & CacheMultipliers) | undefined;
  readonly summarizer: AskPrices & {
    /** What the history costs it, in prices of fresh input: little where it is cached for it too. */
    readonly historyMultiplier: number;
  };
  readonly summaryTokens: number;
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** Of those after it, the ones that are not written anew for it: what the cache still holds; 0 where it is absent. */
  readonly cachedTokens?: number | undefined;
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
  const rewriteTokens = (prune.writeMultiplier - prune.readMultiplier) * prune.survivingTokens;
  return stepsToEarn(rewriteTokens, historyMultiplier(prune) * prune.removedTokens);
}

/** Steps until a compaction has saved what it costs; formula 3, K / (p e (C - C')), with p and e of C for C. */
export function compactionBreakEvenSteps(compaction: Compaction): number {
  const { model, modelBefore = model, beforeTokens, afterTokens } = compaction;
  const savedPerStep = carryPicoUsd(modelBefore) * beforeTokens - carryPicoUsd(model) * afterTokens;
  return stepsToEarn(compactionCostPicoUsd(compaction), Math.max(0, savedPerStep));
}

/** What costs nothing has earned it at once, even where a step saves nothing. */
function stepsToEarn(cost: number, savedPerStep: number): number {
  return cost === 0 ? 0 : cost / savedPerStep;
}

function carryPicoUsd(model: AskPrices & CacheMultipliers): number {
  return model.inputPicoUsd * historyMultiplier(model);
}

/** What it costs to read the history, write the summary and cache the rest; formula 3, K, with H of formula 1. */
function compactionCostPicoUsd(compaction: Compaction): number {
  const { model, summarizer, summaryTokens, beforeTokens, afterTokens } = compaction;
  const { cachedTokens = 0 } = compaction;
  const history = summarizer.inputPicoUsd * summarizer.historyMultiplier * beforeTokens;
  const summary = summarizer.outputPicoUsd * summaryTokens;
  const rewrite = model.inputPicoUsd * model.writeMultiplier * (afterTokens - cachedTokens);
  return history + summary + rewrite;
}
