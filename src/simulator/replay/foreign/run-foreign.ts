import * as z from 'zod';
import { callable, expectValid, known } from '../../lib/expect.ts';
import { type ModelProfile, ProfileSchema } from '../../provider/model-profile.ts';
import {
  errorOf,
  type Halt,
  type Lawful,
  MAX_REFUSALS,
  noteBroken,
  scheduleFaults,
  verdictOf,
} from '../run-state.ts';
import { surroundings } from '../run-trace.ts';
import { type Trace, TraceShape, type TraceStep } from '../trace.ts';
import {
  composeErrorMessage,
  type Message,
  type ModelMessage,
  policies,
  renderMessage,
  type Usage,
  canonicalJson,
  type ModelContent,
} from '../../../engine/index.ts';
import type { Env } from '../../env.ts';
import { known as withKnown, keepIn } from '../../lib/collections.ts';
import type { RunEvent } from '../../events.ts';
import { findFault } from '../../provider/checks.ts';
import {
  modelChanged,
  createService,
  type ProviderRequest,
  type Reply,
  runStart,
} from '../service.ts';
import type { Fault } from '../../scenario/scenario.ts';
import { RECORDED } from '../count.ts';
import { createWatch } from '../references/watch.ts';
import type { ModelChange } from '../simulate.ts';
import { checkChange, type Compactor, OWN_SUMMARIES, readMessages } from './compactor.ts';
import { createListScale, type Fed, toShownView } from './messages.ts';

interface Position {
  readonly turn: number;
  readonly opensTurn: boolean;
}

type Served = Reply & { readonly type: 'served' };

/** Options for replaying a trace against a foreign compactor. */
export interface ForeignOptions {
  readonly compactor: Compactor;
  /** The name that is reported as the policy. */
  readonly name: string;
  readonly model: ModelProfile;
  /** Other models, in the order of the recorded steps from which each answers. */
  readonly modelChanges?: readonly ModelChange[] | undefined;
  readonly seed: number;
  readonly env: Env;
  /** Faults to inject: refusals of steps and wrong usages; others are ignored. */
  readonly faults?: readonly Fault[];
  /** Called with each accepted request, and with the conversation at the end. */
  readonly onMessages?: (messages: readonly ModelMessage[]) => void;
}

type RunningForeign = ReturnType<typeof startForeign>;

const ForeignSchema = z.strictObject({
  compactor: callable(),
  name: z.string(),
  model: ProfileSchema,
  modelChanges: surroundings.modelChanges,
  seed: surroundings.seed,
  env: known<Env>('what `createEnv` gives', 'now', 'newId'),
  faults: surroundings.faults,
  onMessages: callable().optional(),
});

/**
 * Replays a trace in an open loop against a foreign compactor: the conversation grows by the session's messages, and the compactor's
 * result is sent to the simulated provider.
 */
export async function* runForeign(
  trace: Trace,
  options: ForeignOptions,
): AsyncGenerator<RunEvent, void, void> {
  expectValid('trace', trace, TraceShape);
  expectValid('options', options, ForeignSchema);
  const running = startForeign(trace, options);
  const { name: policy, seed, model } = options;
  yield runStart(trace, { policy, summarizer: OWN_SUMMARIES, seed }, model);
  yield* replayTurns(running);
  yield* running.watch.tellEnd(running.view);
  options.onMessages?.(running.messages);
  yield {
    type: 'run-end',
    ...(running.halt ?? verdictOf(running)),
    finalContextTokens: running.scale.contextTokens(running.messages),
  };
}

function startForeign(trace: Trace, options: ForeignOptions) {
  const continued = new Set<ModelMessage>();
  return {
    trace,
    options,
    service: createService(options.model, policies.none, trace),
    faults: scheduleFaults(options.faults ?? []),
    store: createMessageStore(),
    scale: createListScale(trace, (message) => continued.has(message)),
    // Nothing leaves but what the compactor leaves out.
    watch: createWatch(trace.references(), { between: 'pivot' }),
    fed: [] as Fed[],
    continued,
    broken: undefined as Lawful['broken'],
    messages: [] as readonly ModelMessage[],
    view: [] as readonly Message[],
    newestRequest: undefined as ModelMessage | undefined,
    /** The newest step, where the model has not answered to its results yet. */
    unanswered: [] as readonly ModelMessage[],
    usage: undefined as Usage | undefined,
    step: 0,
    halt: undefined as Halt | undefined,
  };
}

async function* replayTurns(running: RunningForeign): AsyncGenerator<RunEvent, void, void> {
  const { trace, options } = running;
  const changes = new Map(options.modelChanges?.map(({ messageId, model }) => [messageId, model]));
  for (const [index, { message, steps }] of trace.turns.entries()) {
    const turn = index + 1;
    options.env.advanceTo(message.createdAt);
    yield { type: 'turn-start', turn };
    addMessage(running, message);
    for (const [stepIndex, recorded] of steps.entries()) {
      const changed = changes.get(recorded.message.id);
      if (changed !== undefined) yield changeModel(running, changed);
      yield* stepForeign(running, recorded, { turn, opensTurn: stepIndex === 0 });
      if (running.halt !== undefined) return;
    }
    yield { type: 'turn-end', turn };
  }
}

function changeModel(running: RunningForeign, model: ModelProfile): RunEvent {
  const { cache, profile } = running.service;
  const own = model.id === profile.id ? cache : undefined;
  running.service = createService(model, policies.none, { ...running.trace, cache: own });
  return modelChanged(running.step + 1, model);
}

function addMessage(running: RunningForeign, message: Message): void {
  const sent = renderMessage(message, RECORDED).map((one) => running.store.keep(one));
  for (const one of sent.slice(1)) if (one.role === 'user') running.continued.add(one);
  running.fed.push({ message, sent });
  running.scale.learn({ message, sent });
  running.messages = [...running.messages, ...sent];
  running.view = [...running.view, message];
  if (message.role === 'user') {
    running.newestRequest = sent[0] ?? running.newestRequest;
    running.unanswered = [];
  } else running.unanswered = sent;
}

async function* stepForeign(
  running: RunningForeign,
  recorded: TraceStep,
  position: Position,
): AsyncGenerator<RunEvent, void, void> {
  const { options, scale, service } = running;
  options.env.advanceTo(recorded.message.createdAt);
  const step = (running.step += 1);
  if (recorded.resized) scale.resize(recorded.resized);
  if (recorded.cacheFate) service.follow(recorded.cacheFate, options.env.now());
  let refused: string | undefined;
  for (let refusals = 0; refusals < MAX_REFUSALS; refusals++) {
    yield* askCompactor(running, refused);
    const { messages } = running;
    const contextTokens = scale.contextTokens(messages);
    const reply = send(running, {
      prompt: scale.prompt(messages),
      tokens: contextTokens,
      bytes: scale.bytes(messages),
      fault: findFault(messages, service.checks),
    });
    if (reply.type === 'served') {
      yield* takeStep(running, recorded, { ...position, contextTokens, reply });
      return;
    }
    if (reply.type === 'malformed') {
      yield { type: 'step-malformed', step, reason: reply.fault };
      running.halt = { state: 'failed', reason: `malformed request: ${reply.fault}` };
      return;
    }
    refused = composeErrorMessage(reply.error);
    const { windowTokens } = service;
    const { statusCode } = reply.error;
    const refusal = { step, contextTokens, windowTokens, ...withKnown({ statusCode }) };
    yield { type: 'step-refused', ...refusal, isRecognised: true };
    yield { type: 'overflow', path: 'refused' };
  }
  running.halt = { state: 'refused', reason: `step refused twice: ${refused}` };
}

async function* askCompactor(
  running: RunningForeign,
  refused?: string,
): AsyncGenerator<RunEvent, void, void> {
  const { options, store, scale, usage, messages: before } = running;
  const answer: unknown = await options.compactor({
    messages: [...before],
    limits: running.service.profile.limits,
    ...withKnown({ usage, refused }),
  });
  const after = readMessages(answer, (message) => store.find(message)).map((message) =>
    store.keep(message),
  );
  if (before.length === after.length && before.every((one, index) => one === after[index])) return;
  const contextBeforeTokens = scale.contextTokens(before);
  const contextAfterTokens = scale.contextTokens(after);
  running.messages = after;
  running.view = toShownView(running.fed, after, RECORDED);
  yield {
    type: 'pivot',
    messageId: options.env.newId('compacted'),
    auto: true,
    contextBeforeTokens,
    contextAfterTokens,
    isReplay: false,
  };
  const { newestRequest, unanswered } = running;
  const isRefused = refused !== undefined;
  const sizes = { contextBeforeTokens, contextAfterTokens };
  const change = { before, after, ...sizes, newestRequest, unanswered, isRefused };
  for (const { law, message } of checkChange(change)) {
    noteBroken(running, law);
    yield { type: 'law-violated', law, message, messageIds: [], isKnown: false };
  }
}

/** A refusal that was asked for is one in the provider's place. */
function send(running: RunningForeign, request: ProviderRequest): Reply {
  const { faults, service, step, options } = running;
  const failure = faults.nextTry(step);
  if (failure?.type === 'overflow') {
    return { type: 'refused', error: errorOf(failure, service) };
  }
  return service.send(request, options.env.now());
}

async function* takeStep(
  running: RunningForeign,
  recorded: TraceStep,
  {
    turn,
    opensTurn,
    contextTokens,
    reply: { split, keptTokens },
  }: Position & { readonly contextTokens: number; readonly reply: Served },
): AsyncGenerator<RunEvent, void, void> {
  const { service, watch, step, options } = running;
  const { message, outputTokens, reasoningTokens, recordedContextTokens } = recorded;
  if (keptTokens < contextTokens) yield { type: 'step-truncated', step, contextTokens, keptTokens };
  options.onMessages?.(running.messages);
  const sent = { split, sentTokens: contextTokens, keptTokens };
  const usage = service.report({ ...sent, outputTokens, reasoningTokens, opensTurn });
  running.usage = running.faults.reportedUsage(step, usage);
  yield* watch.tellStep(message.id, running.view);
  yield {
    type: 'step-end',
    step,
    turn,
    messageId: message.id,
    contextTokens,
    outputTokens,
    recordedContextTokens,
    viewMessages: running.messages.length,
    opensTurn,
    lostTokens: split.lostTokens,
    isCold: split.isCold,
    ...service.bill(split, outputTokens),
    reported: running.usage,
  };
  addMessage(running, message);
}

/** A store without messages. */
function createMessageStore() {
  const kept = new WeakMap<object, ModelMessage>();
  const messages = new Map<string, ModelMessage>();
  const contents = new Map<string, ModelContent>();

  const keepContent = (content: ModelContent): ModelContent =>
    keepIn(contents, canonicalJson(content), () => Object.freeze(content));
  const make = ({ role, content }: ModelMessage): ModelMessage =>
    Object.freeze({ role, content: Object.freeze(content.map(keepContent)) });
  return {
    keep: (message: ModelMessage) => {
      const before = kept.get(message);
      if (before !== undefined) return before;
      const own = keepIn(messages, canonicalJson(message), () => make(message));
      kept.set(own, own);
      return own;
    },
    find: (value: unknown) =>
      typeof value === 'object' && value !== null ? kept.get(value) : undefined,
  };
}
