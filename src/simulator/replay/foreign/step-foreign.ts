import { composeErrorMessage, type ProviderError } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { findFault } from '../../provider/checks/create-checker.ts';
import type { ProviderRequest, Reply } from '../../provider/provider.ts';
import { errorOf, MAX_REFUSALS } from '../failure.ts';
import type { TraceStep } from '../trace.ts';
import { askCompactor } from './ask-compactor.ts';
import { addMessage, type RunningForeign } from './running-foreign.ts';

/** A piece of a run. */
type Events = AsyncGenerator<RunEvent, void, void>;

/** Where a step stands: its turn, from 1, and whether it is the first of it. */
interface Position {
  readonly turn: number;
  readonly opensTurn: boolean;
}

type Served = Reply & { readonly type: 'served' };

/** Replays a step: the compactor is asked before each request, and once more when the request was refused. */
export async function* stepForeign(
  running: RunningForeign,
  recorded: TraceStep,
  position: Position,
): Events {
  running.options.env.advanceTo(recorded.message.createdAt);
  running.step += 1;
  let refused: string | undefined;
  for (let refusals = 0; refusals < MAX_REFUSALS; refusals++) {
    yield* askCompactor(running, refused);
    const request = requestOf(running);
    const reply = send(running, request);
    if (reply.type === 'served') {
      yield* takeStep(running, recorded, { ...position, request, reply });
      return;
    }
    if (reply.type === 'malformed') {
      yield { type: 'step-malformed', step: running.step, reason: reply.fault };
      running.halt = { state: 'failed', reason: `malformed request: ${reply.fault}` };
      return;
    }
    refused = composeErrorMessage(reply.error);
    yield* tellRefusal(running, request, reply.error);
  }
  running.halt = { state: 'refused', reason: `step refused twice: ${refused}` };
}

function requestOf({ scale, messages, options, trace }: RunningForeign): ProviderRequest {
  const names = options.model.behaviour.checks.filter((name) => !trace.ownFaults.includes(name));
  return {
    prompt: scale.prompt(messages),
    tokens: scale.contextTokens(messages),
    bytes: scale.bytes(messages),
    fault: findFault(messages, names),
  };
}

/** A refusal that was asked for is one in the provider's place. */
function send(running: RunningForeign, request: ProviderRequest): Reply {
  const { faults, service, step, options } = running;
  const failure = faults.nextTry(step);
  if (failure?.type === 'overflow') {
    const { windowTokens } = service;
    return { type: 'refused', error: errorOf(failure, service), windowTokens };
  }
  return service.send(request, options.env.now());
}

async function* tellRefusal(
  { step, service }: RunningForeign,
  { tokens }: ProviderRequest,
  { statusCode }: ProviderError,
): Events {
  yield {
    type: 'step-refused',
    step,
    contextTokens: tokens,
    windowTokens: service.windowTokens,
    ...(statusCode !== undefined && { statusCode }),
    isRecognised: true,
  };
  yield { type: 'overflow', path: 'refused' };
}

async function* takeStep(
  running: RunningForeign,
  recorded: TraceStep,
  taken: Position & { readonly request: ProviderRequest; readonly reply: Served },
): Events {
  const { service, watch, step, options } = running;
  const { message, outputTokens, reasoningTokens, recordedContextTokens } = recorded;
  const { request, turn, opensTurn } = taken;
  const { split, keptTokens } = taken.reply;
  const contextTokens = request.tokens;
  if (keptTokens < contextTokens) {
    yield { type: 'step-truncated', step, contextTokens, keptTokens };
  }
  options.onMessages?.(running.messages);
  const sent = { split, sentTokens: contextTokens, keptTokens };
  const usage = service.report({ ...sent, outputTokens, reasoningTokens, opensTurn });
  running.usage = running.faults.reportedUsage(step, usage);
  yield* watch.tellStep(message.id, step, running.view);
  yield {
    type: 'step-end',
    step,
    turn,
    messageId: message.id,
    contextTokens,
    outputTokens,
    ...(recordedContextTokens !== undefined && { recordedContextTokens }),
    viewMessages: running.messages.length,
    opensTurn,
    lostTokens: split.lostTokens,
    isCold: split.isCold,
    ...service.bill(split, outputTokens),
    ...(running.usage && { reported: running.usage }),
  };
  addMessage(running, message);
}
