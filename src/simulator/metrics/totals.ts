/** Sums over the events of one run, from which every metric is read. */

import { isIneffective } from '../../engine/index.ts';
import type { BilledPrices, RequestPrices, RunEvent } from '../events.ts';
import { PICO_PER_NANO } from '../lib/units.ts';
import { pricesFor } from '../provider/prices.ts';
import { NO_REGRET, type RegretTotals } from './regret.ts';

/** Sums over the events of one run; each metric is read off them. */
export interface RunTotals {
  steps: number;
  turns: number;
  inputTokens: number;
  outputTokens: number;
  peakContextTokens: number;
  overflowsAfterStep: number;
  overflowsBeforeRequest: number;
  refusals: number;
  /** Requests that a provider cut without a word. */
  truncations: number;
  compactions: number;
  ineffectiveCompactions: number;
  failedCompactions: number;
  recordedCompactions: number;
  prunes: number;
  prunesBelowMinimum: number;
  prunesThatAdded: number;
  prunedTokens: number;
  prunedTokensEstimated: number;
  summaryInputTokens: number;
  summaryCacheReadTokens: number;
  summaryOutputTokens: number;
  finalContextTokens: number;
  /** By the number of the recorded step; a closed loop's added steps count as the step that they read for. 0 is before the first. */
  readonly byStep: Map<number, StepTotals>;
  /** It holds a request that is larger than the window. */
  isImpossible: boolean;
  /** Of a run as it was recorded; else absent. */
  recording?: RecordingTotals;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  uncachedTokens: number;
  /** Of the first request of each turn, and of all others. */
  readonly afterUser: CacheTotals;
  readonly afterTool: CacheTotals;
  prefixBreaks: number;
  coldSteps: number;
  latencyMs: number;
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

/** Takes in the events of a run in order. */
interface PaybackFold {
  readonly add: (event: RunEvent) => void;
  readonly end: () => readonly Payback[];
}

type Prune = RunEvent & { readonly type: 'prune-end' };
type Pivot = RunEvent & { readonly type: 'pivot' };

/** One that still may earn its cost. */
interface Entry {
  readonly event: Prune | Pivot;
  readonly step: number;
  readonly prices: BilledPrices | undefined;
  /** The cost of its summary calls. */
  readonly summaryNanoUsd: number;
  realisedSteps: number;
  isOpen: boolean;
  /** The cache at the next step. */
  next?: { readonly isCold: boolean; readonly cacheReadTokens: number };
}

interface RunSoFar {
  /** Of the model that is asked. */
  prices?: BilledPrices | undefined;
  /** A model that answered has no known price. */
  isUnpriced: boolean;
  newestStep: number;
  /** Requests of steps, those that read again included. */
  steps: number;
  coldSteps: number;
  /** Since the newest pivot. */
  summaryNanoUsd: number;
}

/** The price of cached input in multiples of fresh input, and how often nothing is cached. */
interface CacheMultipliers {
  readonly readMultiplier: number;
  readonly writeMultiplier: number;
  /** Share of steps that come after the cache has run out; 0 for none. */
  readonly coldShare: number;
}

/** A prune as the cache sees it. */
interface PruneSizes extends CacheMultipliers {
  /** Tokens after the first change, which are written anew. */
  readonly survivingTokens: number;
  readonly removedTokens: number;
}

/** Prices of one token in pico-dollars. */
interface AskPrices {
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
    /** The price of the history in multiples of fresh input; small where it is cached. */
    readonly historyMultiplier: number;
  };
  readonly summaryTokens: number;
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** Of those after it, the ones that are not written anew for it: what the cache still holds; 0 where it is absent. */
  readonly cachedTokens?: number | undefined;
}

/** Tests if a request was answered by a model without a known price, which leaves the whole run without one. */
export function isUnpriced(event: RunEvent): boolean {
  const isAnswered =
    event.type === 'step-end' || (event.type === 'summary-end' && event.state === 'answered');
  return isAnswered && event.costNanoUsd === undefined;
}

/** Tests if a pivot left about as large a context as before; false where a recording does not tell. */
export function isIneffectivePivot({
  contextBeforeTokens: beforeTokens,
  contextAfterTokens: afterTokens,
}: Pivot): boolean {
  if (beforeTokens === undefined || afterTokens === undefined) return false;
  return isIneffective({ beforeTokens, afterTokens });
}

/** Tests if a provider silently cut the request of a step or summary. */
export function isTruncated(event: RunEvent): boolean {
  if (event.type === 'summary-end') return event.keptTokens !== undefined;
  return event.type === 'step-truncated';
}

/** Nothing yet. */
export function emptyTotals(): RunTotals {
  return {
    steps: 0,
    turns: 0,
    inputTokens: 0,
    outputTokens: 0,
    peakContextTokens: 0,
    overflowsAfterStep: 0,
    overflowsBeforeRequest: 0,
    refusals: 0,
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
    byStep: new Map(),
    isImpossible: false,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    uncachedTokens: 0,
    afterUser: { inputTokens: 0, cacheReadTokens: 0 },
    afterTool: { inputTokens: 0, cacheReadTokens: 0 },
    prefixBreaks: 0,
    coldSteps: 0,
    latencyMs: 0,
    paybacks: [],
    regret: NO_REGRET,
  };
}

/** Steps without those that a closed loop adds. */
export function recordedSteps({ steps, regret }: Pick<RunTotals, 'steps' | 'regret'>): number {
  return steps - regret.rereadSteps;
}

/** Works out the paybacks of a run. Formulas: evaluation design, section 5.3 (2) and (3). */
export function createPaybackFold(): PaybackFold {
  const entries: Entry[] = [];
  const run: RunSoFar = {
    newestStep: 0,
    steps: 0,
    coldSteps: 0,
    summaryNanoUsd: 0,
    isUnpriced: false,
  };
  return {
    add: (event) => {
      if (event.type === 'run-start') run.prices = event.prices;
      if (event.type === 'model-changed') run.prices = event.prices ?? run.prices;
      if (isUnpriced(event)) run.isUnpriced = true;
      if (event.type === 'summary-end') run.summaryNanoUsd += event.costNanoUsd ?? 0;
      if (event.type === 'step-end') addStep(run, entries, event);
      if (event.type === 'prune-end' && event.state === 'fired') {
        entries.push(open(event, run, 0));
      }
      if (event.type === 'pivot') {
        for (const entry of entries) entry.isOpen = false;
        entries.push(open(event, run, run.summaryNanoUsd));
        run.summaryNanoUsd = 0;
      }
    },
    end: () => entries.map((entry) => toPayback(entry, run)),
  };
}

/**
 * The price of a history token per step, in multiples of fresh input: `e` in the formulas of the evaluation design, section 5.3. The
 * other functions cite its formula numbers.
 */
export function historyMultiplier(cache: CacheMultipliers): number {
  return (1 - cache.coldShare) * cache.readMultiplier + cache.coldShare * cache.writeMultiplier;
}

/** Steps until a prune has saved what rewriting the cache costs; formula 2, (w - r) L / (e S). */
export function pruneBreakEvenSteps(prune: PruneSizes): number {
  const rewriteTokens = (prune.writeMultiplier - prune.readMultiplier) * prune.survivingTokens;
  return stepsToEarn(rewriteTokens, historyMultiplier(prune) * prune.removedTokens);
}

/** Steps until a compaction has saved its cost; formula 3, K / (p e (C - C')), with p and e of C for C. */
export function compactionBreakEvenSteps(compaction: Compaction): number {
  const { model, modelBefore = model, beforeTokens, afterTokens } = compaction;
  const savedPerStep = carryPicoUsd(modelBefore) * beforeTokens - carryPicoUsd(model) * afterTokens;
  return stepsToEarn(compactionCostPicoUsd(compaction), Math.max(0, savedPerStep));
}

function addStep(
  run: RunSoFar,
  entries: readonly Entry[],
  { step, isCold = false, cacheReadTokens }: RunEvent & { readonly type: 'step-end' },
): void {
  run.newestStep = step;
  run.steps += 1;
  if (isCold) run.coldSteps += 1;
  for (const entry of entries) {
    if (!entry.isOpen) continue;
    entry.realisedSteps += 1;
    entry.next ??= { isCold, cacheReadTokens };
  }
}

function open(event: Prune | Pivot, run: RunSoFar, summaryNanoUsd: number): Entry {
  const { newestStep: step, prices } = run;
  return { event, step, prices, summaryNanoUsd, realisedSteps: 0, isOpen: true };
}

function toPayback(entry: Entry, run: RunSoFar): Payback {
  const { event, step, realisedSteps } = entry;
  const kind = event.type === 'pivot' ? 'pivot' : 'prune';
  const isVain = hadNoEffect(event);
  const prices = run.isUnpriced ? undefined : entry.prices;
  const breakEvenSteps = prices && breakEvenOf(entry, prices, run);
  if (breakEvenSteps === undefined) {
    return { kind, step, realisedSteps, ...(isVain && { isWasted: true }) };
  }
  return {
    kind,
    step,
    breakEvenSteps: rounded(breakEvenSteps),
    realisedSteps,
    isWasted: isVain || realisedSteps < breakEvenSteps,
  };
}

/** Tests if it left the view about as large as before. A placeholder may be longer than the content it replaces. */
function hadNoEffect(event: Prune | Pivot): boolean {
  if (event.type === 'prune-end') return event.prunedTokens <= 0;
  return isIneffectivePivot(event);
}

function breakEvenOf(entry: Entry, prices: BilledPrices, run: RunSoFar): number {
  const { event, summaryNanoUsd, next } = entry;
  if (event.type === 'prune-end') {
    if (hadNoEffect(event)) return Number.POSITIVE_INFINITY;
    if (next?.isCold) return 0;
    const { prunedTokens, survivingTokens } = event;
    const multipliers = multipliersOf(prices, run);
    return pruneBreakEvenSteps({ ...multipliers, removedTokens: prunedTokens, survivingTokens });
  }
  const { contextBeforeTokens: beforeTokens = 0, contextAfterTokens: afterTokens = 0 } = event;
  if (beforeTokens <= afterTokens) return Number.POSITIVE_INFINITY;
  return compactionBreakEvenSteps({
    model: modelFor(pricesFor<RequestPrices>(prices, afterTokens), run),
    modelBefore: modelFor(pricesFor<RequestPrices>(prices, beforeTokens), run),
    // The bill of the summary calls stands for their tokens and prices.
    summarizer: {
      inputPicoUsd: 0,
      outputPicoUsd: summaryNanoUsd * PICO_PER_NANO,
      historyMultiplier: 0,
    },
    summaryTokens: 1,
    beforeTokens,
    afterTokens,
    cachedTokens: cachedBy(entry, afterTokens),
  });
}

function multipliersOf(
  { inputPicoUsd, cacheReadPicoUsd, cacheWritePicoUsd }: RequestPrices,
  { steps, coldSteps }: RunSoFar,
): CacheMultipliers {
  return {
    readMultiplier: inputPicoUsd === 0 ? 1 : cacheReadPicoUsd / inputPicoUsd,
    writeMultiplier: inputPicoUsd === 0 ? 1 : cacheWritePicoUsd / inputPicoUsd,
    coldShare: steps === 0 ? 0 : coldSteps / steps,
  };
}

function modelFor(prices: RequestPrices, run: RunSoFar) {
  const { inputPicoUsd, outputPicoUsd } = prices;
  return { ...multipliersOf(prices, run), inputPicoUsd, outputPicoUsd };
}

/** A cache that had run out by the next step would have been written anew without a pivot, too. */
function cachedBy({ next }: Entry, afterTokens: number): number {
  if (next === undefined) return 0;
  return next.isCold ? afterTokens : Math.min(next.cacheReadTokens, afterTokens);
}

/** To a tenth of a step, as far as the formulas can be trusted. */
function rounded(steps: number): number | null {
  return Number.isFinite(steps) ? Math.round(steps * 10) / 10 : null;
}

/** Steps until a cost is earned back; 0 where it costs nothing, even if a step saves nothing. */
function stepsToEarn(cost: number, savedPerStep: number): number {
  return cost === 0 ? 0 : cost / savedPerStep;
}

function carryPicoUsd(model: AskPrices & CacheMultipliers): number {
  return model.inputPicoUsd * historyMultiplier(model);
}

/** The cost of reading the history, writing the summary and caching the rest; formula 3, K, with H of formula 1. */
function compactionCostPicoUsd(compaction: Compaction): number {
  const { model, summarizer, summaryTokens, beforeTokens, afterTokens } = compaction;
  const { cachedTokens = 0 } = compaction;
  const history = summarizer.inputPicoUsd * summarizer.historyMultiplier * beforeTokens;
  const summary = summarizer.outputPicoUsd * summaryTokens;
  const rewrite = model.inputPicoUsd * model.writeMultiplier * (afterTokens - cachedTokens);
  return history + summary + rewrite;
}
