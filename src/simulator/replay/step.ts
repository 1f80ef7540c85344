import {
  composeErrorMessage,
  knowsOverflow,
  type Message,
  type ProviderError,
  type Usage,
} from '../../engine/index.ts';
import { commonLength, itemsFrom, type List } from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import { known } from '../lib/collections.ts';
import { createChecker } from '../provider/checks.ts';
import type { Reply, Service } from './service.ts';
import {
  describeFailure,
  errorOf,
  failRequest,
  MAX_REFUSALS,
  type OtherFailure,
  type Running,
  type Stage,
  viewToSend,
} from './run-state.ts';
import { feed, tellAll } from './apply-input.ts';
import type { Reference } from './references/reference.ts';
import { settle } from './summarise.ts';
import type { TraceStep } from './trace.ts';

/** The position of a step in its session, both from 1. */
export interface Position {
  readonly step: number;
  readonly turn: number;
  readonly opensTurn: boolean;
  /** The content that the step does nothing but read again; absent of a recorded step. */
  readonly reread?: Pick<Reference, 'document' | 'isFile'>;
}

type Attempt =
  | { readonly state: 'taken' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'failed' };

interface Taken {
  readonly recorded: TraceStep;
  readonly position: Position;
  readonly view: List<Message>;
  readonly tokens: number;
  readonly reply: Reply & { readonly type: 'served' };
}

const MAX_TRIES = 20;

/** Replays a step; a second refusal ends the run, and one that failed otherwise is tried again. */
export function* replayStep(running: Running, recorded: TraceStep, position: Position): Stage {
  beginStep(running, recorded, position.step);
  let refusals = 0;
  for (let nth = 1; ; nth++) {
    const attempt = tryStep(running, recorded, { position, nth });
    yield* settle(running);
    if (attempt.state === 'taken') return;
    if (attempt.state === 'refused') refusals += 1;
    if (attempt.state === 'refused' && refusals === MAX_REFUSALS)
      running.halt ??= { state: 'refused', reason: `step refused twice: ${attempt.reason}` };
    if (nth === MAX_TRIES) {
      const reason = `step ${position.step} failed ${MAX_TRIES} times`;
      running.halt ??= { state: 'failed', reason };
    }
    if (running.halt !== undefined) return;
  }
}

/** Comes to the time, the sizes and the state of the cache of a step. */
export function beginStep(running: Running, recorded: TraceStep, step: number): void {
  running.env.advanceTo(recorded.message.createdAt);
  running.step = step;
  if (recorded.resized) running.ledger.resize(recorded.resized);
  if (recorded.cacheFate) running.service.follow(recorded.cacheFate, running.env.now());
}

function tryStep(
  running: Running,
  recorded: TraceStep,
  { position, nth }: { readonly position: Position; readonly nth: number },
): Attempt {
  const failure = running.faults.nextTry(position.step);
  if (failure?.type === 'overflow') return refuse(running, errorOf(failure, running.service));
  if (failure !== undefined) return failStep(running, failure, nth);
  const view = viewToSend(running);
  const prompt = running.ledger.prompt(view);
  const { tokens } = prompt.whole;
  const request = { prompt, tokens, bytes: prompt.bytes, fault: faultOf(running, view) };
  const reply = running.service.send(request, running.env.now());
  if (reply.type === 'refused') return refuse(running, reply.error);
  if (reply.type === 'malformed') {
    running.told.push({ type: 'step-malformed', step: position.step, reason: reply.fault });
    running.halt = { state: 'failed', reason: `malformed request: ${reply.fault}` };
    return { state: 'failed' };
  }
  takeStep(running, { recorded, position, view, tokens, reply });
  return { state: 'taken' };
}

function faultOf(running: Running, view: List<Message>): string | undefined {
  const { ledger, service, checked } = running;
  const isKnown = checked?.names === service.checks && checked.fault === undefined;
  const from = isKnown ? commonLength(checked.view, view) : 0;
  const checker = isKnown ? checked.checker : createChecker(service.checks);
  const sentFrom = (list: List<Message>) =>
    itemsFrom(list, from).flatMap((message) => ledger.pageOf(message).rendering);
  if (isKnown) for (const message of sentFrom(checked.view).toReversed()) checker.back(message);
  let fault: string | undefined;
  for (const message of sentFrom(view)) fault ??= checker.next(message);
  running.checked = { names: service.checks, view, checker, fault };
  return fault ?? checker.end();
}

function refuse(running: Running, error: ProviderError): Attempt {
  const { state, service, ledger, step, told } = running;
  const contextTokens = ledger.contextTokens(viewToSend(running));
  const isRecognised = knowsOverflow(state.policy, error);
  const reason = composeErrorMessage(error);
  told.push({
    type: 'step-refused',
    step,
    contextTokens,
    windowTokens: service.windowTokens,
    ...known({ statusCode: error.statusCode }),
    isRecognised,
  });
  if (isRecognised) {
    const refusal = { name: 'ContextOverflowError', message: reason };
    feed(running, { type: 'step-refused', error: refusal });
    return { state: 'refused', reason };
  }
  endWithError(running, reason);
  return { state: 'refused', reason: `${reason} (not known as an overflow)` };
}

function failStep(running: Running, failure: OtherFailure, nth: number): Attempt {
  const isSentAgain = failRequest(running, { of: 'step', failure, nth });
  if (failure.type === 'abort') feed(running, { type: 'aborted' });
  else if (!isSentAgain) endWithError(running, describeFailure(failure));
  return { state: 'failed' };
}

function endWithError(running: Running, reason: string): void {
  const { env } = running;
  const parent = running.state.history.findLast(({ role }) => role === 'user');
  feed(running, {
    type: 'step-finished',
    message: {
      id: env.newId('policy-failed'),
      role: 'assistant',
      createdAt: env.now(),
      parts: [],
      parentId: parent?.id ?? '',
      error: { name: 'APIError', message: reason },
    },
  });
}

function takeStep(running: Running, taken: Taken): void {
  const { recorded, position, view, tokens, reply } = taken;
  const { told, watch, step, service, faults } = running;
  const { split, keptTokens } = reply;
  const { outputTokens, reasoningTokens } = recorded;
  running.compactionsInARow = 0;
  noteImpossible(running, tokens);
  if (keptTokens < tokens)
    told.push({ type: 'step-truncated', step, contextTokens: tokens, keptTokens });
  const sent = { split, sentTokens: tokens, keptTokens, opensTurn: position.opensTurn };
  const report = service.report({ ...sent, outputTokens, reasoningTokens });
  const usage = faults.reportedUsage(step, report);
  tellAll(running, watch.tellStep(recorded.message.id, view));
  told.push(describeStep(service, taken, usage));
  feed(running, { type: 'step-finished', message: { ...recorded.message, usage } });
}

function noteImpossible(running: Running, tokens: number): void {
  const { service, step, windowOf } = running;
  if (windowOf === undefined || running.impossible !== undefined) return;
  const windowTokens = windowOf(service.profile.id);
  if (windowTokens === 0 || tokens <= windowTokens) return;
  running.impossible = `step ${step} holds ${tokens} tokens, and the window ${windowTokens}`;
}

function describeStep(
  service: Service,
  { recorded, position, view, tokens, reply: { split } }: Taken,
  usage: Usage | undefined,
): RunEvent {
  const bill = service.bill(split, recorded.outputTokens);
  // One is made for every step, so that it is written down without a spread.
  return {
    type: 'step-end',
    step: position.step,
    turn: position.turn,
    messageId: recorded.message.id,
    contextTokens: tokens,
    outputTokens: recorded.outputTokens,
    recordedContextTokens: recorded.recordedContextTokens,
    viewMessages: view.length,
    opensTurn: position.opensTurn,
    reread: position.reread?.document,
    isFileReread: position.reread?.isFile,
    lostTokens: split.lostTokens,
    isCold: split.isCold,
    cacheReadTokens: bill.cacheReadTokens,
    cacheWriteTokens: bill.cacheWriteTokens,
    freshTokens: bill.freshTokens,
    costNanoUsd: bill.costNanoUsd,
    latencyMs: bill.latencyMs,
    reported: usage,
  };
}
