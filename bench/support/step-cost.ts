import { type Message, type Move, render } from '../../src/engine/index.ts';
import { runTrace } from '../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../src/simulator/replay/trace.ts';
import { loopBare, loopEvents } from './bare-loops.ts';
import { collectGarbage } from './collect-garbage.ts';
import { medianOf } from './median.ts';
import { MODEL, optionsFor, POLICY, replayTrace, secondsOf } from './replay.ts';
import { countSteps } from './traces.ts';

/** Until the compiler of the machine has seen enough, also of pivots, of which all sessions together have a dozen. */
const WARM_UP_ROUNDS = 250;
const ROUNDS = 15;
/** A sweep replays a session in all its cells before the next one. */
const RUNS_IN_A_ROW = 40;
const ROUNDS_IN_TURN = 100;

/** What a step of some sessions costs, replayed by us and otherwise, in seconds. */
export interface StepCost {
  /** Each session many times in a row, as a sweep has it, but with the same settings. */
  readonly ours: number;
  /** Each session once and then the next, so that little of it is still near the processor when it comes again. */
  readonly inTurn: number;
  /** As ours, where nobody looks what was missed of what steps referred to. */
  readonly blind: number;
  readonly bare: number;
  readonly events: number;
  readonly naive: number;
}

/** Measures what a step costs, all side by side. */
export function measureStep(traces: readonly Trace[]): StepCost {
  const steps = countSteps(traces);
  collectGarbage();
  for (let round = 0; round < WARM_UP_ROUNDS; round++) traces.forEach(replay);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: secondsInARow(replay, traces),
    bare: secondsInARow(loopBare, traces),
  }));
  const inTurn = Array.from({ length: ROUNDS_IN_TURN }, () =>
    secondsOf(() => traces.forEach(replay)),
  );
  const events = Array.from({ length: ROUNDS }, () => secondsInARow(loopEvents, traces));
  for (let round = 0; round < WARM_UP_ROUNDS; round++) traces.forEach(replayBlind);
  const blind = Array.from({ length: ROUNDS }, () => secondsInARow(replayBlind, traces));
  collectGarbage();
  return {
    ours: medianOf(rounds.map((round) => round.ours)) / steps,
    inTurn: medianOf(inTurn) / steps,
    blind: medianOf(blind) / steps,
    bare: medianOf(rounds.map((round) => round.bare)) / steps,
    events: medianOf(events) / steps,
    naive: secondsOfNaive(traces) / steps,
  };
}

function replay(trace: Trace): number {
  return replayTrace(trace, MODEL);
}

function replayBlind(trace: Trace): number {
  return replayTrace(trace, MODEL, { isBlind: true });
}

/** What one run of all sessions takes where each is run many times before the next. */
function secondsInARow(run: (trace: Trace) => number, traces: readonly Trace[]): number {
  const seconds = secondsOf(() => {
    for (const trace of traces) for (let time = 0; time < RUNS_IN_A_ROW; time++) run(trace);
  });
  return seconds / RUNS_IN_A_ROW;
}

/** The same as one would write it first: the whole view as JSON at each step, and its length as the count. */
function secondsOfNaive(traces: readonly Trace[]): number {
  let seconds = 0;
  for (const trace of traces) {
    const views = viewsOf(trace);
    const count = () => views.forEach(countJson);
    // As the others, it has seen the session right before.
    count();
    seconds += secondsOf(count);
  }
  return seconds;
}

/** What the requests of a replay show, written out so that nothing but the count is measured. */
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
