import {
  createLawChecker,
  createState,
  type Move,
  type Limits,
  type MessageError,
  type Policy,
} from '../../engine/index.ts';
import type { Env } from '../env.ts';
import type { RunEvent, RunState } from '../events.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
import { createLedger } from './ledger.ts';
import {
  feed,
  isTooLarge,
  nextContextTokens,
  type Running,
  type Simulation,
  takeStep,
} from './running.ts';
import type { Trace, TraceStep } from './trace.ts';

/** What a trace is replayed against. */
export interface SimulateOptions {
  readonly policy: Policy;
  /** `provider/model`. */
  readonly model: string;
  readonly limits: Limits;
  /** The window of the model that writes summaries, where it is another one; 0 is without limit. */
  readonly summaryWindowTokens?: number | undefined;
  /** Name of what will answer summary requests. */
  readonly summarizer: string;
  readonly seed: number;
  readonly env: Env;
  /** Told of each of the engine's moves, for those who explain a run. */
  readonly onTransition?: (move: Move) => void;
}

/** The policy whose window has no limit, so that nothing is refused. */
const CONTROL = 'none';
const NO_LIMITS: Limits = { contextTokens: 0 };

/**
 * Replays a trace under a policy. Open loop: every recorded step is replayed once and in order, whatever
 * the policy does to the view. Source: DESIGN, sections 4 and 8.
 */
export function* simulate(trace: Trace, options: SimulateOptions): Simulation {
  const limits = options.policy.name === CONTROL ? NO_LIMITS : options.limits;
  const running: Running = {
    ledger: createLedger(trace.basis, trace.count, options.policy.render),
    env: options.env,
    windowTokens: limits.inputTokens || limits.contextTokens,
    summaryWindowTokens:
      options.summaryWindowTokens ?? (limits.inputTokens || limits.contextTokens),
    checkLaws: createLawChecker(),
    onTransition: options.onTransition ?? (() => {}),
    state: createState(options.policy, limits, { overheadTokens: trace.basis.overheadTokens }),
    compactionsInARow: 0,
    summaryInputTokens: 0,
    broken: new Map(),
    halt: undefined,
  };
  yield runStart(trace, { ...options, limits });
  yield* replayTurns(trace, running);
  yield {
    type: 'run-end',
    ...(running.halt ?? verdict(running)),
    finalContextTokens: nextContextTokens(running),
  };
}

/** A run that broke a law which its policy does not list has failed, however far it came. */
function verdict({ broken }: Running): { readonly state: RunState; readonly reason?: string } {
  if (broken.size === 0) return { state: 'completed' };
  const counts = [...broken].map(([law, count]) => `${law} (${count})`);
  return { state: 'failed', reason: `laws broken: ${counts.join(', ')}` };
}

function runStart(trace: Trace, options: SimulateOptions): RunEvent {
  const recorded = (kind: 'full' | 'micro') =>
    trace.recordedCompactions.filter((compaction) => compaction.kind === kind).length;
  return {
    type: 'run-start',
    session: trace.session,
    format: trace.format,
    isPartial: trace.isPartial,
    policy: options.policy.name,
    model: options.model,
    summarizer: options.summarizer,
    seed: options.seed,
    limits: options.limits,
    basis: trace.basis,
    recordedCompactions: recorded('full'),
    recordedMicrocompactions: recorded('micro'),
  };
}

function* replayTurns(trace: Trace, running: Running): Simulation {
  let step = 0;
  for (const [index, { message, steps }] of trace.turns.entries()) {
    const turn = index + 1;
    running.env.advanceTo(message.createdAt);
    yield { type: 'turn-start', turn };
    yield* feed(running, { type: 'user-message', message });
    if (running.halt !== undefined) return;
    for (const recorded of steps) {
      step += 1;
      yield* replayStep(recorded, running, { step, turn });
      if (running.halt !== undefined) return;
    }
    yield* feed(running, { type: 'turn-ended' });
    yield { type: 'turn-end', turn };
  }
}

/** A refused step is tried again after whatever the policy does about it; a second refusal ends the run. */
function* replayStep(
  recorded: TraceStep,
  running: Running,
  position: { readonly step: number; readonly turn: number },
): Simulation {
  running.env.advanceTo(recorded.message.createdAt);
  const refusal = yield* refuse(running, position.step);
  if (refusal !== undefined) {
    yield* feed(running, { type: 'step-refused', error: refusal });
    const again = yield* refuse(running, position.step);
    running.halt ??= again && { state: 'refused', reason: `step refused twice: ${again.message}` };
  }
  if (running.halt === undefined) yield* takeStep(running, recorded, position);
}

/** The provider's answer to a request that its window cannot hold; nothing if it can. */
function* refuse(
  running: Running,
  step: number,
): Generator<RunEvent, MessageError | undefined, SummaryAnswer | undefined> {
  const contextTokens = nextContextTokens(running);
  if (!isTooLarge(contextTokens, running.windowTokens)) return undefined;
  const { windowTokens } = running;
  yield { type: 'step-refused', step, contextTokens, windowTokens };
  return {
    name: 'ContextOverflowError',
    message: `prompt is too long: ${contextTokens} tokens > ${windowTokens} maximum`,
  };
}
