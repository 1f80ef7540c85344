import {
  type Command,
  type LoopInput,
  type LoopState,
  type Move,
  type SummaryRequest,
  transition,
  type Usage,
  type Violation,
  viewOf,
} from '../../engine/index.ts';
import type { Env } from '../env.ts';
import type { RunEvent, RunState } from '../events.ts';
import type { SummaryAnswer } from '../summarizer/summarizer.ts';
import { describeEvents } from './describe.ts';
import { findViolations } from './laws.ts';
import type { Ledger } from './ledger.ts';
import type { TraceStep } from './trace.ts';

/** A simulation yields what happened, and asks for a summary by yielding its request. */
export type SimulationYield = RunEvent | { readonly type: 'ask'; readonly request: SummaryRequest };

/** A piece of a simulation; a driver answers what it asks. */
export type Simulation = Generator<SimulationYield, void, SummaryAnswer | undefined>;

/** Why a run stops before its last step. */
export interface Halt {
  readonly state: RunState;
  readonly reason: string;
}

/** A session in the middle of its replay. */
export interface Running {
  readonly ledger: Ledger;
  readonly env: Env;
  /** The provider's limit on a request; 0 where it has none. */
  readonly windowTokens: number;
  /** The same of the model that writes summaries. */
  readonly summaryWindowTokens: number;
  readonly checkLaws: (move: Move) => readonly Violation[];
  readonly onTransition: (move: Move) => void;
  state: LoopState;
  compactionsInARow: number;
  /** True tokens of the newest summary request. */
  summaryInputTokens: number;
  /** Violated laws that the policy does not list, by how often. */
  readonly broken: Map<string, number>;
  halt: Halt | undefined;
}

/** Recordings without ids are given plain ones; what a policy adds must not meet them. */
const OWN_ID = 'policy';
/** Compactions without a step in between, more than any released policy makes on purpose. */
const MAX_COMPACTIONS_IN_A_ROW = 5;

/** True tokens that the next request would hold. */
export function nextContextTokens({ ledger, state }: Running): number {
  return ledger.contextTokens(viewOf(state));
}

/** Whether a provider would refuse a request of that size; a window of 0 has no limit. */
export function isTooLarge(tokens: number, windowTokens: number): boolean {
  return windowTokens > 0 && tokens > windowTokens;
}

/** Gives the engine an input and works off what it asks for. */
export function* feed(running: Running, input: LoopInput): Simulation {
  const { env, ledger, state: before } = running;
  const newId = (prefix: string) => env.newId(`${OWN_ID}-${prefix}`);
  const next = transition(before, input, { now: env.now(), newId });
  running.state = next.state;
  running.onTransition({ before, input, next });
  const events = describeEvents(next.events, { before, after: next.state, ledger });
  yield* events;
  yield* findViolations(running, { before, input, next }, events);
  for (const command of next.commands) {
    if (command.type === 'summarise') yield* summarise(running, command.request);
    if (command.type === 'stop') running.halt ??= haltFor(command);
  }
}

/** Only guards end a run: after any other stop the recording goes on with its next step. */
function haltFor({
  reason,
  detail = reason,
}: Command & { readonly type: 'stop' }): Halt | undefined {
  return reason === 'breaker' || reason === 'irreducible'
    ? { state: reason, reason: detail }
    : undefined;
}

/** Replays a step that the provider took, reporting its true tokens as usage without a cache. */
export function* takeStep(
  running: Running,
  recorded: TraceStep,
  position: { readonly step: number; readonly turn: number },
): Simulation {
  running.compactionsInARow = 0;
  const { message, outputTokens, recordedContextTokens } = recorded;
  const contextTokens = nextContextTokens(running);
  yield {
    type: 'step-end',
    ...position,
    messageId: message.id,
    contextTokens,
    outputTokens,
    ...(recordedContextTokens === undefined ? {} : { recordedContextTokens }),
    viewMessages: viewOf(running.state).length,
  };
  const usage = plainUsage(contextTokens, outputTokens);
  yield* feed(running, { type: 'step-finished', message: { ...message, usage } });
}

function* summarise(running: Running, request: SummaryRequest): Simulation {
  running.compactionsInARow += 1;
  if (running.compactionsInARow > MAX_COMPACTIONS_IN_A_ROW) {
    const reason = `${MAX_COMPACTIONS_IN_A_ROW} compactions in a row without a step`;
    running.halt = { state: 'loop', reason };
    return;
  }
  const inputTokens = running.ledger.summaryInputTokens(request);
  running.summaryInputTokens = inputTokens;
  const answer = isTooLarge(inputTokens, running.summaryWindowTokens)
    ? refusedSummary(inputTokens, running)
    : yield { type: 'ask', request };
  if (answer === undefined) throw new TypeError('Expected the driver to answer a summary request.');
  const headMessages = request.messages.length;
  if (answer.state === 'failed') {
    const { reason } = answer;
    yield {
      type: 'summary-end',
      state: 'failed',
      reason,
      inputTokens: 0,
      outputTokens: 0,
      headMessages,
    };
    const error = {
      name: answer.isOverflow ? 'ContextOverflowError' : 'APIError',
      message: reason,
    };
    yield* feed(running, { type: 'summary-failed', error, isOverflow: answer.isOverflow });
    return;
  }
  const outputTokens = running.ledger.textTokens(answer.text);
  yield { type: 'summary-end', state: 'answered', inputTokens, outputTokens, headMessages };
  const { text, finish } = answer;
  const usage = plainUsage(inputTokens, outputTokens);
  yield* feed(running, { type: 'summary-finished', result: { text, finish, usage } });
}

function refusedSummary(inputTokens: number, running: Running): SummaryAnswer {
  const { summaryWindowTokens } = running;
  const reason = `the summary request holds ${inputTokens} tokens on a window of ${summaryWindowTokens}`;
  return { state: 'failed', reason, isOverflow: true };
}

/** Usage of a provider that has no cache and gives no total. */
function plainUsage(input: number, output: number): Usage {
  return { input, output, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
}
