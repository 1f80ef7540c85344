import type { BilledPrices, RequestPrices, RunEvent } from '../events.ts';
import { firstAtLeast } from '../lib/collections.ts';
import { PICO_PER_NANO } from '../lib/units.ts';
import { DEFAULT_LATENCY } from '../provider/bill.ts';
import { pricesFor } from '../provider/prices.ts';
import { LOOP_CALLS } from '../replay/references/calls.ts';

/** Sums up what the events of a run tell of lost parts. */
interface RegretFold {
  add(event: RunEvent): void;
  end(): RegretTotals;
}

type Counts = { -readonly [Key in keyof RegretTotals]: RegretTotals[Key] };

/** A run on its way. */
interface Folding {
  readonly counts: Counts;
  readonly misses: Miss[];
  /** Missed by the step that is about to end. */
  readonly pending: Miss['reference'][];
  /** How often each content was asked for again. */
  readonly asked: Map<number, number>;
  readonly prunedAt: Map<string, number>;
  readonly pivotsAt: number[];
  readonly contexts: number[];
  prices: BilledPrices | undefined;
  steps: number;
  requests: number;
  coldRequests: number;
  /** The newest recorded step. */
  step: number;
  staleNow: number;
}

/** A missed reference with the context of its step and the prices of the model that this was sent to, where known. */
interface Miss {
  readonly reference: RunEvent & { readonly type: 'reference' };
  readonly contextTokens: number;
  readonly prices: BilledPrices | undefined;
}

/** When parts left the view. */
interface Evictions {
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

/** Sums over the needs that a run lost. */
export interface RegretTotals {
  readonly references: number;
  readonly misses: number;
  readonly referencedTokens: number;
  readonly missedTokens: number;
  /** Parts of the session that steps can refer to, and that left the view. */
  readonly evictions: number;
  /** True if any of them left without a prune or a pivot: behind a window, or into a memory. */
  readonly hasSlid: boolean;
  /** The cost of reading all missed content again; absent where a price is unknown. */
  readonly regretNanoUsd?: number;
  /** How long reading them again would take. */
  readonly regretMs: number;
  readonly fileReads: number;
  /** Reads of files that give what an earlier read gave, with no write in between. */
  readonly fileRereads: number;
  /** Contents that were asked for at least three times by the same call, and rows of identical calls that gave anything else. */
  readonly loops: number;
  /** Steps that only reread lost content. */
  readonly rereadSteps: number;
  /** Sum over all steps of the tokens that a later write had made useless. */
  readonly staleTokens: number;
  /** Standing items that the run came by, and those that its last view does not name. */
  readonly constraints: number;
  readonly goneConstraints: number;
  readonly paths: number;
  readonly gonePaths: number;
}

/** Calls of the same content, after the first, that make a loop. */
const LOOP_REPEATS = LOOP_CALLS - 1;

/** Duration of a tool call, which recordings do not tell: the median of TraceLab (UW; 357,161 steps of coding agents). */
const TOOL_MS = 300;

/** Nothing yet. */
export const NO_REGRET: RegretTotals = {
  references: 0,
  misses: 0,
  referencedTokens: 0,
  missedTokens: 0,
  evictions: 0,
  hasSlid: false,
  regretMs: 0,
  fileReads: 0,
  fileRereads: 0,
  loops: 0,
  rereadSteps: 0,
  staleTokens: 0,
  constraints: 0,
  goneConstraints: 0,
  paths: 0,
  gonePaths: 0,
};

/** The fold of a run that has not begun. */
export function createRegretFold(): RegretFold {
  const folding: Folding = {
    counts: { ...NO_REGRET },
    misses: [],
    pending: [],
    asked: new Map(),
    prunedAt: new Map(),
    pivotsAt: [],
    contexts: [],
    prices: undefined,
    steps: 0,
    requests: 0,
    coldRequests: 0,
    step: 0,
    staleNow: 0,
  };
  return {
    add: (event) => addEvent(folding, event),
    end: () => ({ ...folding.counts, ...priceOf(folding) }),
  };
}

function addEvent(folding: Folding, event: RunEvent): void {
  const { counts } = folding;
  switch (event.type) {
    case 'run-start':
      folding.prices = event.prices;
      break;
    case 'model-changed':
      folding.prices = event.prices ?? folding.prices;
      break;
    case 'reference':
      addReference(folding, event);
      break;
    case 'step-end':
      addStep(folding, event);
      break;
    case 'prune-end':
      if (event.state === 'fired') addPruned(folding, event.partIds);
      break;
    case 'pivot':
      folding.pivotsAt.push(folding.step);
      break;
    case 'eviction':
      counts.evictions += event.parts;
      if (event.by !== 'prune' && event.by !== 'pivot') counts.hasSlid = true;
      break;
    case 'stale-kept':
      folding.staleNow = event.tokens;
      break;
    case 'standing':
      if (event.at === 'run-end') addStanding(counts, event);
      break;
    default:
  }
}

function addReference(folding: Folding, reference: Miss['reference']): void {
  const { counts, pending } = folding;
  counts.references += 1;
  counts.referencedTokens += reference.tokens;
  const { calls = 0 } = reference;
  for (let call = 0; call < calls; call++) addRepeat(folding, reference.document);
  if (reference.isFileRead) counts.fileRereads += calls;
  if (reference.missedBy === undefined) return;
  counts.misses += 1;
  counts.missedTokens += reference.tokens;
  pending.push(reference);
}

function addRepeat({ asked, counts }: Folding, document: number): void {
  const repeats = (asked.get(document) ?? 0) + 1;
  asked.set(document, repeats);
  if (repeats === LOOP_REPEATS) counts.loops += 1;
}

function addStep(folding: Folding, event: RunEvent & { readonly type: 'step-end' }): void {
  const { contextTokens, step, isCold, reread } = event;
  const { counts, misses, pending, contexts, prices } = folding;
  for (const reference of pending.splice(0)) misses.push({ reference, contextTokens, prices });
  folding.steps = Math.max(folding.steps, step);
  folding.step = step;
  folding.requests += 1;
  if (isCold) folding.coldRequests += 1;
  counts.staleTokens += folding.staleNow;
  if (reread === undefined) {
    contexts.push(contextTokens);
    return;
  }
  counts.rereadSteps += 1;
  addRepeat(folding, reread);
  if (!event.isFileReread) return;
  counts.fileReads += 1;
  counts.fileRereads += 1;
}

/** A policy that overwrites outputs may clear the same ones again. */
function addPruned({ prunedAt, step }: Folding, partIds: readonly string[]): void {
  for (const id of partIds) if (!prunedAt.has(id)) prunedAt.set(id, step);
}

function addStanding(counts: Counts, event: RunEvent & { readonly type: 'standing' }): void {
  counts.constraints = event.constraints;
  counts.goneConstraints = event.goneConstraints.length;
  counts.paths = event.paths;
  counts.gonePaths = event.gonePaths.length;
  counts.fileReads += event.fileReads;
  counts.loops += event.callLoops;
}

function priceOf({
  misses,
  prices,
  ...evictions
}: Folding): Pick<RegretTotals, 'regretMs' | 'regretNanoUsd'> {
  const regretMs = delayOfMisses(misses);
  if (prices === undefined) return { regretMs };
  return { regretMs, regretNanoUsd: priceMisses(misses, evictions) };
}

/**
 * How long it would take to read every missed part again, in ms: until the first token of the step that does, and
 * the tool where one brings it back. Source: evaluation design, section 9.3.
 */
function delayOfMisses(misses: readonly Miss[]): number {
  const { firstTokenMs } = DEFAULT_LATENCY;
  return misses.reduce(
    (total, { reference }) => total + firstTokenMs + (reference.callTokens > 0 ? TOOL_MS : 0),
    0,
  );
}

/**
 * The price of reading every missed part again: its tokens written once and carried until it would be gone again, the call and its
 * step, at the prices of its request. Source: evaluation design, section 9.3.
 */
function priceMisses(misses: readonly Miss[], evictions: Evictions): number {
  return misses.reduce(
    (total, miss) => total + Math.round(priceMiss(miss, evictions) / PICO_PER_NANO),
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

/** As long as it had been there the first time, or until the next pivot or the end. */
function remainingSteps(reference: Miss['reference'], evictions: Evictions): number {
  const { step, sinceStep } = reference;
  const { pivotsAt, steps } = evictions;
  const nextPivot = firstFrom(pivotsAt, step);
  const lostAt = reference.goneAfter ?? goneUnsent(reference, evictions);
  const life = lostAt === undefined ? Infinity : Math.max(0, lostAt - sinceStep);
  return Math.max(0, Math.min(life, (nextPivot ?? steps) - step, steps - step));
}

/** The first of some ascending numbers that is not below a bound. */
function firstFrom(ascending: readonly number[], bound: number): number | undefined {
  return ascending[firstAtLeast(ascending, bound)];
}

/** A part that no step was sent with went by the prune that cleared it, or by the next pivot. */
function goneUnsent(
  { sinceStep, partId, missedBy }: Miss['reference'],
  { prunedAt, pivotsAt }: Evictions,
): number | undefined {
  return missedBy === 'prune' ? prunedAt.get(partId) : firstFrom(pivotsAt, sinceStep);
}

/** The price of a token that a step sends again: read from the cache, or written where the cache had expired. */
function carryPrice(prices: RequestPrices, { requests, coldRequests }: Evictions): number {
  const coldShare = requests === 0 ? 0 : coldRequests / requests;
  return (1 - coldShare) * prices.cacheReadPicoUsd + coldShare * prices.cacheWritePicoUsd;
}
