import { type Policy, replaceEviction } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { keepIn } from '../lib/collections.ts';
import { type AsyncRunOptions, runTrace } from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';
import { createRegretFold } from './regret.ts';
import {
  createPaybackFold,
  emptyTotals,
  isIneffectivePivot,
  isTruncated,
  isUnpriced,
  recordedSteps,
  type RunTotals,
  type StepTotals,
} from './totals.ts';

/** The runs that a run is measured against. */
export interface RunBounds {
  readonly bounds: () => readonly RunTotals[];
  readonly withRegret: (run: RunTotals) => RunTotals;
}

/** Duration of a tool call, which recordings do not tell: the median of TraceLab (UW; 357,161 steps of coding agents). */
const TOOL_MS = 300;

/** Folds the events of one run into sums. */
export function foldRun(events: Iterable<RunEvent>): RunTotals {
  const totals = emptyTotals();
  const paybacks = createPaybackFold();
  const regret = createRegretFold();
  let newestStep = 0;
  for (const event of events) {
    if (event.type === 'step-end') newestStep = event.step;
    addEvent(totals, event, newestStep);
    if (isUnpriced(event)) delete totals.costs;
    if (isTruncated(event)) totals.truncations += 1;
    paybacks.add(event);
    regret.add(event);
  }
  // A recording does not tell what its compactions cost, nor what was cached when.
  const ofPrunes = totals.recording === undefined ? paybacks.end() : [];
  return { ...totals, paybacks: ofPrunes, regret: regret.end() };
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

/** The runs that bound a run; unknown without a fired prune, where parts slid away, or cannot be run as far. */
export function findBounds(
  run: RunTotals,
  runBounds: RunBounds['bounds'] | undefined,
): readonly RunTotals[] | undefined {
  const { misses, hasSlid } = run.regret;
  if (run.prunes === 0) return undefined;
  if (misses === 0) return [];
  if (hasSlid) return undefined;
  const isAsFar = (bound: RunTotals) => recordedSteps(bound) === recordedSteps(run);
  const [first, ...others] = runBounds?.() ?? [];
  return first && isAsFar(first) ? [first, ...others.filter(isAsFar)] : undefined;
}

function addEvent(totals: RunTotals, event: RunEvent, newestStep: number): void {
  switch (event.type) {
    case 'run-start':
      totals.recordedCompactions = event.recordedCompactions;
      if (event.prices) totals.costs = { summariesNanoUsd: 0, stepsNanoUsd: 0 };
      if (event.recording) totals.recording = { ...event.recording, unknownCalls: 0 };
      break;
    case 'turn-start':
      totals.turns += 1;
      break;
    case 'step-end':
      addStep(totals, event);
      break;
    case 'step-dropped':
      stepOf(totals, event.step).isAnswered = true;
      break;
    case 'step-refused':
      totals.refusals += 1;
      break;
    case 'overflow':
      if (event.path === 'after-step') totals.overflowsAfterStep += 1;
      if (event.path === 'before-request') totals.overflowsBeforeRequest += 1;
      break;
    case 'prune-end':
      if (event.state === 'below-minimum') totals.prunesBelowMinimum += 1;
      if (event.state !== 'fired') break;
      totals.prunes += 1;
      if (event.prunedTokens < 0) totals.prunesThatAdded += 1;
      totals.prunedTokens += event.prunedTokens;
      totals.prunedTokensEstimated += event.estimatedTokens;
      break;
    case 'summary-end':
      addSummary(totals, event, newestStep);
      break;
    case 'summary-rejected':
      totals.failedCompactions += 1;
      break;
    case 'pivot':
      totals.compactions += 1;
      if (event.isCallUnknown && totals.recording) totals.recording.unknownCalls += 1;
      if (isIneffectivePivot(event)) totals.ineffectiveCompactions += 1;
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
  totals.steps += 1;
  totals.inputTokens += contextTokens;
  totals.outputTokens += event.outputTokens;
  totals.peakContextTokens = Math.max(totals.peakContextTokens, contextTokens);
  const own = stepOf(totals, event.step);
  own.isAnswered = true;
  own.contextTokens += contextTokens;
  own.nanoUsd += costNanoUsd;
  totals.cacheReadTokens += cacheReadTokens;
  totals.cacheWriteTokens += event.cacheWriteTokens;
  totals.uncachedTokens += event.freshTokens;
  const group = event.opensTurn ? totals.afterUser : totals.afterTool;
  group.inputTokens += contextTokens;
  group.cacheReadTokens += cacheReadTokens;
  if (event.lostTokens) totals.prefixBreaks += 1;
  if (event.isCold) totals.coldSteps += 1;
  totals.latencyMs += event.latencyMs;
  if (totals.costs) totals.costs.stepsNanoUsd += costNanoUsd;
}

function addSummary(
  totals: RunTotals,
  event: RunEvent & { readonly type: 'summary-end' },
  newestStep: number,
): void {
  const { inputTokens, outputTokens, costNanoUsd = 0 } = event;
  const step = stepOf(totals, newestStep);
  step.summaryTokens += inputTokens + outputTokens;
  step.summaryNanoUsd += costNanoUsd;
  totals.summaryInputTokens += inputTokens;
  totals.summaryCacheReadTokens += event.cacheReadTokens;
  totals.summaryOutputTokens += outputTokens;
  totals.latencyMs += event.latencyMs;
  if (event.state === 'failed' && event.verifies !== true) totals.failedCompactions += 1;
  if (totals.costs) totals.costs.summariesNanoUsd += costNanoUsd;
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
