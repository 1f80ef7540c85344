import { INEFFECTIVE_SHARE } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';

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
}

/** Folds the events of one run into sums. */
export function foldRun(events: Iterable<RunEvent>): RunTotals {
  const totals = emptyTotals();
  for (const event of events) addEvent(totals, event);
  return totals;
}

function addEvent(totals: RunTotals, event: RunEvent): void {
  switch (event.type) {
    case 'run-start':
      totals.recordedCompactions = event.recordedCompactions;
      break;
    case 'turn-start':
      totals.turns += 1;
      break;
    case 'step-end':
      addStep(totals, event.contextTokens, event.outputTokens);
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
      totals.summaryInputTokens += event.inputTokens;
      totals.summaryOutputTokens += event.outputTokens;
      if (event.state === 'failed') totals.failedCompactions += 1;
      break;
    case 'summary-rejected':
      totals.failedCompactions += 1;
      break;
    case 'pivot':
      totals.compactions += 1;
      if (event.contextAfterTokens >= INEFFECTIVE_SHARE * event.contextBeforeTokens) {
        totals.ineffectiveCompactions += 1;
      }
      break;
    case 'run-end':
      totals.finalContextTokens = event.finalContextTokens;
      break;
    default:
  }
}

function addStep(totals: RunTotals, contextTokens: number, outputTokens: number): void {
  totals.steps += 1;
  totals.inputTokens += contextTokens;
  totals.outputTokens += outputTokens;
  totals.peakContextTokens = Math.max(totals.peakContextTokens, contextTokens);
  totals.contextTokens.push(contextTokens);
}

function addPrune(totals: RunTotals, event: RunEvent & { readonly type: 'prune-end' }): void {
  if (event.state === 'below-minimum') totals.prunesBelowMinimum += 1;
  if (event.state !== 'fired') return;
  totals.prunes += 1;
  totals.prunedTokens += event.prunedTokens;
  totals.prunedTokensEstimated += event.estimatedTokens;
}

function emptyTotals(): RunTotals {
  return {
    steps: 0,
    turns: 0,
    inputTokens: 0,
    outputTokens: 0,
    peakContextTokens: 0,
    overflowsAfterStep: 0,
    overflowsBeforeRequest: 0,
    refusals: 0,
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
  };
}
