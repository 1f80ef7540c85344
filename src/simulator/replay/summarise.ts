import * as z from 'zod';
import {
  composeErrorMessage,
  knowsOverflow,
  type ProviderError,
  type SummaryRequest,
  type SummaryResult,
  type UserMessage,
} from '../../engine/index.ts';
import type { Billed, RunEvent } from '../events.ts';
import { expectValid } from '../lib/expect.ts';
import type { CacheSplit } from '../provider/prompt.ts';
import type { Failure } from '../scenario/scenario.ts';
import type { CallRecord, FailedAnswer, SummaryAnswer } from '../summarizer/summarizer.ts';
import {
  describeFailure,
  errorOf,
  failRequest,
  type Running,
  type Stage,
  tellOut,
} from './run-state.ts';
import { feed } from './apply-input.ts';
import type { SentPrompt } from './ledger.ts';

type SummaryEnd = RunEvent & { readonly type: 'summary-end' };

type SummaryOutcome =
  | {
      readonly state: 'answered';
      readonly text: string;
      readonly finish: string;
      readonly split: CacheSplit;
      readonly keptTokens: number;
      readonly call?: CallRecord | undefined;
    }
  | {
      readonly state: 'failed';
      readonly reason: string;
      readonly isOverflow: boolean;
      readonly isAborted: boolean;
    };

type Answered = SummaryOutcome & { readonly state: 'answered' };

interface AskedSummary {
  readonly request: SummaryRequest;
  readonly prompt: SentPrompt;
}

interface Sent {
  readonly outcome: SummaryOutcome;
  readonly failure?: Failure | undefined;
}

/** Compactions without a step in between; more than any released policy makes on purpose. */
const MAX_COMPACTIONS_IN_A_ROW = 5;

const Tokens = z.number({ error: 'a finite number of tokens' });

const Call = z
  .looseObject({
    usage: z
      .looseObject({
        input: Tokens,
        output: Tokens,
        reasoning: Tokens,
        cacheRead: Tokens,
        cacheWrite: Tokens,
        total: Tokens.optional(),
      })
      .optional(),
    latencyMs: z.number().optional(),
  })
  .optional();

const AnswerSchema = z.discriminatedUnion('state', [
  z.looseObject({ state: z.literal('finished'), text: z.string(), finish: z.string(), call: Call }),
  z.looseObject({
    state: z.literal('failed'),
    reason: z.string(),
    isOverflow: z.boolean(),
    call: Call,
  }),
]);

/** Yields what happened, and has summaries written for as long as the engine asks for any. */
export function* settle(running: Running): Stage {
  yield* tellOut(running);
  for (let request = running.asked; request !== undefined; request = running.asked) {
    running.asked = undefined;
    yield* summarise(running, request);
    yield* tellOut(running);
  }
}

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
  const asked = { request, prompt };
  const result = billSummary(running, asked, outcome);
  if (request.form?.verifies === true) billVerification(running, asked, outcome);
  feed(running, { type: 'summary-finished', result });
}

function* askForSummary(running: Running, asked: AskedSummary, nth = 1): Stage<SummaryOutcome> {
  const { failure, prompts } = running.faults.nextSummary();
  for (const text of prompts) interrupt(running, text);
  const sent: Sent =
    failure === undefined
      ? yield* send(running, asked)
      : { outcome: failedBy(running, failure), failure };
  if (sent.failure === undefined) return sent.outcome;
  const isSentAgain = failRequest(running, { of: 'summary', failure: sent.failure, nth });
  return isSentAgain ? yield* askForSummary(running, asked, nth + 1) : sent.outcome;
}

function interrupt(running: Running, text: string): void {
  const id = running.env.newId('interrupting');
  const message: UserMessage = {
    id,
    role: 'user',
    createdAt: running.env.now(),
    parts: [{ type: 'text', id: `${id}-0`, text }],
  };
  feed(running, { type: 'user-message', message });
}

function* send(running: Running, { request, prompt }: AskedSummary): Stage<Sent> {
  const { summaryService, env } = running;
  const { whole, bytes } = prompt;
  const sent = { prompt, tokens: whole.tokens, bytes, fault: undefined };
  const reply = summaryService.send(sent, env.now());
  if (reply.type === 'malformed') return { outcome: failed(reply.fault, {}) };
  if (reply.type === 'refused') return { outcome: refused(running, reply.error) };
  yield* tellOut(running);
  const given = yield { type: 'ask', request };
  if (given instanceof Promise)
    throw new TypeError(
      'Expected `summarizer.summarise()` to be no promise unless `isAsync` is true.',
    );
  const answer = expectValid('summarizer.summarise()', given as SummaryAnswer, AnswerSchema);
  env.advanceTo(env.now() + (answer.call?.latencyMs ?? 0));
  if (answer.state === 'failed') return failedAnswer(running, answer);
  const { text, finish, call } = answer;
  const { split, keptTokens } = reply;
  return { outcome: { state: 'answered', text, finish, split, keptTokens, call } };
}

function failed(
  reason: string,
  { isOverflow = false, isAborted = false }: { isOverflow?: boolean; isAborted?: boolean },
): SummaryOutcome {
  return { state: 'failed', reason, isOverflow, isAborted };
}

function refused({ state }: Running, error: ProviderError): SummaryOutcome {
  return failed(composeErrorMessage(error), { isOverflow: knowsOverflow(state.policy, error) });
}

/** A failure after several tries is final: a client made them already. */
function failedAnswer(running: Running, answer: FailedAnswer): Sent {
  const { reason, isOverflow, failure, error, tries } = answer;
  const isAborted = failure?.type === 'abort';
  const outcome =
    error === undefined ? failed(reason, { isOverflow, isAborted }) : refused(running, error);
  return { outcome, failure: tries === undefined ? failure : undefined };
}

function failedBy(running: Running, failure: Failure): SummaryOutcome {
  if (failure.type === 'overflow')
    return refused(running, errorOf(failure, running.summaryService));
  return failed(describeFailure(failure), { isAborted: failure.type === 'abort' });
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

function billSummary(
  running: Running,
  { request, prompt }: AskedSummary,
  { text, finish, split, keptTokens, call }: Answered,
): SummaryResult {
  const { summaryService, ledger } = running;
  const { tokens: inputTokens } = prompt.whole;
  const outputTokens = ledger.textTokens(text);
  const isCut = keptTokens < inputTokens && call?.usage === undefined;
  running.told.push({
    ...summaryEnd(request, 'answered'),
    inputTokens,
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
      sentTokens: inputTokens,
      keptTokens,
      opensTurn: false,
    });
  return { text, finish, ...(usage && { usage }) };
}

/** The answer is taken to be the summary as it stands, which holds even if the call is not served. */
function billVerification(
  running: Running,
  { request, prompt: asked }: AskedSummary,
  { text, call }: Answered,
): void {
  const { summaryService, ledger, env, told } = running;
  const prompt = ledger.verificationPrompt(asked, text);
  const { tokens } = prompt.whole;
  const { bytes } = prompt;
  const reply = summaryService.send({ prompt, tokens, bytes, fault: undefined }, env.now());
  if (reply.type !== 'served') {
    const reason = reply.type === 'refused' ? composeErrorMessage(reply.error) : reply.fault;
    told.push({ ...summaryEnd(request, 'failed'), verifies: true, reason });
    return;
  }
  const outputTokens = ledger.textTokens(text);
  const bill = summaryService.bill(reply.split, outputTokens);
  told.push({
    ...summaryEnd(request, 'answered'),
    verifies: true,
    inputTokens: tokens,
    outputTokens,
    ...withMeasured(running, bill, { ...(call?.model !== undefined && { model: call.model }) }),
  });
}

/** Without reported usage the simulated bill holds, but not at the price of another model. */
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
