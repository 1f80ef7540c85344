/** Sums over the events of one run, from which every metric is read. */

import type { RunEvent } from '../events.ts';
import type { Payback } from './payback.ts';
import { NO_REGRET, type RegretTotals } from './regret/regret-totals.ts';

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
  prunedTokens: number;
  prunedTokensEstimated: number;
  summaryInputTokens: number;
  summaryOutputTokens: number;
  finalContextTokens: number;
  /** Contexts of all steps in order. */
  contextTokens: number[];
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
  /** What each prune and pivot cost and brought, in order. */
  paybacks: readonly Payback[];
  /** What was lost of what its steps needed. */
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
  /** Of each step in order. */
  stepsNanoUsd: number[];
}

/** Whether a request was answered by a model without a known price, so that the whole run has none. */
export function isUnpriced(event: RunEvent): boolean {
  const isAnswered =
    event.type === 'step-end' || (event.type === 'summary-end' && event.state === 'answered');
  return isAnswered && event.costNanoUsd === undefined;
}

/** Whether a provider cut a request, of a step or of a summary, and said nothing. */
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
    prunedTokens: 0,
    prunedTokensEstimated: 0,
    summaryInputTokens: 0,
    summaryOutputTokens: 0,
    finalContextTokens: 0,
    contextTokens: [],
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
