import type { Message, Usage } from '../../src/engine/index.ts';
import type { RunEvent } from '../../src/simulator/events.ts';
import { type Trace, type TraceStep, withUsage } from '../../src/simulator/replay/trace.ts';

const NANO_USD_PER_TOKEN = 3_000;
const MS_PER_TOKEN = 20;
const EVENTS_AT_ONCE = 32;

/** The limit of what a generator can do: one sum a step. */
export function loopBare(trace: Trace): number {
  let newest = 0;
  for (const sum of sums(trace)) newest = sum;
  return newest;
}

function* sums({ turns }: Trace): Generator<number, void, void> {
  let total = 0;
  for (const { steps } of turns) {
    for (const { outputTokens } of steps) {
      total += outputTokens;
      yield total;
    }
  }
}

/** The limit of what a replay can do: what it yields, with numbers that nobody worked out, and a history of its own. */
export function loopEvents(trace: Trace): number {
  let count = 0;
  for (const events of batches(trace)) for (const _ of events) count += 1;
  return count;
}

function* batches({ turns }: Trace): Generator<readonly RunEvent[], void, void> {
  const history: Message[] = [];
  let told: RunEvent[] = [];
  let step = 0;
  let contextTokens = 0;
  for (const [index, { message, steps }] of turns.entries()) {
    const turn = index + 1;
    told.push({ type: 'turn-start', turn });
    history.push(message);
    for (const recorded of steps) {
      step += 1;
      contextTokens += recorded.outputTokens;
      const reported = usageOf(contextTokens, recorded.outputTokens);
      history.push(withUsage(recorded.message, reported));
      told.push(eventOf(recorded, { step, turn, contextTokens, reported, history }));
      if (told.length < EVENTS_AT_ONCE) continue;
      yield told;
      told = [];
    }
    told.push({ type: 'turn-end', turn });
  }
  yield told;
}

function usageOf(contextTokens: number, output: number): Usage {
  return { input: 0, output, reasoning: 0, cacheRead: contextTokens, cacheWrite: 0 };
}

interface Moment {
  readonly step: number;
  readonly turn: number;
  readonly contextTokens: number;
  readonly reported: Usage;
  readonly history: readonly Message[];
}

function eventOf(
  { message, outputTokens, recordedContextTokens }: TraceStep,
  { step, turn, contextTokens, reported, history }: Moment,
): RunEvent {
  return {
    type: 'step-end',
    step,
    turn,
    messageId: message.id,
    contextTokens,
    outputTokens,
    recordedContextTokens,
    viewMessages: history.length,
    opensTurn: false,
    reread: undefined,
    lostTokens: 0,
    isCold: false,
    cacheReadTokens: contextTokens,
    cacheWriteTokens: 0,
    freshTokens: 0,
    costNanoUsd: contextTokens * NANO_USD_PER_TOKEN,
    latencyMs: outputTokens * MS_PER_TOKEN,
    reported,
  };
}
