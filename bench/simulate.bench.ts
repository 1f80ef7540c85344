import { type Message, type Move, policies, render, resolvePolicy } from '../src/engine/index.ts';
import { createProfile, type ModelProfile } from '../src/simulator/provider/model-profile.ts';
import { runTrace } from '../src/simulator/replay/run-trace.ts';
import type { Trace } from '../src/simulator/replay/trace.ts';
import type { Summarizer } from '../src/simulator/summarizer/summarizer.ts';
import type { Figure, Suite, SuiteResult } from './suite.ts';
import { type Bar, drawBars } from './support/bars.ts';
import { loopBare, loopEvents } from './support/bare-loops.ts';
import { medianOf } from './support/median.ts';
import { compileTraces, countSteps, longTrace } from './support/traces.ts';

const MIN_STEPS_PER_SECOND = 500_000;
const MIN_RATIO_TO_NAIVE = 200;
const MAX_RATIO_TO_BARE_LOOP = 30;
/** A step of the longest session may cost so many times what one of the shortest costs. */
const MAX_COST_GROWTH = 1.5;
const ROUNDS = 100;
/** Until the compiler of the machine has seen enough, also of pivots, of which a round has a dozen. */
const WARM_UP_ROUNDS = 250;
const BARE_LOOPS = 50;
const ROUNDS_OF_EVENTS = 9;

const LENGTHS = [100, 1_000, 10_000, 100_000];
/** There are as many short sessions as make up this many steps, so that they lie as far apart in memory as long ones. */
const STEPS_OF_LENGTH = 10_000;
const ROUNDS_OF_LENGTH = 3;
const MICROSECONDS = 1_000_000;

const POLICY = resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: true } });
const MODEL = createProfile('anthropic/claude-sonnet-4-5', {
  contextTokens: 200_000,
  outputTokens: 64_000,
});
/** It is full after some fifty steps, so that sessions of every length have pivots. */
const SMALL = createProfile('openai/small', { contextTokens: 32_000, outputTokens: 4_000 });
const UNLIMITED = createProfile('anthropic/unlimited', { contextTokens: 0 });

const SUMMARY_CHARS = 2_000;
/** It says the same every time, so that no summarizer is measured. */
const SUMMARIZER: Summarizer = {
  name: 'constant',
  summarise: () => ({ state: 'finished', text: 'x'.repeat(SUMMARY_CHARS), finish: 'stop' }),
};

/** Sessions of every length that cost the same a step if no scan grows with the session. */
interface Series {
  readonly name: string;
  readonly says: string;
  readonly model: ModelProfile;
  readonly tool: string;
  readonly outputChars: number;
  /** The length from which on every session has its share of pivots and prunes. */
  readonly evenFrom: number;
}

const SERIES: readonly Series[] = [
  {
    name: 'window32k',
    says: 'pivots in a window of 32k',
    model: SMALL,
    tool: 'read',
    outputChars: 1_600,
    evenFrom: 100,
  },
  {
    name: 'window200k',
    says: 'pivots in a window of 200k',
    model: MODEL,
    tool: 'skill',
    outputChars: 1_600,
    evenFrom: 1_000,
  },
  {
    name: 'prunes',
    says: 'no pivot, old output cleared again and again',
    model: UNLIMITED,
    tool: 'read',
    outputChars: 8_000,
    evenFrom: 1_000,
  },
  {
    name: 'allProtected',
    says: 'no pivot, all output protected',
    model: UNLIMITED,
    tool: 'skill',
    outputChars: 40,
    evenFrom: 100,
  },
];

/** How fast sessions are replayed, beside a replay that writes its view out at each step and beside a bare loop. */
export const simulation: Suite = { id: 'simulate', name: 'Simulation', run: measure };

async function measure(): Promise<SuiteResult> {
  const { kind, traces } = compileTraces();
  const steps = countSteps(traces);
  const cost = measureStep(traces, steps);
  const { ours, bare, events, naive } = cost;
  const curves = SERIES.map(measureCurve);
  return {
    notes: [
      `${traces.length} ${kind} sessions, ${steps} steps of ${show(ours)}; a bare loop ${show(bare)}, the events alone ${show(events)}, a naive replay ${show(naive)}`,
      'what a step costs by the length of its session:',
      ...plotCurves(curves),
    ],
    figures: [
      ...stepFigures(cost),
      {
        name: 'simulate.costGrowth',
        value: Math.max(...curves.map(growthOf)),
        unit: 'ratio',
        atMost: MAX_COST_GROWTH,
      },
      ...curves.flatMap(curveFigures),
    ],
  };
}

/** What a step costs, replayed by us and otherwise, in seconds. */
interface StepCost {
  readonly ours: number;
  readonly bare: number;
  readonly events: number;
  readonly naive: number;
}

function measureStep(traces: readonly Trace[], steps: number): StepCost {
  const replay = () => traces.forEach((trace) => replayTrace(trace, MODEL));
  for (let round = 0; round < WARM_UP_ROUNDS; round++) replay();
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: secondsOf(replay),
    bare: secondsOfLoop(loopBare, traces),
  }));
  // Behind the others: what it leaves to be collected would be collected in their time.
  const events = Array.from({ length: ROUNDS_OF_EVENTS }, () => secondsOfLoop(loopEvents, traces));
  return {
    ours: medianOf(rounds.map((round) => round.ours)) / steps,
    bare: medianOf(rounds.map((round) => round.bare)) / steps,
    events: medianOf(events) / steps,
    naive: secondsOfNaive(traces) / steps,
  };
}

function stepFigures({ ours, bare, events, naive }: StepCost): readonly Figure[] {
  return [
    {
      name: 'simulate.stepsPerSecond',
      value: 1 / ours,
      unit: 'steps/s',
      atLeast: MIN_STEPS_PER_SECOND,
    },
    {
      name: 'simulate.ratioToNaive',
      value: naive / ours,
      unit: 'ratio',
      atLeast: MIN_RATIO_TO_NAIVE,
    },
    {
      name: 'simulate.ratioToBareLoop',
      value: ours / bare,
      unit: 'ratio',
      atMost: MAX_RATIO_TO_BARE_LOOP,
    },
    { name: 'simulate.ratioToEventsAlone', value: ours / events, unit: 'ratio' },
  ];
}

/** What a step costs in sessions of some length, in seconds. */
interface Cost {
  readonly length: number;
  readonly seconds: number;
}

interface Curve extends Series {
  readonly costs: readonly Cost[];
}

function show(seconds: number): string {
  return `${(seconds * MICROSECONDS).toPrecision(3)} µs`;
}

/** One curve after the other, all to one scale. */
function plotCurves(curves: readonly Curve[]): readonly string[] {
  const most = Math.max(...curves.flatMap(({ costs }) => costs.map(({ seconds }) => seconds)));
  return curves.flatMap(({ says, costs }) => [
    says,
    ...drawBars(costs.map(toBar), most, show).map((line) => `  ${line}`),
  ]);
}

function toBar({ length, seconds }: Cost): Bar {
  return { label: `${length.toLocaleString('en-US')} steps`, value: seconds };
}

function curveFigures({ name, costs }: Curve): readonly Figure[] {
  return costs.map(({ length, seconds }) => ({
    name: `simulate.stepCost.${name}.${length}`,
    value: seconds * MICROSECONDS,
    unit: 'µs',
  }));
}

function measureCurve(series: Series): Curve {
  return { ...series, costs: LENGTHS.map((length) => measureLength(series, length)) };
}

function measureLength({ model, ...options }: Series, length: number): Cost {
  const sessions = Math.max(1, STEPS_OF_LENGTH / length);
  const traces = Array.from({ length: sessions }, () => longTrace(length, options));
  const replay = () => traces.forEach((trace) => replayTrace(trace, model));
  // What is worked out once for a trace is not part of a run.
  replay();
  const seconds = medianOf(Array.from({ length: ROUNDS_OF_LENGTH }, () => secondsOf(replay)));
  return { length, seconds: seconds / (length * sessions) };
}

function growthOf({ costs, evenFrom }: Curve): number {
  const shortest = costs.find(({ length }) => length >= evenFrom);
  return (costs.at(-1)?.seconds ?? 0) / (shortest?.seconds ?? 1);
}

function replayTrace(trace: Trace, model: ModelProfile): number {
  let events = 0;
  const options = { policy: POLICY, model, summarizer: SUMMARIZER, seed: 1 };
  for (const _ of runTrace(trace, options)) events += 1;
  return events;
}

/** The same as one would write it first: the whole view as JSON at each step, and its length as the count. */
function secondsOfNaive(traces: readonly Trace[]): number {
  let seconds = 0;
  for (const trace of traces) {
    const views = viewsOf(trace);
    seconds += secondsOf(() => views.forEach(countJson));
  }
  return seconds;
}

/** What the requests of a replay show, written out so that nothing but the count is measured. */
function viewsOf(trace: Trace): readonly (readonly Message[])[] {
  const views: (readonly Message[])[] = [];
  const options = { policy: POLICY, model: MODEL, summarizer: SUMMARIZER, seed: 1 };
  const onTransition = ({ next }: Move) => {
    for (const command of next.commands) {
      if (command.type === 'request') views.push([...command.view]);
    }
  };
  for (const _ of runTrace(trace, { ...options, onTransition }));
  return views;
}

function countJson(view: readonly Message[]): number {
  return trueLength(JSON.stringify(render(view, POLICY.render)));
}

function trueLength({ length }: string): number {
  return Math.ceil(length / 4);
}

/** One loop over all sessions is too short for the clock. */
function secondsOfLoop(loop: (trace: Trace) => number, traces: readonly Trace[]): number {
  const loops = () => {
    for (let time = 0; time < BARE_LOOPS; time++) traces.forEach(loop);
  };
  return secondsOf(loops) / BARE_LOOPS;
}

/** Time of the processor, which does not run while others do. */
function secondsOf(task: () => void): number {
  const start = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / MICROSECONDS;
}
