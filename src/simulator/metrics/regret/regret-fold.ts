import { type BilledPrices, isSlide, type RunEvent } from '../../events.ts';
import { LOOP_CALLS } from '../../replay/references/call-rows.ts';
import { delayOfMisses, type Miss, priceMisses } from './price-misses.ts';
import { NO_REGRET, type RegretTotals } from './regret-totals.ts';

/** Sums up what the events of a run tell of lost parts. */
export interface RegretFold {
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

/** Calls of the same content, after the first, that make a loop. */
const LOOP_REPEATS = LOOP_CALLS - 1;

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
      if (isSlide(event.by)) counts.hasSlid = true;
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

/** A policy that overwrites outputs may clear the same ones again. */
function addPruned({ prunedAt, step }: Folding, partIds: readonly string[]): void {
  for (const id of partIds) if (!prunedAt.has(id)) prunedAt.set(id, step);
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
