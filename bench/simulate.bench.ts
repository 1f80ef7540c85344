import {
  type Message,
  policies,
  render,
  type RenderPolicy,
  resolvePolicy,
} from '../src/engine/index.ts';
import { createProfile, type ModelProfile } from '../src/simulator/provider/model-profile.ts';
import { runTrace } from '../src/simulator/replay/run-trace.ts';
import type { Trace } from '../src/simulator/replay/trace.ts';
import { findSummarizer } from '../src/simulator/summarizer/summarizers.ts';
import type { Suite, SuiteResult } from './suite.ts';
import { medianOf } from './support/median.ts';
import { compileTraces, countSteps, longTrace } from './support/traces.ts';

const MIN_STEPS_PER_SECOND = 500_000;
const MIN_RATIO_TO_NAIVE = 200;
const MAX_RATIO_TO_BARE_LOOP = 30;
/** A step of the longest session may cost so many times what one of the shortest costs. */
const MAX_COST_GROWTH = 1.5;
const ROUNDS = 5;
const WARM_UP_ROUNDS = 2;
/** Short sessions are replayed over and over, up to as many steps as this. */
const STEPS_OF_ROUND = 10_000;
const ROUNDS_OF_LENGTH = 3;
const MICROSECONDS = 1_000_000;
/** One bare loop over all sessions is too short for the clock. */
const BARE_LOOPS = 50;

const POLICY = resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: true } });
const MODEL = createProfile('anthropic/claude-sonnet-4-5', {
  contextTokens: 200_000,
  outputTokens: 64_000,
});
/** It is full after some twenty steps, so that sessions of every length have pivots. */
const SMALL = createProfile('openai/small', { contextTokens: 32_000, outputTokens: 4_000 });
const UNLIMITED = createProfile('anthropic/unlimited', { contextTokens: 0 });
/** It writes nothing but its number of words, so that no summarizer is measured. */
const SUMMARIZER = findSummarizer('scripted:tokens=500');

/** Sessions of every length that cost the same a step if no scan grows with the session. */
const GROWING = [
  {
    name: 'with pivots',
    model: SMALL,
    tool: 'read',
    outputChars: 4_000,
    lengths: [100, 1_000, 10_000],
  },
  {
    name: 'without pivots, all output protected',
    model: UNLIMITED,
    tool: 'skill',
    outputChars: 40,
    lengths: [100, 1_000, 30_000],
  },
];

/** How fast sessions are replayed, beside a replay that writes its view out at each step and beside a bare loop. */
export const simulation: Suite = { id: 'simulate', name: 'Simulation', run: measure };

async function measure(): Promise<SuiteResult> {
  const { kind, traces } = compileTraces();
  const steps = countSteps(traces);
  const replay = () => traces.forEach((trace) => replayTrace(trace, MODEL));
  for (let round = 0; round < WARM_UP_ROUNDS; round++) replay();
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: secondsOf(replay),
    bare: secondsOf(() => loopBareOften(traces)) / BARE_LOOPS,
  }));
  const ours = medianOf(rounds.map((round) => round.ours)) / steps;
  const naive = secondsOf(() => traces.forEach(replayNaively)) / steps;
  const growth = GROWING.map(measureGrowth);
  return {
    notes: [
      `${traces.length} ${kind} sessions, ${steps} steps`,
      ...growth.map(({ name, costs }) => `${name}: ${costs.map(showCost).join(', ')}`),
    ],
    figures: [
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
        value: medianOf(rounds.map((round) => round.ours / round.bare)),
        unit: 'ratio',
        atMost: MAX_RATIO_TO_BARE_LOOP,
      },
      {
        name: 'simulate.costGrowth',
        value: Math.max(...growth.map(growthOf)),
        unit: 'ratio',
        atMost: MAX_COST_GROWTH,
      },
    ],
  };
}

/** What a step costs in a session of some length, in seconds. */
interface Cost {
  readonly length: number;
  readonly seconds: number;
}

function showCost({ length, seconds }: Cost): string {
  return `${length} steps ${(seconds * MICROSECONDS).toFixed(1)} µs each`;
}

function measureGrowth({ name, model, lengths, ...options }: (typeof GROWING)[number]) {
  const costs = lengths.map((length): Cost => {
    const trace = longTrace(length, options);
    const times = Math.max(1, Math.floor(STEPS_OF_ROUND / length));
    const replay = () => {
      for (let time = 0; time < times; time++) replayTrace(trace, model);
    };
    // What is worked out once for a trace is not part of a run.
    replay();
    const rounds = length <= STEPS_OF_ROUND ? ROUNDS_OF_LENGTH : 1;
    return {
      length,
      seconds: medianOf(Array.from({ length: rounds }, () => secondsOf(replay))) / (length * times),
    };
  });
  return { name, costs };
}

function growthOf({ costs }: { readonly costs: readonly Cost[] }): number {
  return (costs.at(-1)?.seconds ?? 0) / (costs[0]?.seconds ?? 1);
}

function replayTrace(trace: Trace, model: ModelProfile): number {
  let events = 0;
  const options = { policy: POLICY, model, summarizer: SUMMARIZER, seed: 1 };
  for (const _ of runTrace(trace, options)) events += 1;
  return events;
}

/** The same as one would write it first: at each step the whole view as JSON, and its length as the count. */
function replayNaively(trace: Trace): number {
  const view: Message[] = [];
  let tokens = 0;
  for (const { message, steps } of trace.turns) {
    view.push(message);
    for (const step of steps) {
      tokens += countJson(view, POLICY.render);
      view.push(step.message);
    }
  }
  return tokens;
}

function countJson(view: readonly Message[], rules: RenderPolicy): number {
  return trueLength(JSON.stringify(render(view, rules)));
}

function trueLength({ length }: string): number {
  return Math.ceil(length / 4);
}

function loopBareOften(traces: readonly Trace[]): void {
  for (let time = 0; time < BARE_LOOPS; time++) traces.forEach(loopBare);
}

/** The limit of what a generator can do: one sum a step. */
function loopBare(trace: Trace): number {
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

/** Time of the processor, which does not run while others do. */
function secondsOf(task: () => void): number {
  const start = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / MICROSECONDS;
}
