import type { SummaryRequest } from '../../engine/index.ts';
import type { Billed, RunEvent } from '../events.ts';
import type { CallRecord } from '../summarizer/summarizer.ts';
import { askForSummary, type SummaryOutcome } from './ask-summary.ts';
import { feed } from './feed.ts';
import { type Running, type Stage, tellOut } from './running.ts';

type SummaryEnd = RunEvent & { readonly type: 'summary-end' };

/** Compactions without a step in between; more than any released policy makes on purpose. */
const MAX_COMPACTIONS_IN_A_ROW = 5;

/** Yields what happened, and has summaries written for as long as the engine asks for any. */
export function* settle(running: Running): Stage {
  yield* tellOut(running);
  for (let request = running.asked; request !== undefined; request = running.asked) {
    running.asked = undefined;
    yield* summarise(running, request);
    yield* tellOut(running);
  }
}

/** Has a summary written and gives it to the engine. */
function* summarise(running: Running, request: SummaryRequest): Stage {
  if (running.compactionsInARow > MAX_COMPACTIONS_IN_A_ROW) {
    const reason = `${MAX_COMPACTIONS_IN_A_ROW} compactions in a row without a step`;
    running.halt = { state: 'loop', reason };
    return;
  }
  const prompt = running.ledger.summaryPrompt(request);
  running.summaryPrompt = prompt;
  const outcome = yield* askForSummary(running, { request, prompt });
  if (outcome.state === 'failed') return failSummary(running, request, outcome);
  const inputTokens = prompt.whole.tokens;
  finishSummary(running, { ...summaryEnd(request, 'answered'), inputTokens }, outcome);
}

function failSummary(
  running: Running,
  request: SummaryRequest,
  { reason, isOverflow, isAborted }: SummaryOutcome & { readonly state: 'failed' },
): void {
  running.told.push({ ...summaryEnd(request, 'failed'), reason });
  const error = { name: isOverflow ? 'ContextOverflowError' : 'APIError', message: reason };
  feed(running, isAborted ? { type: 'aborted' } : { type: 'summary-failed', error, isOverflow });
}

function finishSummary(
  running: Running,
  end: SummaryEnd,
  { text, finish, split, keptTokens, call }: SummaryOutcome & { readonly state: 'answered' },
): void {
  const { summaryService, ledger } = running;
  const outputTokens = ledger.textTokens(text);
  const isCut = keptTokens < end.inputTokens && call?.usage === undefined;
  running.told.push({
    ...end,
    ...(isCut && { keptTokens }),
    outputTokens,
    ...withMeasured(running, summaryService.bill(split, outputTokens), call),
  });
  const usage =
    call?.usage ??
    summaryService.report({
      split,
      outputTokens,
      reasoningTokens: 0,
      sentTokens: end.inputTokens,
      keptTokens,
      opensTurn: false,
    });
  feed(running, {
    type: 'summary-finished',
    result: { text, finish, ...(usage && { usage }) },
  });
}

/**
 * What a real call told of itself stands in place of what was simulated; a price that it does not know stays unknown.
 * Where its provider counted nothing, the simulated bill holds, but not at the price of a model that wrote no summary.
 */
function withMeasured(running: Running, bill: Billed, call: CallRecord = {}): Billed {
  const { usage, costNanoUsd, latencyMs = bill.latencyMs, model } = call;
  if (usage === undefined) {
    const isPriced = model === undefined || running.summaryService !== running.service;
    return { ...bill, latencyMs, ...(!isPriced && { costNanoUsd }) };
  }
  return {
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
    freshTokens: usage.input,
    latencyMs,
    ...(costNanoUsd !== undefined && { costNanoUsd }),
  };
}

/** Nothing is billed for a request that got no answer. */
function summaryEnd({ messages }: SummaryRequest, state: SummaryEnd['state']): SummaryEnd {
  return {
    type: 'summary-end',
    state,
    inputTokens: 0,
    outputTokens: 0,
    headMessages: messages.length,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    freshTokens: 0,
    latencyMs: 0,
  };
}
