import type { BilledPrices, RequestPrices, RunEvent } from '../../events.ts';
import { firstAtLeast } from '../../lib/collections.ts';
import { PICO_PER_NANO } from '../../lib/units.ts';
import { DEFAULT_LATENCY } from '../../provider/latency.ts';
import { pricesFor } from '../../provider/prices.ts';

/** A missed reference with the context of its step and the prices of the model that this was sent to, where known. */
export interface Miss {
  readonly reference: RunEvent & { readonly type: 'reference' };
  readonly contextTokens: number;
  readonly prices: BilledPrices | undefined;
}

/** When parts left the view. */
export interface Evictions {
  /** Step after which a part's output was cleared first. */
  readonly prunedAt: ReadonlyMap<string, number>;
  /** Steps after which pivots took effect, in order. */
  readonly pivotsAt: readonly number[];
  /** Number of the last one. */
  readonly steps: number;
  /** Contexts of the recorded steps, in order. */
  readonly contexts: readonly number[];
  /** Of all steps, those that only read again included. */
  readonly requests: number;
  /** Those of them whose cache had run out. */
  readonly coldRequests: number;
}

/** What a tool takes, by the median of TraceLab (UW; 357,161 steps of coding agents): recordings do not tell. */
const TOOL_MS = 300;

/**
 * What it would cost to read every missed part again: its tokens written once and carried on until it would be
 * gone again, the call, and the step that makes it. Each has the prices of the request that it would be a part of.
 * Source: evaluation design, section 9.3.
 */
export function priceMisses(misses: readonly Miss[], evictions: Evictions): number {
  return misses.reduce(
    (total, miss) => total + Math.round(priceMiss(miss, evictions) / PICO_PER_NANO),
    0,
  );
}

/**
 * How long it would take to read every missed part again, in ms: until the first token of the step that does, and
 * the tool where one brings it back. Source: evaluation design, section 9.3.
 */
export function delayOfMisses(misses: readonly Miss[]): number {
  const { firstTokenMs } = DEFAULT_LATENCY;
  return misses.reduce(
    (total, { reference }) => total + firstTokenMs + (reference.callTokens > 0 ? TOOL_MS : 0),
    0,
  );
}

function priceMiss({ reference, contextTokens, prices }: Miss, evictions: Evictions): number {
  if (prices === undefined) return 0;
  const { step, tokens, callTokens } = reference;
  const heldAt = (inputTokens: number) => pricesFor<RequestPrices>(prices, inputTokens);
  const asking = heldAt(contextTokens);
  const given = heldAt(contextTokens + tokens);
  let carriedPicoUsd = 0;
  const lastStep = step + remainingSteps(reference, evictions);
  for (const context of evictions.contexts.slice(step, lastStep)) {
    carriedPicoUsd += carryPrice(heldAt(context + tokens), evictions) * tokens;
  }
  return (
    carryPrice(asking, evictions) * contextTokens +
    asking.outputPicoUsd * callTokens +
    given.cacheWritePicoUsd * tokens +
    carriedPicoUsd
  );
}

/** What a token costs that a step sends again: read from the cache, or written where that had run out. */
function carryPrice(prices: RequestPrices, { requests, coldRequests }: Evictions): number {
  const coldShare = requests === 0 ? 0 : coldRequests / requests;
  return (1 - coldShare) * prices.cacheReadPicoUsd + coldShare * prices.cacheWritePicoUsd;
}

/** As long as it had been there the first time, or until the next pivot or the end. */
function remainingSteps(reference: Miss['reference'], evictions: Evictions): number {
  const { step, sinceStep } = reference;
  const { pivotsAt, steps } = evictions;
  const nextPivot = firstFrom(pivotsAt, step);
  const lostAt = reference.goneAfter ?? goneUnsent(reference, evictions);
  const life = lostAt === undefined ? Infinity : Math.max(0, lostAt - sinceStep);
  return Math.max(0, Math.min(life, (nextPivot ?? steps) - step, steps - step));
}

/** A part that no step was sent with went by the prune that cleared it, or by the next pivot. */
function goneUnsent(
  { sinceStep, partId, missedBy }: Miss['reference'],
  { prunedAt, pivotsAt }: Evictions,
): number | undefined {
  return missedBy === 'prune' ? prunedAt.get(partId) : firstFrom(pivotsAt, sinceStep);
}

/** The first of some ascending numbers that is not below a bound. */
function firstFrom(ascending: readonly number[], bound: number): number | undefined {
  return ascending[firstAtLeast(ascending, bound)];
}
