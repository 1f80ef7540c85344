import { isIneffective } from '../../engine/index.ts';
import type { BilledPrices, RequestPrices, RunEvent } from '../events.ts';
import { PICO_PER_NANO } from '../lib/units.ts';
import {
  type CacheMultipliers,
  compactionBreakEvenSteps,
  pruneBreakEvenSteps,
} from '../provider/break-even.ts';
import { pricesFor } from '../provider/prices.ts';
import { isUnpriced } from './totals.ts';

/** What a prune or a pivot cost, in steps until it is earned back, and how many steps there were. */
export interface Payback {
  readonly kind: 'prune' | 'pivot';
  /** The newest step that was sent before it, 0 before the first; in a closed loop, one that is read again for counts as its step. */
  readonly step: number;
  /** Absent where a model that answered has no known price; `null` where no number of steps would earn it back. */
  readonly breakEvenSteps?: number | null;
  /** Steps until the next pivot rewrote everything, or until the end. */
  readonly realisedSteps: number;
  /** Absent where nobody can tell: without a known price, of one that had an effect. */
  readonly isWasted?: boolean;
}

/** Takes in the events of a run in order. */
export interface PaybackFold {
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
  /** What its summary calls cost. */
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

function open(event: Prune | Pivot, run: RunSoFar, summaryNanoUsd: number): Entry {
  const { newestStep: step, prices } = run;
  return { event, step, prices, summaryNanoUsd, realisedSteps: 0, isOpen: true };
}

function addStep(
  run: RunSoFar,
  entries: readonly Entry[],
  { step, isCold, cacheReadTokens }: RunEvent & { readonly type: 'step-end' },
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

/** Whether it left the view about as large as it was. A placeholder may be longer than what it stands for. */
function hadNoEffect(event: Prune | Pivot): boolean {
  if (event.type === 'prune-end') return event.prunedTokens <= 0;
  const { contextBeforeTokens: beforeTokens, contextAfterTokens: afterTokens } = event;
  return isIneffective({ beforeTokens, afterTokens });
}

/** To a tenth of a step, as far as the formulas can be trusted. */
function rounded(steps: number): number | null {
  return Number.isFinite(steps) ? Math.round(steps * 10) / 10 : null;
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
  const { contextBeforeTokens: beforeTokens, contextAfterTokens: afterTokens } = event;
  if (beforeTokens <= afterTokens) return Number.POSITIVE_INFINITY;
  return compactionBreakEvenSteps({
    model: modelFor(pricesFor<RequestPrices>(prices, afterTokens), run),
    modelBefore: modelFor(pricesFor<RequestPrices>(prices, beforeTokens), run),
    // What the summary calls were billed stands for their tokens and prices.
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

/** A cache that had run out by the next step would have been written anew without a pivot, too. */
function cachedBy({ next }: Entry, afterTokens: number): number {
  if (next === undefined) return 0;
  return next.isCold ? afterTokens : Math.min(next.cacheReadTokens, afterTokens);
}

function modelFor(prices: RequestPrices, run: RunSoFar) {
  const { inputPicoUsd, outputPicoUsd } = prices;
  return { ...multipliersOf(prices, run), inputPicoUsd, outputPicoUsd };
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
