import { createProfile, type ModelProfile } from '../src/simulator/provider/model-profile.ts';
import type { Figure, Suite, SuiteResult } from './suite.ts';
import { collectGarbage } from './support/collect-garbage.ts';
import { MODEL, replayTrace } from './support/replay.ts';
import { measureStep, type StepCost } from './support/step-cost.ts';
import { processorMs, takeTurns } from './support/take-turns.ts';
import { compileTraces, countSteps, longTrace } from './support/traces.ts';

/** A step of the longest session may cost so many times what one of the shortest costs. */
const MAX_COST_GROWTH = 1.5;

const LENGTHS = [100, 1_000, 10_000];
/** There are as many short sessions as make up this many steps, so that they lie as far apart in memory as long ones. */
const STEPS_OF_LENGTH = 10_000;
const ROUNDS_OF_LENGTH = 2;
/** In a second. */
const MICROSECONDS = 1_000_000;

/** It is full after some fifty steps, so that sessions of every length have pivots. */
const SMALL = createProfile('openai/small', { contextTokens: 32_000, outputTokens: 4_000 });
const UNLIMITED = createProfile('anthropic/unlimited', { contextTokens: 0 });

/** Sessions of every length that cost the same a step if no scan grows with the session. */
interface Series {
  readonly says: string;
  readonly model: ModelProfile;
  readonly tool: string;
  readonly outputChars: number;
  /** The length from which on every session has its share of pivots and prunes. */
  readonly evenFrom: number;
}

const SERIES: readonly Series[] = [
  {
    says: 'pivots in a window of 32k',
    model: SMALL,
    tool: 'read',
    outputChars: 1_600,
    evenFrom: 100,
  },
  {
    says: 'pivots in a window of 200k',
    model: MODEL,
    tool: 'skill',
    outputChars: 1_600,
    evenFrom: 1_000,
  },
  {
    says: 'no pivot, old output cleared again and again',
    model: UNLIMITED,
    tool: 'read',
    outputChars: 8_000,
    evenFrom: 1_000,
  },
  {
    says: 'no pivot, all output protected',
    model: UNLIMITED,
    tool: 'skill',
    outputChars: 40,
    evenFrom: 100,
  },
];

/** How fast sessions are replayed, beside a replay that writes its view out at each step. */
export const simulation: Suite = { id: 'simulate', name: 'Simulation', run: measure };

async function measure(): Promise<SuiteResult> {
  const { kind, traces } = compileTraces();
  const steps = countSteps(traces);
  const cost = await measureStep(traces);
  const { ours, watched, inTurn, naive } = cost;
  const curves: Curve[] = [];
  for (const series of SERIES) curves.push(await measureCurve(series));
  return {
    notes: [
      `${traces.length} ${kind} sessions, ${steps} steps of ${show(ours)} where each is replayed again and again with the same settings,`,
      `of ${show(watched)} where somebody looks what was missed, and of ${show(inTurn)} where each is then replayed once in turn;`,
      `a naive replay ${show(naive)}`,
      `what a step costs in sessions of ${LENGTHS.map((length) => length.toLocaleString('en-US')).join(', ')} steps:`,
      ...curves.map(
        ({ says, costs }) => `${says}: ${costs.map(({ seconds }) => show(seconds)).join(', ')}`,
      ),
    ],
    figures: [
      ...stepFigures(cost),
      {
        name: 'simulate.costGrowth',
        value: Math.max(...curves.map(growthOf)),
        unit: 'ratio',
        atMost: MAX_COST_GROWTH,
      },
    ],
  };
}

function stepFigures({ ours, watched, inTurn, naive }: StepCost): readonly Figure[] {
  return [
    {
      name: 'simulate.stepsPerSecond',
      value: 1 / ours,
      unit: 'steps/s',
    },
    {
      name: 'simulate.ratioToNaive',
      value: naive / ours,
      unit: 'ratio',
    },
    { name: 'simulate.stepsPerSecondWithMisses', value: 1 / watched, unit: 'steps/s' },
    { name: 'simulate.stepsPerSecondInTurn', value: 1 / inTurn, unit: 'steps/s' },
  ];
}

/** The cost of a step in sessions of some length, in seconds. */
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

async function measureCurve(series: Series): Promise<Curve> {
  const replays = LENGTHS.map((length) => {
    const replay = prepareLength(series, length);
    return [length, () => processorMs(replay)] as const;
  });
  const books = await takeTurns(ROUNDS_OF_LENGTH, Object.fromEntries(replays));
  const costs = LENGTHS.map((length) => {
    const seconds = (books[length]?.p50 ?? 0) / 1_000;
    return { length, seconds: seconds / (length * sessionsOf(length)) };
  });
  return { ...series, costs };
}

/** A replay of all sessions of a length, for which what is worked out once for a trace is there. */
function prepareLength({ model, ...options }: Series, length: number): () => void {
  const sessions = sessionsOf(length);
  const traces = Array.from({ length: sessions }, () => longTrace(length, options));
  const replay = () => traces.forEach((trace) => replayTrace(trace, model));
  replay();
  collectGarbage();
  return replay;
}

function sessionsOf(length: number): number {
  return Math.max(1, STEPS_OF_LENGTH / length);
}

function growthOf({ costs, evenFrom }: Curve): number {
  const shortest = costs.find(({ length }) => length >= evenFrom);
  return (costs.at(-1)?.seconds ?? 0) / (shortest?.seconds ?? 1);
}
