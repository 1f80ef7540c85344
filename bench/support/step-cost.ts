import { type Message, type Move, render } from '../../src/engine/index.ts';
import { runTrace } from '../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../src/simulator/replay/trace.ts';
import { collectGarbage } from './collect-garbage.ts';
import { MODEL, optionsFor, POLICY, replayTrace } from './replay.ts';
import { processorMs, takeTurns } from './take-turns.ts';
import { countSteps } from './traces.ts';

/** Until the compiler of the machine has seen enough, also of pivots, of which all sessions together have a dozen. */
const WARM_UP_ROUNDS = 10;
const ROUNDS = 5;
/** A sweep replays a session in all its cells before the next one. */
const RUNS_IN_A_ROW = 5;
const ROUNDS_IN_TURN = 10;

/** The cost of a step of some sessions, replayed by us and otherwise, in seconds. */
export interface StepCost {
  /** Each session many times in a row, as a sweep has it, but with the same settings; nobody looks what its steps missed. */
  readonly ours: number;
  /** The same where somebody does. */
  readonly watched: number;
  /** As watched, each session once and then the next, so that little of it is still near the processor when it comes again. */
  readonly inTurn: number;
  readonly naive: number;
}

/** Measures what a step costs, all side by side. */
export async function measureStep(traces: readonly Trace[]): Promise<StepCost> {
  const steps = countSteps(traces);
  collectGarbage();
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    traces.forEach(replay);
    traces.forEach(replayWatched);
  }
  const { ours, watched } = await takeTurns(ROUNDS, {
    ours: () => msInARow(replay, traces),
    watched: () => msInARow(replayWatched, traces),
  });
  const { inTurn } = await takeTurns(ROUNDS_IN_TURN, {
    inTurn: () => processorMs(() => traces.forEach(replayWatched)),
  });
  collectGarbage();
  const secondsOf = (ms: number) => ms / 1_000 / steps;
  return {
    ours: secondsOf(ours.p50),
    watched: secondsOf(watched.p50),
    inTurn: secondsOf(inTurn.p50),
    naive: secondsOf(msOfNaive(traces)),
  };
}

function replay(trace: Trace): number {
  return replayTrace(trace, MODEL, { isBlind: true });
}

function replayWatched(trace: Trace): number {
  return replayTrace(trace, MODEL);
}

/** The time of one run of all sessions, where each is run many times before the next. */
function msInARow(run: (trace: Trace) => number, traces: readonly Trace[]): number {
  const ms = processorMs(() => {
    for (const trace of traces) for (let time = 0; time < RUNS_IN_A_ROW; time++) run(trace);
  });
  return ms / RUNS_IN_A_ROW;
}

/** The same as one would write it first: the whole view as JSON at each step, and its length as the count. */
function msOfNaive(traces: readonly Trace[]): number {
  let ms = 0;
  for (const trace of traces) {
    const views = viewsOf(trace);
    const count = () => views.forEach(countJson);
    // As the others, it has seen the session right before.
    count();
    ms += processorMs(count);
  }
  return ms;
}

/** The views that the requests of a replay show, written out so that nothing but the count is measured. */
function viewsOf(trace: Trace): readonly (readonly Message[])[] {
  const views: (readonly Message[])[] = [];
  const onTransition = ({ next }: Move) => {
    for (const command of next.commands) {
      if (command.type === 'request') views.push([...command.view]);
    }
  };
  for (const _ of runTrace(trace, { ...optionsFor(MODEL), onTransition }));
  return views;
}

function countJson(view: readonly Message[]): number {
  return trueLength(JSON.stringify(render(view, POLICY.render)));
}

function trueLength({ length }: string): number {
  return Math.ceil(length / 4);
}
