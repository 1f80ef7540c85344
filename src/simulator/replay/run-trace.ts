import * as z from 'zod';
import { expectPolicy } from '../../engine/internal.ts';
import type { RunEvent } from '../events.ts';
import { callable, Count, expectValid, known } from '../lib/expect.ts';
import { ProfileSchema } from '../provider/model-profile.ts';
import { FaultSchema } from '../scenario/scenario.ts';
import { type Trace, TraceShape } from './trace.ts';
import { createEnv } from '../env.ts';
import type {
  AnySummarizer,
  AsyncTools,
  Summarizer,
  SummarizerTools,
} from '../summarizer/summarizer.ts';
import type { Simulation } from './run-state.ts';
import { simulate, type SimulateOptions } from './simulate.ts';

/** Options of one run besides its trace. */
export interface RunOptions extends SimulateOptions {
  readonly summarizer: Summarizer;
}

/** Options of a run whose summarizer may be asynchronous. */
export interface AsyncRunOptions extends Omit<RunOptions, 'summarizer'> {
  readonly summarizer: AnySummarizer;
  /** Aborts when the run is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** Which repetition of the same run it is, from 1. */
  readonly repeat?: number | undefined;
}

type Changing = Pick<SimulateOptions, 'modelChanges'>;

/** Options that a run and a sweep share. */
export const surroundings = {
  model: ProfileSchema,
  summaryModel: ProfileSchema.optional(),
  summarizer: known<AnySummarizer>(
    'a summarizer, such as `findSummarizer` gives',
    'name',
    'summarise',
  ),
  seed: z.int({ error: 'a whole number' }),
  mode: z.enum(['open-loop', 'closed-loop']).optional(),
  faults: z.array(FaultSchema).optional(),
  findModel: callable().optional(),
  modelChanges: z.array(z.looseObject({ messageId: z.string(), model: ProfileSchema })).optional(),
};

/** An abort signal. */
export const SignalShape = known<AbortSignal>(
  'the signal of an `AbortController`',
  'aborted',
  'reason',
).optional();

const RunSchema = z.strictObject({
  policy: z.unknown().optional(),
  ...surroundings,
  maxSteps: Count.optional(),
  isBlind: z.boolean().optional(),
  onTransition: callable().optional(),
  signal: SignalShape,
  repeat: Count.optional(),
});

/** The events of one run of a trace, in order. Throws a `TypeError` that names the option at what no run can be made of. */
export function runTrace(trace: Trace, options: RunOptions): Generator<RunEvent, void, void> {
  return oneByOne(runInBatches(trace, options));
}

/** Picks the options that a run and a sweep share out of a larger object. */
export function surroundingsOf<
  Given extends { readonly [Key in keyof typeof surroundings]?: unknown } & Changing,
>(given: Given): Pick<Given, Exclude<keyof typeof surroundings, 'modelChanges'>> & Changing {
  const { model, summaryModel, summarizer: writer, seed: start, mode } = given;
  const { faults, findModel, modelChanges } = given;
  const of = { model, summaryModel, summarizer: writer, seed: start, mode };
  return { ...of, faults, findModel, modelChanges };
}

/** The events of one run of a trace in batches, for those who go through many. */
export function runInBatches(
  trace: Trace,
  options: RunOptions,
): Generator<readonly RunEvent[], void, void> {
  const { simulation, tools } = begin(trace, options);
  if (options.summarizer.isAsync)
    throw new TypeError('Expected `options.summarizer` to answer at once; `runTraceAsync` waits.');
  return driveSync(simulation, options.summarizer, tools);
}

/** The events of one run, as the summarizer answers. */
export function runTraceAsync(
  trace: Trace,
  options: AsyncRunOptions,
): AsyncGenerator<RunEvent, void, void> {
  const { simulation, tools } = begin(trace, options);
  return oneByOneAsync(driveAsync(simulation, options.summarizer, tools));
}

/** All events of one run; a promise only if the summarizer is asynchronous. */
export function collectRun(
  trace: Trace,
  options: AsyncRunOptions,
): readonly RunEvent[] | Promise<readonly RunEvent[]> {
  const collected: RunEvent[] = [];
  return collectInto(collected, trace, options) ?? collected;
}

/** Collects the events of one run into a list, which keeps the earlier ones if the run fails. */
export function collectInto(
  collected: RunEvent[],
  trace: Trace,
  options: AsyncRunOptions,
): Promise<readonly RunEvent[]> | undefined {
  const { simulation, tools } = begin(trace, options);
  const { summarizer } = options;
  if (summarizer.isAsync) {
    return collectAsync(collected, oneByOneAsync(driveAsync(simulation, summarizer, tools)));
  }
  for (const event of oneByOne(driveSync(simulation, summarizer, tools))) collected.push(event);
  return undefined;
}

/** Runs a simulation to its end, answering its requests at once; yields its events as they come, some at a time. */
export function* driveSync(
  simulation: Simulation,
  summarizer: Summarizer,
  tools: SummarizerTools,
): Generator<readonly RunEvent[], void, void> {
  let next = simulation.next();
  while (!next.done) {
    if (next.value.type === 'ask') {
      next = simulation.next(summarizer.summarise(next.value.request, tools));
    } else {
      yield next.value.events;
      next = simulation.next();
    }
  }
}

/** Drives a simulation with a summarizer that may wait; an abort is thrown at the next request. */
export async function* driveAsync(
  simulation: Simulation,
  summarizer: AnySummarizer,
  tools: AsyncTools,
): AsyncGenerator<readonly RunEvent[], void, void> {
  let next = simulation.next();
  while (!next.done) {
    if (next.value.type === 'ask') {
      tools.signal?.throwIfAborted();
      next = simulation.next(await summarizer.summarise(next.value.request, tools));
    } else {
      yield next.value.events;
      next = simulation.next();
    }
  }
}

function* oneByOne(batches: Iterable<readonly RunEvent[]>): Generator<RunEvent, void, void> {
  for (const events of batches) for (const event of events) yield event;
}

function begin(trace: Trace, options: AsyncRunOptions) {
  expectValid('trace', trace, TraceShape);
  expectValid('options', options, RunSchema);
  expectPolicy('options.policy', options.policy);
  const { seed, policy, signal, repeat } = options;
  const env = createEnv(seed);
  const { render } = policy;
  const tools = { countTokens: trace.count, random: env.random, render, signal, repeat };
  return { simulation: simulate(trace, options, env), tools };
}

async function* oneByOneAsync(batches: AsyncIterable<readonly RunEvent[]>) {
  for await (const events of batches) for (const event of events) yield event;
}

async function collectAsync(collected: RunEvent[], events: AsyncIterable<RunEvent>) {
  for await (const event of events) collected.push(event);
  return collected;
}
