import { expectForm } from '../../../engine/internal.ts';
import type { RunEvent } from '../../events.ts';
import { billedPrices } from '../billed-prices.ts';
import { foreignRunForm, traceForm } from '../caller-forms.ts';
import { verdictOf } from '../broken-laws.ts';
import { countRecorded, type Trace } from '../trace.ts';
import { OWN_SUMMARIES } from './own-summaries.ts';
import {
  addMessage,
  type ForeignOptions,
  type RunningForeign,
  startForeign,
} from './running-foreign.ts';
import { stepForeign } from './step-foreign.ts';

/**
 * Replays a trace against somebody's own compaction, step by step and in an open loop: the conversation grows by what
 * the session adds, and what the compactor makes of it is sent to the simulated provider.
 */
export async function* runForeign(
  trace: Trace,
  options: ForeignOptions,
): AsyncGenerator<RunEvent, void, void> {
  expectForm('trace', trace, traceForm);
  expectForm('options', options, foreignRunForm);
  const running = startForeign(trace, options);
  yield runStart(running);
  yield* replayTurns(running);
  yield* running.watch.tellEnd(running.view);
  options.onMessages?.(running.messages);
  yield {
    type: 'run-end',
    ...(running.halt ?? verdictOf(running)),
    finalContextTokens: running.scale.contextTokens(running.messages),
  };
}

function runStart({ trace, options: { name, model, seed } }: RunningForeign): RunEvent {
  const prices = billedPrices(model);
  return {
    type: 'run-start',
    session: trace.session,
    format: trace.format,
    isPartial: trace.isPartial,
    policy: name,
    model: model.id,
    summarizer: OWN_SUMMARIES,
    seed,
    limits: model.limits,
    ...(prices && { prices }),
    basis: trace.basis,
    ...countRecorded(trace),
  };
}

async function* replayTurns(running: RunningForeign): AsyncGenerator<RunEvent, void, void> {
  const { trace, options } = running;
  for (const [index, { message, steps }] of trace.turns.entries()) {
    const turn = index + 1;
    options.env.advanceTo(message.createdAt);
    yield { type: 'turn-start', turn };
    addMessage(running, message);
    for (const [stepIndex, recorded] of steps.entries()) {
      yield* stepForeign(running, recorded, { turn, opensTurn: stepIndex === 0 });
      if (running.halt !== undefined) return;
    }
    yield { type: 'turn-end', turn };
  }
}
