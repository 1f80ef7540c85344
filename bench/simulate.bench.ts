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
const MAX_COST_GROWTH = 2;
const ROUNDS = 7;
const WARM_UP_ROUNDS = 5;
const LENGTHS = [100, 1_000, 10_000, 100_000];
/** Short sessions are replayed over and over, up to as many steps as this. */
const STEPS_OF_ROUND = 20_000;
const MICROSECONDS = 1_000_000;

const POLICY = resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: true } });
const MODEL = createProfile('anthropic/claude-sonnet-4-5', {
  contextTokens: 200_000,
  outputTokens: 64_000,
});
const UNLIMITED = createProfile('anthropic/unlimited', { contextTokens: 0 });
/** It writes nothing but its number of words, so that no summarizer is measured. */
const SUMMARIZER = findSummarizer('scripted:tokens=500');

/** How fast sessions are replayed, beside a replay that writes its view out at each step and beside a bare loop. */
export const simulation: Suite = { id: 'simulate', name: 'Simulation', run: measure };

async function measure(): Promise<SuiteResult> {
  const { kind, traces } = compileTraces();
  const steps = countSteps(traces);
  const replay = () => traces.forEach((trace) => replayTrace(trace, MODEL));
  for (let round = 0; round < WARM_UP_ROUNDS; round++) replay();
  const rounds = Array.from({ length: ROUNDS }, () => ({
    ours: secondsOf(replay),
    bare: secondsOf(() => traces.forEach(loopBare)),
  }));
  const ours = medianOf(rounds.map((round) => round.ours)) / steps;
  const naive = secondsOf(() => traces.forEach(replayNaively)) / steps;
  const growth = [
    measureGrowth('with pivots', MODEL, { tool: 'read', outputChars: 4_000 }),
    measureGrowth('without pivots, all output protected', UNLIMITED, {
      tool: 'skill',
      outputChars: 40,
    }),
  ];
  return {
    notes: [
      `${traces.length} ${kind} sessions, ${steps} steps`,
      ...growth.map(({ name, costs }) => `${name}: ${costs.map(toCost).join(', ')}`),
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
        value: Math.max(...growth.map(({ costs }) => (costs.at(-1) ?? 0) / (costs[0] ?? 0))),
        unit: 'ratio',
        atMost: MAX_COST_GROWTH,
      },
    ],
  };
}

function toCost(seconds: number, index: number): string {
  return `${LENGTHS[index]} steps ${(seconds * MICROSECONDS).toFixed(1)} µs each`;
}

/** What a step costs in sessions of each length, in seconds. */
function measureGrowth(
  name: string,
  model: ModelProfile,
  options: { readonly tool: string; readonly outputChars: number },
) {
  const costs = LENGTHS.map((length) => {
    const trace = longTrace(length, options);
    const times = Math.max(1, Math.floor(STEPS_OF_ROUND / length));
    const replay = () => {
      for (let time = 0; time < times; time++) replayTrace(trace, model);
    };
    replay();
    return medianOf([1, 2, 3].map(() => secondsOf(replay))) / (length * times);
  });
  return { name, costs };
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

function secondsOf(task: () => void): number {
  const start = process.hrtime.bigint();
  task();
  return Number(process.hrtime.bigint() - start) / 1e9;
}
