import {
  createLawChecker,
  createState,
  type Limits,
  type Move,
  policies,
  type Policy,
  prunesAt,
  type ToolPart,
} from '../../engine/index.ts';
import type { Env } from '../env.ts';
import type { RunMode } from '../events.ts';
import { keepIn } from '../lib/collections.ts';
import { HarnessError } from '../lib/errors.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import type { Fault } from '../scenario/scenario.ts';
import { windowTokensOf } from '../scenario/settings.ts';
import { isFiller } from '../summarizer/summarizers.ts';
import { createCountCache, createTokenizer } from '../tokens/tokenizer.ts';
import { feed, tellAll } from './apply-input.ts';
import {
  createPartUses,
  type Running,
  scheduleFaults,
  type Simulation,
  type Stage,
  tellOut,
  usableTokensOf,
  verdictOf,
  viewToSend,
} from './run-state.ts';
import { createLedger } from './ledger.ts';
import { type References, sideOf } from './references/reference.ts';
import { createWatch, type Missed, NO_WATCH } from './references/watch.ts';
import { createService, modelChanged, runStart } from './service.ts';
import { beginStep, type Position, replayStep } from './step.ts';
import { settle } from './summarise.ts';
import { countSteps, type Trace, type TraceStep, type TraceTurn } from './trace.ts';

/** A model that answers from a recorded step on. */
export interface ModelChange {
  readonly messageId: string;
  readonly model: ModelProfile;
}

/** Options of a simulation. */
export interface SimulateOptions {
  readonly policy: Policy;
  readonly model: ModelProfile;
  /** The model that writes summaries, where it is another one. */
  readonly summaryModel?: ModelProfile | undefined;
  /** The summarizer that answers summary requests. */
  readonly summarizer: { readonly name: string };
  readonly seed: number;
  /** Open loop where it is absent. */
  readonly mode?: RunMode | undefined;
  /** Steps of a closed loop after which a run is given up; by default four for each recorded one. */
  readonly maxSteps?: number | undefined;
  /** Faults to inject. */
  readonly faults?: readonly Fault[] | undefined;
  /** The models that faults switch to. */
  readonly findModel?: ((id: string) => ModelProfile) | undefined;
  /** Other models, or other limits of the model, in the order of the recorded steps from which each answers. */
  readonly modelChanges?: readonly ModelChange[] | undefined;
  /** True if references and misses are not reported. An open loop takes the same course without them. */
  readonly isBlind?: boolean | undefined;
  /** Observes each move of the engine. */
  readonly onTransition?: (move: Move) => void;
}

interface AroundSteps {
  readonly prepare: (step: number, recorded: TraceStep) => void;
  readonly beforeStep: BeforeStep | undefined;
}

type SwitchOptions = Pick<SimulateOptions, 'model' | 'summaryModel' | 'findModel' | 'modelChanges'>;

/** Acts for the agent before a recorded step: it may make steps of its own, or leave the recorded one out. */
type BeforeStep = (
  running: Running,
  recorded: TraceStep,
  position: Position & { readonly isLastOfTurn: boolean },
) => Stage<'added' | 'dropped' | 'nothing'>;

const STEPS_PER_RECORDED_STEP = 4;
const LOOP_ID = 'closed-loop';
/** Source: the golden ratio, as in Fibonacci hashing. */
const MIXER = 0x9e3779b1;

/** Recordings without ids are given plain ones; what a policy adds must not meet them. */
const OWN_ID = 'policy';
const NO_LIMITS: Limits = { contextTokens: 0 };

/**
 * Replays a trace under a policy. Open loop: every recorded step is replayed once and in order, whatever the policy does to the
 * view. Closed loop: before a step, a scripted agent reads again the content that the step needs and the view has lost.
 */
export function* simulate(trace: Trace, given: SimulateOptions, env: Env): Simulation {
  const hasNoLimits = given.policy.name === policies.none.name;
  const options = hasNoLimits ? withoutAnyLimits(given) : given;
  const running = start(trace, options, env);
  if (hasNoLimits) running.windowOf = windowsOf(given);
  const { policy, summarizer, seed, mode, model } = options;
  const named = { policy: policy.name, summarizer: summarizer.name, seed, mode };
  const usableTokens = usableTokensOf(running.state);
  running.told.push(runStart(trace, { ...named, usableTokens }, model));
  try {
    yield* replayTurns(trace, running, options);
  } catch (error) {
    // Events that happened until then are not lost.
    yield* tellOut(running);
    throw error;
  }
  tellAll(running, running.watch.tellEnd(viewToSend(running)));
  running.told.push({
    type: 'run-end',
    ...(running.halt ?? verdictOf(running)),
    ...(running.impossible !== undefined && { impossible: running.impossible }),
    finalContextTokens: running.ledger.contextTokens(viewToSend(running)),
  });
  yield* tellOut(running);
}

function withoutAnyLimits(options: SimulateOptions): SimulateOptions {
  const { model, findModel, modelChanges, faults = [] } = options;
  return {
    ...options,
    model: withoutLimits(model),
    modelChanges: modelChanges?.map((one) => ({ ...one, model: withoutLimits(one.model) })),
    ...(findModel && { findModel: (id: string) => withoutLimits(findModel(id)) }),
    faults: faults.filter((one) => one.on !== 'step' || one.failure.type !== 'overflow'),
  };
}

function withoutLimits(model: ModelProfile): ModelProfile {
  const { maxRequestBytes: _, ...behaviour } = model.behaviour;
  return {
    ...model,
    limits: NO_LIMITS,
    trueLimits: NO_LIMITS,
    behaviour: { ...behaviour, checks: [] },
  };
}

function windowsOf({ model, findModel, modelChanges = [] }: SwitchOptions): (id: string) => number {
  const recorded = [model, ...modelChanges.map((change) => change.model)];
  return (id) => {
    const own = recorded.filter((one) => one.id === id);
    const profiles = own.length > 0 ? own : [profileOf(id, findModel)];
    const windows = profiles.map(({ trueLimits }) => windowTokensOf(trueLimits));
    return windows.includes(0) ? 0 : Math.max(...windows);
  };
}

function start(trace: Trace, options: SimulateOptions, env: Env): Running {
  const { policy, model, summaryModel, isBlind = false } = options;
  const service = createService(model, policy, trace);
  return {
    ledger: createLedger({ ...trace, render: policy.render }),
    env,
    newId: (prefix) => env.newId(`${OWN_ID}-${prefix}`),
    faults: scheduleFaults(options.faults ?? []),
    checkLaws: createLawChecker(),
    onTransition: options.onTransition,
    uses: policy.prune.evicts ? createPartUses(trace, options.seed) : undefined,
    watch: isBlind
      ? NO_WATCH
      : createWatch(trace.references(), { hasFiller: isFiller(options.summarizer.name) }),
    told: [],
    toldMoves: [],
    asked: undefined,
    service,
    summaryService:
      summaryModel === undefined ? service : createService(summaryModel, policy, trace),
    state: createState(withOwnCount(policy), model.limits, {
      overheadTokens: trace.basis.overheadTokens,
    }),
    requested: undefined,
    turn: 0,
    step: 0,
    compactionsInARow: 0,
    checked: undefined,
    summaryPrompt: undefined,
    broken: undefined,
    windowOf: undefined,
    impossible: undefined,
    halt: undefined,
  };
}

function withOwnCount(policy: Policy): Policy {
  const { tokenizer, count } = policy.estimator;
  if (tokenizer === undefined || count !== undefined) return policy;
  const { count: ownCount } = createCountCache(createTokenizer(tokenizer));
  return { ...policy, estimator: { ...policy.estimator, count: ownCount } };
}

function* replayTurns(trace: Trace, running: Running, options: SimulateOptions): Stage {
  const switchModel = createSwitchboard(running, trace, options);
  const around: AroundSteps = {
    prepare: (step, { message }) => {
      switchModel(step, message.id);
      if (!running.faults.compactsBefore(step)) return;
      // Nobody can compact while a request runs: it is cut off first.
      if (running.state.phase.state === 'requested') feed(running, { type: 'aborted' });
      feed(running, { type: 'compact' });
    },
    beforeStep: options.mode === 'closed-loop' ? createScriptedAgent(trace, options) : undefined,
  };
  for (const recorded of trace.turns) {
    running.turn += 1;
    yield* replayTurn(running, recorded, around);
    if (running.halt !== undefined) return;
  }
}

function createSwitchboard(
  running: Running,
  trace: Trace,
  { model, summaryModel, findModel, modelChanges = [] }: SwitchOptions,
): (step: number, messageId: string) => void {
  const caches = new Map([[model.id, running.service.cache]]);
  const changes = new Map(modelChanges.map((change) => [change.messageId, change.model]));
  // The catalog may lack the model of the run.
  const own = (id: string) => (id === model.id ? model : profileOf(id, findModel));

  return function switchModel(step, messageId) {
    const id = running.faults.modelFrom(step);
    const profile = id === undefined ? changes.get(messageId) : own(id);
    if (profile === undefined) return;
    const from = { ...trace, cache: caches.get(profile.id) };
    const service = createService(profile, running.state.policy, from);
    caches.set(profile.id, service.cache);
    running.service = service;
    if (summaryModel === undefined) running.summaryService = service;
    feed(running, { type: 'model-changed', limits: profile.limits });
    running.told.push(modelChanged(step, profile, usableTokensOf(running.state)));
  };
}

function profileOf(id: string, findModel: SwitchOptions['findModel']): ModelProfile {
  if (findModel !== undefined) return findModel(id);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `Expected the catalog at a switch to model '${id}', got none.`,
  );
}

function* replayTurn(
  running: Running,
  { message, steps }: TraceTurn,
  { prepare, beforeStep }: AroundSteps,
): Stage {
  const { turn, env, state } = running;
  const sinceMs = Math.max(0, message.createdAt - env.now());
  env.advanceTo(message.createdAt);
  running.told.push({ type: 'turn-start', turn });
  if (turn > 1 && prunesAt(state.policy, 'idle')) feed(running, { type: 'idle', sinceMs });
  const [first] = steps;
  if (first !== undefined) prepare(running.step + 1, first);
  yield* settle(running);
  feed(running, { type: 'user-message', message });
  yield* settle(running);
  let opensTurn = true;
  for (const recorded of steps) {
    if (running.halt !== undefined) return;
    const step = running.step + 1;
    if (recorded !== first) prepare(step, recorded);
    yield* settle(running);
    const place = { step, turn, opensTurn, isLastOfTurn: recorded === steps.at(-1) };
    const did = beforeStep === undefined ? 'nothing' : yield* beforeStep(running, recorded, place);
    if (running.halt !== undefined) return;
    if (did === 'dropped') continue;
    const position = { step, turn, opensTurn: opensTurn && did === 'nothing' };
    yield* replayStep(running, recorded, position);
    opensTurn = false;
  }
  if (running.halt !== undefined) return;
  feed(running, { type: 'turn-ended' });
  yield* settle(running);
  running.told.push({ type: 'turn-end', turn });
}

/**
 * An agent that reads lost content again, once, before the step that needs it, and leaves out steps that only read what it still has.
 * Of losses that a real summary might have spared it reads as many as are expected.
 */
function createScriptedAgent(
  trace: Trace,
  { maxSteps: given, seed }: { readonly maxSteps?: number | undefined; readonly seed: number },
): BeforeStep {
  const maxSteps = given ?? STEPS_PER_RECORDED_STEP * countSteps(trace);
  let added = 0;
  let owed = startOf(trace, seed);

  return function* react(running, recorded, position) {
    const { step, turn, isLastOfTurn } = position;
    const { id: messageId } = recorded.message;
    if (!isLastOfTurn && running.watch.isNeedless(messageId, viewToSend(running))) {
      beginStep(running, recorded, step);
      tellAll(running, running.watch.tellStep(messageId, viewToSend(running)));
      running.told.push({ type: 'step-dropped', step, turn, messageId });
      return 'dropped';
    }
    const addedBefore = added;
    const tried = new Set<ToolPart>();
    const reads = new Map<number, boolean>();
    const isRead = ({ need, chance }: Missed): boolean =>
      keepIn(reads, need.document, () => {
        owed += chance;
        if (owed < 1) return false;
        owed -= 1;
        return true;
      });
    for (;;) {
      const missed = running.watch.findMisses(messageId, viewToSend(running));
      const lost = missed.find(
        (one) => one.need.call !== undefined && !tried.has(one.need.call) && isRead(one),
      )?.need;
      if (lost?.call === undefined || running.halt !== undefined) break;
      tried.add(lost.call);
      if (step + added > maxSteps) {
        running.halt = { state: 'loop', reason: `more than ${maxSteps} steps in a closed loop` };
        break;
      }
      const opensTurn = position.opensTurn && added === addedBefore;
      added += 1;
      const own = toReread(running, lost.call, {
        parentId: recorded.message.parentId,
        references: trace.references(),
      });
      yield* replayStep(running, own, { step, turn, opensTurn, reread: lost });
    }
    return added > addedBefore ? 'added' : 'nothing';
  };
}

/** A place in [0, 1) that differs by session, so that sessions with one loss each read again as many as are expected. */
function startOf({ turns }: Trace, seed: number): number {
  let mixed = seed;
  for (const { outputTokens } of turns.flatMap(({ steps }) => steps)) {
    mixed = Math.imul(mixed ^ outputTokens, MIXER);
    mixed ^= mixed >>> 15;
  }
  return (mixed >>> 0) / 2 ** 32;
}

function toReread(
  { env, uses }: Running,
  call: ToolPart,
  { parentId, references }: { readonly parentId: string; readonly references: References },
): TraceStep {
  const id = env.newId(LOOP_ID);
  const part: ToolPart = { ...call, id: `${id}-call`, callId: id };
  uses?.addCopy(part.id, call.id);
  const side = sideOf(references.partNumbers.get(call.id) ?? 0, 'said');
  return {
    message: {
      id,
      role: 'assistant',
      parts: [part],
      finish: 'tool-calls',
      parentId,
      createdAt: env.now(),
    },
    outputTokens: references.tokensOf(side),
    reasoningTokens: 0,
  };
}
