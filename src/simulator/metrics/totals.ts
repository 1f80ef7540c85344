/** Sums over the events of one run, from which every metric is read. */

import { isIneffective } from '../../engine/index.ts';
import type { BilledPrices, RequestPrices, RunEvent } from '../events.ts';
import { PICO_PER_NANO } from '../lib/units.ts';
import { pricesFor } from '../provider/prices.ts';
import { NO_REGRET, type RegretTotals } from './regret.ts';

const NO_SUMS = {
  steps: 0,
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  peakContextTokens: 0,
  overflowsAfterStep: 0,
  overflowsBeforeRequest: 0,
  refusals: 0,
  /** Requests that a provider cut without a word. */
  truncations: 0,
  compactions: 0,
  ineffectiveCompactions: 0,
  failedCompactions: 0,
  recordedCompactions: 0,
  prunes: 0,
  prunesBelowMinimum: 0,
  prunesThatAdded: 0,
  prunedTokens: 0,
  prunedTokensEstimated: 0,
  summaryInputTokens: 0,
  summaryCacheReadTokens: 0,
  summaryOutputTokens: 0,
  finalContextTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  uncachedTokens: 0,
  prefixBreaks: 0,
  coldSteps: 0,
  latencyMs: 0,
};

type Sums = typeof NO_SUMS;

/** Sums over the events of one run; each metric is read off them. */
export interface RunTotals extends Sums {
  /** By the number of the recorded step, which a closed loop's added steps count as; 0 is before the first. */
  readonly byStep: Map<number, StepTotals>;
  /** It holds a request that is larger than the window. */
  isImpossible: boolean;
  /** Of a run as it was recorded; else absent. */
  recording?: RecordingTotals;
  /** Of the first request of each turn, and of all others. */
  readonly afterUser: CacheTotals;
  readonly afterTool: CacheTotals;
  /** Absent where a model that answered has no known price. */
  costs?: CostTotals;
  /** Cost and gain of each prune and pivot, in order. */
  paybacks: readonly Payback[];
  /** The needs that were lost. */
  regret: RegretTotals;
}

/** Input of some requests, and what of it came from the cache. */
export interface CacheTotals {
  inputTokens: number;
  cacheReadTokens: number;
}

/** Money of one run in nano-dollars. */
export interface CostTotals {
  summariesNanoUsd: number;
  stepsNanoUsd: number;
}

/** The requests of one recorded step, and the summary calls behind it. Nano-dollars are 0 where no price is known. */
export interface StepTotals {
  isAnswered: boolean;
  contextTokens: number;
  nanoUsd: number;
  summaryTokens: number;
  summaryNanoUsd: number;
}

/** How much of a session its recording tells. */
export interface RecordingTotals {
  readonly isCacheUnknown: boolean;
  /** Steps of the session, with usage or without. */
  readonly steps: number;
  /** Summary calls without usage. */
  unknownCalls: number;
}

/** The cost of a prune or a pivot in steps until it is earned back, and the steps that followed. */
export interface Payback {
  readonly kind: 'prune' | 'pivot';
  /** The newest step that was sent before it, 0 before the first; in a closed loop, one that is read again for counts as its step. */
  readonly step: number;
  /** Absent where a model that answered has no known price; `null` where no number of steps would earn it back. */
  readonly breakEvenSteps?: number | null;
  /** Steps until the next pivot rewrote everything, or until the end. */
  readonly realisedSteps: number;
  /** Absent where unknown: without a price, for one that had an effect. */
  readonly isWasted?: boolean;
}

type Prune = RunEvent & { readonly type: 'prune-end' };
type Pivot = RunEvent & { readonly type: 'pivot' };

interface Entry {
  readonly event: Prune | Pivot;
  readonly step: number;
  readonly prices: BilledPrices | undefined;
  readonly summaryNanoUsd: number;
  realisedSteps: number;
  isOpen: boolean;
  next?: { readonly isCold: boolean; readonly cacheReadTokens: number };
}

interface CacheMultipliers {
  readonly readMultiplier: number;
  readonly writeMultiplier: number;
  /** Share of steps that come after the cache has run out; 0 for none. */
  readonly coldShare: number;
}

interface PruneSizes extends CacheMultipliers {
  readonly survivingTokens: number;
  readonly removedTokens: number;
}

interface AskedModel extends CacheMultipliers {
  readonly inputPicoUsd: number;
}

/** A compaction of a context of one size into one of another, as the bill sees it. */
export interface Compaction {
  readonly model: AskedModel;
  /** For larger requests; absent where the same. */
  readonly modelBefore?: AskedModel;
  readonly summaryPicoUsd: number;
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** Of those after it, in the cache still, and not written anew. */
  readonly cachedTokens?: number;
}

/** Answered by a model without a known price, which leaves the whole run without one. */
export function isUnpriced(event: RunEvent): boolean {
  const isAnswered =
    event.type === 'step-end' || (event.type === 'summary-end' && event.state === 'answered');
  return isAnswered && event.costNanoUsd === undefined;
}

/** About as large a context as before; false where unknown. */
export function isIneffectivePivot({
  contextBeforeTokens: beforeTokens,
  contextAfterTokens: afterTokens,
}: Pivot): boolean {
  if (beforeTokens === undefined || afterTokens === undefined) return false;
  return isIneffective({ beforeTokens, afterTokens });
}

export function isTruncated(event: RunEvent): boolean {
  if (event.type === 'summary-end') return event.keptTokens !== undefined;
  return event.type === 'step-truncated';
}

export function emptyTotals(): RunTotals {
  return {
    ...NO_SUMS,
    byStep: new Map(),
    isImpossible: false,
    afterUser: { inputTokens: 0, cacheReadTokens: 0 },
    afterTool: { inputTokens: 0, cacheReadTokens: 0 },
    paybacks: [],
    regret: NO_REGRET,
  };
}

export function recordedSteps({ steps, regret }: Pick<RunTotals, 'steps' | 'regret'>): number {
  return steps - regret.rereadSteps + regret.droppedSteps;
}

/** Works out the paybacks of a run. Formulas: evaluation design, section 5.3 (2) and (3). */
export function createPaybackFold() {
  const entries: Entry[] = [];
  let prices: BilledPrices | undefined;
  let isPriced = true;
  let [newestStep, steps, coldSteps, summaryNanoUsd] = [0, 0, 0, 0];
  const open = (event: Prune | Pivot, ofSummaries: number) => {
    const own = { event, step: newestStep, prices, summaryNanoUsd: ofSummaries };
    entries.push({ ...own, realisedSteps: 0, isOpen: true });
  };
  return {
    add: (event: RunEvent): void => {
      if (isUnpriced(event)) isPriced = false;
      switch (event.type) {
        case 'run-start':
        case 'model-changed':
          prices = event.prices ?? prices;
          break;
        case 'summary-end':
          summaryNanoUsd += event.costNanoUsd ?? 0;
          break;
        case 'step-end': {
          const { isCold = false, cacheReadTokens } = event;
          newestStep = event.step;
          steps += 1;
          if (isCold) coldSteps += 1;
          for (const entry of entries.filter(({ isOpen }) => isOpen)) {
            entry.realisedSteps += 1;
            entry.next ??= { isCold, cacheReadTokens };
          }
          break;
        }
        case 'prune-end':
          if (event.state === 'fired') open(event, 0);
          break;
        case 'pivot':
          for (const entry of entries) entry.isOpen = false;
          open(event, summaryNanoUsd);
          summaryNanoUsd = 0;
          break;
        default:
      }
    },
    end: (): readonly Payback[] => {
      const coldShare = steps === 0 ? 0 : coldSteps / steps;
      return entries.map((entry) =>
        toPayback(entry, isPriced ? entry.prices : undefined, coldShare),
      );
    },
  };
}

/** The price of a history token per step, in multiples of fresh input: `e` of section 5.3. */
export function historyMultiplier(cache: CacheMultipliers): number {
  return (1 - cache.coldShare) * cache.readMultiplier + cache.coldShare * cache.writeMultiplier;
}

/** Steps that earn back a prune; formula 2, (w - r) L / (e S). */
export function pruneBreakEvenSteps(prune: PruneSizes): number {
  const rewriteTokens = (prune.writeMultiplier - prune.readMultiplier) * prune.survivingTokens;
  return stepsToEarn(rewriteTokens, historyMultiplier(prune) * prune.removedTokens);
}

/** Steps that earn back a compaction; formula 3, K / (p e (C - C')), with p and e of C for C. */
export function compactionBreakEvenSteps(compaction: Compaction): number {
  const { model, modelBefore = model, beforeTokens, afterTokens, cachedTokens = 0 } = compaction;
  const savedPerStep = carryPicoUsd(modelBefore) * beforeTokens - carryPicoUsd(model) * afterTokens;
  const rewrite = model.inputPicoUsd * model.writeMultiplier * (afterTokens - cachedTokens);
  return stepsToEarn(compaction.summaryPicoUsd + rewrite, Math.max(0, savedPerStep));
}

function toPayback(entry: Entry, prices: BilledPrices | undefined, coldShare: number): Payback {
  const { event, step, realisedSteps } = entry;
  const kind = event.type === 'pivot' ? 'pivot' : 'prune';
  const isVain = hadNoEffect(event);
  if (prices === undefined) return { kind, step, realisedSteps, ...(isVain && { isWasted: true }) };
  const steps = breakEvenOf(entry, prices, coldShare);
  // To a tenth of a step, as far as the formulas can be trusted.
  const breakEvenSteps = Number.isFinite(steps) ? Math.round(steps * 10) / 10 : null;
  return { kind, step, breakEvenSteps, realisedSteps, isWasted: isVain || realisedSteps < steps };
}

/** A placeholder may be longer than the content it replaces. */
function hadNoEffect(event: Prune | Pivot): boolean {
  return event.type === 'prune-end' ? event.prunedTokens <= 0 : isIneffectivePivot(event);
}

function breakEvenOf(
  { event, summaryNanoUsd, next }: Entry,
  prices: BilledPrices,
  coldShare: number,
): number {
  if (event.type === 'prune-end') {
    if (hadNoEffect(event)) return Infinity;
    if (next?.isCold) return 0;
    const { prunedTokens: removedTokens, survivingTokens } = event;
    return pruneBreakEvenSteps({ ...toModel(prices, coldShare), removedTokens, survivingTokens });
  }
  const { contextBeforeTokens: beforeTokens = 0, contextAfterTokens: afterTokens = 0 } = event;
  if (beforeTokens <= afterTokens) return Infinity;
  const modelFor = (tokens: number) => toModel(pricesFor<RequestPrices>(prices, tokens), coldShare);
  // A cache that had run out by the next step would have been written anew without a pivot, too.
  const heldTokens = next?.isCold ? afterTokens : (next?.cacheReadTokens ?? 0);
  return compactionBreakEvenSteps({
    model: modelFor(afterTokens),
    modelBefore: modelFor(beforeTokens),
    summaryPicoUsd: summaryNanoUsd * PICO_PER_NANO,
    beforeTokens,
    afterTokens,
    cachedTokens: Math.min(heldTokens, afterTokens),
  });
}

function toModel(
  { inputPicoUsd, cacheReadPicoUsd, cacheWritePicoUsd }: RequestPrices,
  coldShare: number,
): AskedModel {
  const multiplier = (picoUsd: number) => (inputPicoUsd === 0 ? 1 : picoUsd / inputPicoUsd);
  return {
    inputPicoUsd,
    readMultiplier: multiplier(cacheReadPicoUsd),
    writeMultiplier: multiplier(cacheWritePicoUsd),
    coldShare,
  };
}

function carryPicoUsd(model: AskedModel): number {
  return model.inputPicoUsd * historyMultiplier(model);
}

/** 0 where it costs nothing, even if a step saves nothing. */
function stepsToEarn(cost: number, savedPerStep: number): number {
  return cost === 0 ? 0 : cost / savedPerStep;
}
