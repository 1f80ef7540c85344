import type { Command, LoopInput, Transition } from '../../engine/index.ts';
import { advance, requestedList } from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import { describeEvents } from './describe.ts';
import { findViolations } from './laws.ts';
import { nextStep } from './part-uses.ts';
import type { Halt, Running } from './running.ts';

/** Runs of one recording clear the same parts at the same times. */
const cleared = { parts: new WeakMap(), lists: new WeakMap() };

/** Gives the engine an input, tells what came of it, and notes what the engine asks for. */
export function feed(running: Running, input: LoopInput): void {
  const { env, newId, state: before } = running;
  const uses = running.uses?.from(nextStep(running.step, input));
  const next = advance(before, input, { now: env.now(), newId, uses, cleared });
  const move = { before, input, next, uses };
  running.state = next.state;
  if (running.onTransition !== undefined) {
    running.toldMoves.push({ move, after: running.told.length });
  }
  const events = describeEvents(move, running.ledger);
  tellAll(running, events);
  tellAll(running, running.watch.tellMove(move));
  tellAll(running, findViolations(running, move, events));
  running.requested = undefined;
  for (const command of next.commands) {
    if (command.type === 'request') running.requested = requestedList(command);
    if (command.type === 'summarise') {
      if (!asksAgain(next)) running.compactionsInARow += 1;
      running.asked = command.request;
    }
    if (command.type === 'stop') running.halt ??= haltFor(command);
  }
}

/** Tells what happened, in order. */
export function tellAll({ told }: Running, events: readonly RunEvent[]): void {
  if (events.length === 0) return;
  for (const event of events) told.push(event);
}

function asksAgain({ events }: Transition): boolean {
  return events.some(({ type }) => type === 'summary-repeated');
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
