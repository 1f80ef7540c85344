import {
  composeErrorMessage,
  knowsOverflow,
  type ProviderError,
  type Usage,
  viewOf,
} from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import type { ProviderRequest, Reply } from '../provider/provider.ts';
import type { Failure } from '../scenario/fault.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
import { describeFailure, errorOf, failRequest } from './failure.ts';
import { feed } from './feed.ts';
import type { Running, Simulation, SimulationYield } from './running.ts';
import type { TraceStep } from './trace.ts';

/** Where a step stands in its session, both from 1. */
export interface Position {
  readonly step: number;
  readonly turn: number;
  /** The first request of its turn. */
  readonly opensTurn: boolean;
  /** Number of the content that the step does nothing but read again; absent of a recorded step. */
  readonly reread?: number;
}

/** Refusals of one step after which a run ends. */
const MAX_REFUSALS = 2;
/** Tries after which a step is given up that fails for other reasons. */
const MAX_TRIES = 20;

type Served = Reply & { readonly type: 'served' };

/** A try of a step: it was taken, refused for its size, or failed for another reason. */
type Attempt =
  | { readonly state: 'taken' }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'failed' };

/** A try on its way. */
type Trying = Generator<SimulationYield, Attempt, SummaryAnswer | undefined>;

/**
 * Replays a step. One that was refused is tried again after whatever the policy does about it, and a second
 * refusal ends the run; one that failed otherwise is tried again as if the person had asked for it.
 */
export function* replayStep(running: Running, recorded: TraceStep, position: Position): Simulation {
  running.env.advanceTo(recorded.message.createdAt);
  running.step = position.step;
  let refusals = 0;
  for (let tries = 0; tries < MAX_TRIES && running.halt === undefined; tries++) {
    const attempt = yield* tryStep(running, recorded, { ...position, nth: tries + 1 });
    if (attempt.state === 'taken') return;
    if (attempt.state === 'refused') refusals += 1;
    if (attempt.state === 'refused' && refusals === MAX_REFUSALS) {
      running.halt ??= { state: 'refused', reason: `step refused twice: ${attempt.reason}` };
    }
  }
  running.halt ??= { state: 'failed', reason: `step ${position.step} failed ${MAX_TRIES} times` };
}

function* tryStep(
  running: Running,
  recorded: TraceStep,
  position: Position & { readonly nth: number },
): Trying {
  const failure = running.faults.nextTry(position.step);
  if (failure?.type === 'overflow') {
    return yield* refuse(running, errorOf(failure, running.service));
  }
  if (failure !== undefined) return yield* failStep(running, failure, position.nth);
  const request = requestOf(running);
  const reply = running.service.send(request, running.env.now());
  if (reply.type === 'refused') return yield* refuse(running, reply.error);
  if (reply.type === 'malformed') {
    yield { type: 'step-malformed', step: position.step, reason: reply.fault };
    running.halt = { state: 'failed', reason: `malformed request: ${reply.fault}` };
    return { state: 'failed' };
  }
  yield* takeStep(running, recorded, { ...position, reply, request });
  return { state: 'taken' };
}

function requestOf({ ledger, state, service }: Running): ProviderRequest {
  const view = viewOf(state);
  return {
    prompt: ledger.prompt(view),
    tokens: ledger.contextTokens(view),
    bytes: () => ledger.bytes(view),
    fault: () => service.form.fault(view),
  };
}

/** The policy is told of a refusal if it knows the error for what it is; else a step has failed. */
function* refuse(running: Running, error: ProviderError): Trying {
  const { state, service, ledger, step } = running;
  const contextTokens = ledger.contextTokens(viewOf(state));
  const isRecognised = knowsOverflow(state.policy, error);
  const reason = composeErrorMessage(error);
  yield {
    type: 'step-refused',
    step,
    contextTokens,
    windowTokens: service.windowTokens,
    ...(error.statusCode !== undefined && { statusCode: error.statusCode }),
    isRecognised,
  };
  if (isRecognised) {
    const refusal = { name: 'ContextOverflowError', message: reason };
    yield* feed(running, { type: 'step-refused', error: refusal });
    return { state: 'refused', reason };
  }
  yield* endWithError(running, reason);
  return { state: 'refused', reason: `${reason} (not known as an overflow)` };
}

function* failStep(running: Running, failure: Failure, nth: number): Trying {
  const isSentAgain = yield* failRequest(running, { of: 'step', failure, nth });
  if (failure.type === 'abort') yield* feed(running, { type: 'aborted' });
  else if (!isSentAgain) yield* endWithError(running, describeFailure(failure));
  return { state: 'failed' };
}

function* endWithError(running: Running, reason: string): Simulation {
  const { env } = running;
  const parent = running.state.history.findLast(({ role }) => role === 'user');
  yield* feed(running, {
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

/** A step that the provider took. */
interface Taken extends Position {
  readonly request: ProviderRequest;
  readonly reply: Served;
}

/** Replays a step that the provider took: what it was billed, what it reported, what the policy makes of that. */
function* takeStep(running: Running, recorded: TraceStep, taken: Taken): Simulation {
  running.compactionsInARow = 0;
  const contextTokens = taken.request.tokens;
  const { keptTokens } = taken.reply;
  if (keptTokens < contextTokens) {
    yield { type: 'step-truncated', step: taken.step, contextTokens, keptTokens };
  }
  const usage = reportedUsage(running, recorded, taken);
  yield* running.watch.tellStep(recorded.message.id, viewOf(running.state));
  yield { ...describeStep(running, recorded, taken), ...(usage && { reported: usage }) };
  yield* feed(running, {
    type: 'step-finished',
    message: usage === undefined ? recorded.message : Object.assign({ usage }, recorded.message),
  });
}

function describeStep(
  { state, service }: Running,
  { message, outputTokens, recordedContextTokens }: TraceStep,
  { step, turn, opensTurn, reread, request, reply: { split } }: Taken,
): RunEvent & { readonly type: 'step-end' } {
  return {
    type: 'step-end',
    step,
    turn,
    messageId: message.id,
    contextTokens: request.tokens,
    outputTokens,
    ...(recordedContextTokens !== undefined && { recordedContextTokens }),
    viewMessages: viewOf(state).length,
    opensTurn,
    ...(reread !== undefined && { reread }),
    lostTokens: split.lostTokens,
    isCold: split.isCold,
    ...service.bill(split, outputTokens),
  };
}

function reportedUsage(
  { service, faults, step }: Running,
  { outputTokens, reasoningTokens }: TraceStep,
  { reply, opensTurn }: Taken,
): Usage | undefined {
  const { split, keptTokens } = reply;
  const usage = service.report({ split, outputTokens, reasoningTokens, keptTokens, opensTurn });
  const factor = faults.usageFactor(step);
  return usage === undefined || factor === 1 ? usage : multiply(usage, factor);
}

function multiply(usage: Usage, factor: number): Usage {
  const kinds = Object.entries(usage).map(([kind, tokens]) => [kind, Math.round(tokens * factor)]);
  return Object.fromEntries(kinds) as Usage;
}
