import { type Policy, replaceEviction } from '../../engine/index.ts';
import type { BilledPrices, RequestPrices, RunEvent } from '../events.ts';
import { keepIn } from '../lib/collections.ts';
import { PICO_PER_NANO } from '../lib/units.ts';
import { pricesFor } from '../provider/prices.ts';
import { type AsyncRunOptions, runTrace } from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';
import {
  createRegretFold,
  isIneffectivePivot,
  type Payback,
  recordedSteps,
  startSums,
  type RunTotals,
  type StepTotals,
  NO_REGRET,
} from './totals.ts';

/** The runs that a run is measured against. */
export interface RunBounds {
  readonly bounds: () => readonly RunTotals[];
  readonly withRegret: (run: RunTotals) => RunTotals;
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

/** Duration of a tool call, which recordings do not tell: the median of TraceLab (UW; 357,161 steps of coding agents). */
const TOOL_MS = 300;

/** Folds the events of one run into sums. */
export function foldRun(events: Iterable<RunEvent>): RunTotals {
  const totals = emptyTotals();
  const sums = startSums();
  const paybacks = createPaybackFold();
  const regret = createRegretFold();
  let newestStep = 0;
  for (const event of events) {
    if (event.type === 'step-end') newestStep = event.step;
    sums.add(event);
    addEvent(totals, event, newestStep);
    if (isUnpriced(event)) delete totals.costs;
    paybacks.add(event);
    regret.add(event);
  }
  // A recording does not tell what its compactions cost, nor what was cached when.
  const ofPrunes = totals.recording === undefined ? paybacks.end() : [];
  return { ...totals, ...sums.end(), paybacks: ofPrunes, regret: regret.end() };
}

/** Prepares the runs that bound a policy; undefined where they would ask a real model. An observer receives their events. */
export function prepareBounds(
  trace: Trace,
  options: AsyncRunOptions,
  tell?: (event: RunEvent) => void,
): RunBounds | undefined {
  const { summarizer, policy, onTransition: _, ...rest } = options;
  if (summarizer.isAsync) return undefined;
  const isClosed = rest.mode === 'closed-loop';
  const foldBound = (bound: Policy) =>
    foldRun(told(runTrace(trace, { ...rest, summarizer, policy: bound }), tell));
  const otherOf = (same: Policy) => () => {
    const mode = isClosed ? 'open-loop' : 'closed-loop';
    return foldRun(told(runTrace(trace, { ...rest, summarizer, policy: same, mode }), tell));
  };
  return {
    bounds: () =>
      boundsOf(policy).map((bound) => addRegret(foldBound(bound), isClosed, otherOf(bound))),
    withRegret: (own) => addRegret(own, isClosed, otherOf(policy)),
  };
}

/** A run with the cost of the closed loop above the open one; unknown where either is, or ended elsewhere. */
export function addRegret(
  run: RunTotals,
  isClosed: boolean,
  runOther: (() => RunTotals) | undefined,
): RunTotals {
  const { regret } = run;
  if (!regret.mayReact && regret.rereadSteps + regret.droppedSteps === 0)
    return { ...run, regret: { ...regret, regretNanoUsd: 0, regretMs: 0 } };
  const other = runOther?.();
  if (other === undefined || recordedSteps(other) !== recordedSteps(run)) return run;
  const [closed, open] = isClosed ? [run, other] : [other, run];
  const [more, less] = [costOf(closed), costOf(open)];
  const cost =
    more === undefined || less === undefined ? undefined : { regretNanoUsd: more - less };
  const { rereadSteps, droppedSteps } = closed.regret;
  const regretMs = closed.latencyMs - open.latencyMs + (rereadSteps - droppedSteps) * TOOL_MS;
  return { ...run, regret: { ...regret, ...cost, regretMs } };
}

/** All that a run cost; unknown where a price is. */
export function costOf({ costs }: RunTotals): number | undefined {
  return costs && costs.stepsNanoUsd + costs.summariesNanoUsd;
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

export function emptyTotals(): RunTotals {
  return {
    ...startSums().end(),
    peakContextTokens: 0,
    finalContextTokens: 0,
    byStep: new Map(),
    isImpossible: false,
    afterUser: { inputTokens: 0, cacheReadTokens: 0 },
    afterTool: { inputTokens: 0, cacheReadTokens: 0 },
    paybacks: [],
    regret: NO_REGRET,
  };
}

/** Works out the paybacks of a run. Formulas: evaluation design, section 5.3 (2) and (3). */
function createPaybackFold() {
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

function addEvent(totals: RunTotals, event: RunEvent, newestStep: number): void {
  switch (event.type) {
    case 'run-start':
      if (event.prices) totals.costs = { summariesNanoUsd: 0, stepsNanoUsd: 0 };
      if (event.recording) totals.recording = { ...event.recording, unknownCalls: 0 };
      break;
    case 'step-end':
      addStep(totals, event);
      break;
    case 'step-dropped':
      stepOf(totals, event.step).isAnswered = true;
      break;
    case 'summary-end': {
      const { inputTokens, outputTokens, costNanoUsd = 0 } = event;
      const step = stepOf(totals, newestStep);
      step.summaryTokens += inputTokens + outputTokens;
      step.summaryNanoUsd += costNanoUsd;
      if (totals.costs) totals.costs.summariesNanoUsd += costNanoUsd;
      break;
    }
    case 'pivot':
      if (event.isCallUnknown && totals.recording) totals.recording.unknownCalls += 1;
      break;
    case 'run-end':
      totals.finalContextTokens = event.finalContextTokens ?? 0;
      totals.isImpossible = event.impossible !== undefined;
      break;
    default:
  }
}

function addStep(totals: RunTotals, event: RunEvent & { readonly type: 'step-end' }): void {
  const { contextTokens, cacheReadTokens, costNanoUsd = 0 } = event;
  totals.peakContextTokens = Math.max(totals.peakContextTokens, contextTokens);
  const own = stepOf(totals, event.step);
  own.isAnswered = true;
  own.contextTokens += contextTokens;
  own.nanoUsd += costNanoUsd;
  const group = event.opensTurn ? totals.afterUser : totals.afterTool;
  group.inputTokens += contextTokens;
  group.cacheReadTokens += cacheReadTokens;
  if (totals.costs) totals.costs.stepsNanoUsd += costNanoUsd;
}

function stepOf({ byStep }: RunTotals, step: number): StepTotals {
  const empty = { contextTokens: 0, nanoUsd: 0, summaryTokens: 0, summaryNanoUsd: 0 };
  return keepIn(byStep, step, () => ({ isAnswered: false, ...empty }));
}

function* told(events: Iterable<RunEvent>, tell: ((event: RunEvent) => void) | undefined) {
  for (const event of events) {
    tell?.(event);
    yield event;
  }
}

/** A base that clears other outputs may do better than the clairvoyant one. */
function boundsOf(policy: Policy): readonly Policy[] {
  const { evicts, ...prune } = policy.prune;
  const clairvoyant = replaceEviction(policy, 'clairvoyant');
  return evicts === undefined ? [clairvoyant] : [clairvoyant, { ...policy, prune }];
}

/** Answered by a model without a known price, which leaves the whole run without one. */
function isUnpriced(event: RunEvent): boolean {
  const isAnswered =
    event.type === 'step-end' || (event.type === 'summary-end' && event.state === 'answered');
  return isAnswered && event.costNanoUsd === undefined;
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
