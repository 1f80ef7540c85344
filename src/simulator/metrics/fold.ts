import { isIneffective, type Policy, replaceEviction } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { type AsyncRunOptions, runTrace } from '../replay/run-trace.ts';
import type { Trace } from '../replay/trace.ts';
import { createRegretFold } from './regret.ts';
import {
  createPaybackFold,
  emptyTotals,
  isTruncated,
  isUnpriced,
  recordedSteps,
  type RunTotals,
} from './totals.ts';

/** The runs that a run is measured against. */
export interface RunBounds {
  /** First that whose prune knows the future, with its regret. */
  readonly bounds: () => readonly RunTotals[];
  /** The price of losing, with the run of the same policy in the other loop. */
  readonly withRegret: (run: RunTotals) => RunTotals;
}

/** Duration of a tool call, which recordings do not tell: the median of TraceLab (UW; 357,161 steps of coding agents). */
const TOOL_MS = 300;

/** Folds the events of one run into sums. */
export function foldRun(events: Iterable<RunEvent>): RunTotals {
  const totals = emptyTotals();
  const paybacks = createPaybackFold();
  const regret = createRegretFold();
  for (const event of events) {
    addEvent(totals, event);
    if (isUnpriced(event)) delete totals.costs;
    if (isTruncated(event)) totals.truncations += 1;
    paybacks.add(event);
    regret.add(event);
  }
  return { ...totals, paybacks: paybacks.end(), regret: regret.end() };
}

/**
 * Prepares the runs that bound a policy: with a clairvoyant prune, and with other orders of clearing; undefined where that would ask
 * a real model. An observer receives their events.
 */
export function prepareBounds(
  trace: Trace,
  options: AsyncRunOptions,
  tell?: (event: RunEvent) => void,
): RunBounds | undefined {
  const { summarizer, policy, onTransition: _, ...rest } = options;
  if (summarizer.isAsync) return undefined;
  const run = (bound: Policy) =>
    foldRun(told(runTrace(trace, { ...rest, summarizer, policy: bound }), tell));
  const isClosed = rest.mode === 'closed-loop';
  const otherOf = (same: Policy) => () => {
    const mode = isClosed ? 'open-loop' : 'closed-loop';
    return foldRun(runTrace(trace, { ...rest, summarizer, policy: same, mode }));
  };
  return {
    bounds: () => boundsOf(policy).map((bound) => addRegret(run(bound), isClosed, otherOf(bound))),
    withRegret: (own) => addRegret(own, isClosed, otherOf(policy)),
  };
}

/**
 * A run with its price of losing: what the closed loop costs and takes more than the open one. Nothing where there is
 * nothing to read again; unknown without the other loop, or where that got to another recorded step.
 */
export function addRegret(
  run: RunTotals,
  isClosed: boolean,
  runOther: (() => RunTotals) | undefined,
): RunTotals {
  const hasNone = run.regret.unreadMisses === 0 && run.regret.rereadSteps === 0;
  if (hasNone) return { ...run, regret: { ...run.regret, regretNanoUsd: 0, regretMs: 0 } };
  const other = runOther?.();
  if (other === undefined || recordedSteps(other) !== recordedSteps(run)) return run;
  const [closed, open] = isClosed ? [run, other] : [other, run];
  const [more, less] = [costOf(closed), costOf(open)];
  const regretNanoUsd = more === undefined || less === undefined ? undefined : more - less;
  const toolMs = closed.regret.rereadSteps * TOOL_MS;
  return {
    ...run,
    regret: {
      ...run.regret,
      ...(regretNanoUsd !== undefined && { regretNanoUsd }),
      regretMs: closed.latencyMs - open.latencyMs + toolMs,
    },
  };
}

/** All that a run cost; unknown where a price is. */
export function costOf({ costs }: RunTotals): number | undefined {
  return costs?.stepsNanoUsd.reduce((sum, cost) => sum + cost, costs.summariesNanoUsd);
}

/**
 * The runs that a run is measured against besides itself; a run that missed nothing needs no other. Unknown where no
 * prune fired, for then every bound is the run itself and says nothing of it; where they cannot be run; where parts left
 * without a prune or a pivot, which no prune could have kept; or where the first got to another recorded step.
 */
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

function addEvent(totals: RunTotals, event: RunEvent): void {
  switch (event.type) {
    case 'run-start':
      totals.recordedCompactions = event.recordedCompactions;
      if (event.prices) totals.costs = { summariesNanoUsd: 0, stepsNanoUsd: [] };
      break;
    case 'turn-start':
      totals.turns += 1;
      break;
    case 'step-end':
      addStep(totals, event);
      break;
    case 'step-refused':
      totals.refusals += 1;
      break;
    case 'overflow':
      if (event.path === 'after-step') totals.overflowsAfterStep += 1;
      if (event.path === 'before-request') totals.overflowsBeforeRequest += 1;
      break;
    case 'prune-end':
      addPrune(totals, event);
      break;
    case 'summary-end':
      addSummary(totals, event);
      break;
    case 'summary-rejected':
      totals.failedCompactions += 1;
      break;
    case 'pivot':
      addPivot(totals, event);
      break;
    case 'run-end':
      totals.finalContextTokens = event.finalContextTokens;
      break;
    default:
  }
}

function addStep(totals: RunTotals, event: RunEvent & { readonly type: 'step-end' }): void {
  const { contextTokens, outputTokens, opensTurn, cacheReadTokens, costNanoUsd } = event;
  totals.steps += 1;
  totals.inputTokens += contextTokens;
  totals.outputTokens += outputTokens;
  totals.peakContextTokens = Math.max(totals.peakContextTokens, contextTokens);
  totals.contextTokens.push(contextTokens);
  totals.cacheReadTokens += cacheReadTokens;
  totals.cacheWriteTokens += event.cacheWriteTokens;
  totals.uncachedTokens += event.freshTokens;
  const group = opensTurn ? totals.afterUser : totals.afterTool;
  group.inputTokens += contextTokens;
  group.cacheReadTokens += cacheReadTokens;
  if (event.lostTokens > 0) totals.prefixBreaks += 1;
  if (event.isCold) totals.coldSteps += 1;
  totals.latencyMs += event.latencyMs;
  totals.costs?.stepsNanoUsd.push(costNanoUsd ?? 0);
}

function addPrune(totals: RunTotals, event: RunEvent & { readonly type: 'prune-end' }): void {
  if (event.state === 'below-minimum') totals.prunesBelowMinimum += 1;
  if (event.state !== 'fired') return;
  totals.prunes += 1;
  if (event.prunedTokens < 0) totals.prunesThatAdded += 1;
  totals.prunedTokens += event.prunedTokens;
  totals.prunedTokensEstimated += event.estimatedTokens;
}

/** Its latency counts too: the session waits for it. */
function addSummary(totals: RunTotals, event: RunEvent & { readonly type: 'summary-end' }): void {
  totals.summaryInputTokens += event.inputTokens;
  totals.summaryCacheReadTokens += event.cacheReadTokens;
  totals.summaryOutputTokens += event.outputTokens;
  totals.latencyMs += event.latencyMs;
  if (event.state === 'failed' && event.verifies !== true) totals.failedCompactions += 1;
  if (totals.costs) totals.costs.summariesNanoUsd += event.costNanoUsd ?? 0;
}

function addPivot(totals: RunTotals, event: RunEvent & { readonly type: 'pivot' }): void {
  const { contextBeforeTokens: beforeTokens, contextAfterTokens: afterTokens } = event;
  totals.compactions += 1;
  if (isIneffective({ beforeTokens, afterTokens })) totals.ineffectiveCompactions += 1;
}

function* told(
  events: Iterable<RunEvent>,
  tell: ((event: RunEvent) => void) | undefined,
): Generator<RunEvent, void, void> {
  for (const event of events) {
    tell?.(event);
    yield event;
  }
}

/** The policies that bound a policy from below. A base that clears other outputs may do better than the clairvoyant one. */
function boundsOf(policy: Policy): readonly Policy[] {
  const { evicts, ...prune } = policy.prune;
  const clairvoyant = replaceEviction(policy, 'clairvoyant');
  return evicts === undefined ? [clairvoyant] : [clairvoyant, { ...policy, prune }];
}
