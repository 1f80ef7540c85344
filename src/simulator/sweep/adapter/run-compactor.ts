import {
  laws,
  type LoopState,
  type ModelMessage,
  policies,
  type Policy,
  type PolicyName,
  render,
  viewOf,
} from '../../../engine/index.ts';
import {
  anything,
  callable,
  expectForm,
  fields,
  list,
  optional,
  text,
} from '../../../engine/internal.ts';
import { createEnv } from '../../env.ts';
import { badOption } from '../../errors.ts';
import type { RunEvent } from '../../events.ts';
import { combine } from '../../metrics/metrics.ts';
import { recordRun, type RunRecord } from '../../metrics/record.ts';
import { named } from '../../names.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { compileSession } from '../../replay/compile.ts';
import type { Compactor } from '../../replay/foreign/compactor.ts';
import { listLaws } from '../../replay/foreign/laws.ts';
import { OWN_SUMMARIES } from '../../replay/foreign/own-summaries.ts';
import { runForeign } from '../../replay/foreign/run-foreign.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import { createCounters } from '../../tokens/counters.ts';
import { compileOptionsFor, runControl } from '../run/prepare-runs.ts';
import {
  type ModelInput,
  readInputs,
  readModel,
  type SessionInput,
  type SessionInputs,
} from './inputs.ts';
import {
  type AnyLawName,
  type CheckedLaws,
  type CompactionRun,
  toCompactionRun,
} from './result.ts';
import { ADAPTER_NAME } from '../gate/log.ts';
import { ADAPTER_POLICY } from './run-scenario.ts';

/** What is to be tested, and on which sessions. */
export interface RunCompactorOptions extends SessionInputs {
  /** Somebody's own compaction; this or a policy. */
  readonly compactor?: Compactor;
  /** A preset by its name, or a policy of one's own. */
  readonly policy?: PolicyName | Policy;
  /** What answers a policy's summary requests: one by its name, or one of one's own; `extractive` where absent. */
  readonly summarizer?: string | AnySummarizer;
  /** Absent where a scenario names one. */
  readonly model?: ModelInput;
  readonly seed?: number;
}

/** A misspelt option would be one that was never given; what each may be is said where it is read. */
const optionsForm = fields<RunCompactorOptions>({
  compactor: optional(callable),
  policy: anything,
  summarizer: anything,
  model: anything,
  seed: anything,
  session: anything,
  sessions: optional(list),
  scenario: optional(text),
});

/** What came of all sessions. */
export interface CompactionResult {
  /** One for each session, in their order. */
  readonly runs: readonly CompactionRun[];
  /** The events of all runs. */
  readonly events: readonly RunEvent[];
  /** The record of the only run, or of all together: the first state that is not `completed`, and metrics combined. */
  readonly record: RunRecord;
  /** What its runs were held against. */
  readonly laws: CheckedLaws;
  /** Whether no run broke a law; `all` is each of them. Throws at a law that no run was held against. */
  holds(law: AnyLawName | 'all'): boolean;
}

/** A session that is ready to be replayed. */
interface Ready {
  readonly input: SessionInput;
  readonly trace: Trace;
  readonly model: ModelProfile;
}

/** What a run came to. */
interface Ran {
  readonly events: readonly RunEvent[];
  readonly messages: readonly ModelMessage[];
  readonly policy: Policy;
  readonly summarizer: string;
}

/** Replays sessions against somebody's own compaction, or a policy, and gives what happened. Throws a `TypeError` at an option that there is not. */
export async function runCompactor(options: RunCompactorOptions): Promise<CompactionResult> {
  checkOptions(options);
  const inputs = readInputs(options);
  const model = options.model === undefined ? undefined : readModel(options.model);
  const count = createCounters();
  const runs: CompactionRun[] = [];
  for (const input of inputs) {
    const profile = modelFor(input, model);
    const trace = compile(input, profile, await count.of(profile.id));
    runs.push(await runOne({ input, trace, model: profile }, options));
  }
  return {
    runs,
    events: runs.flatMap(({ events }) => events),
    record: recordOf(runs),
    laws: lawsFor(options),
    holds: (law) => runs.every((run) => run.holds(law)),
  };
}

function checkOptions(options: RunCompactorOptions): void {
  const { compactor, policy } = expectForm('options', options, optionsForm);
  if ((compactor === undefined) !== (policy === undefined)) return;
  throw badOption("Expected either 'compactor' or 'policy'.");
}

function lawsFor({ compactor }: RunCompactorOptions): CheckedLaws {
  return compactor === undefined ? laws : listLaws;
}

function modelFor({ model: own }: SessionInput, model: ModelProfile | undefined): ModelProfile {
  const profile = model ?? own;
  if (profile !== undefined) return profile;
  throw badOption("Expected 'model' to name a model, got none.");
}

function compile(
  { session, overheadTokens, scale }: SessionInput,
  { id }: ModelProfile,
  count: (text: string) => number,
): Trace {
  return compileSession(session, { ...compileOptionsFor(id, count), overheadTokens, scale });
}

async function runOne(ready: Ready, options: RunCompactorOptions): Promise<CompactionRun> {
  const { seed = 1 } = options;
  const { input, trace, model } = ready;
  const ran = await replay(ready, { ...options, seed });
  const { events, messages, policy, summarizer } = ran;
  const key = { session: trace.session, policy: policy.name, model: model.id, summarizer, seed };
  return toCompactionRun({
    name: trace.session,
    events,
    record: recordRun(key, events, { control: runControl(trace, { model, seed }) }),
    messages,
    facts: input.session.facts ?? [],
    made: { ...key, resolvedPolicy: policy },
    laws: lawsFor(options),
  });
}

async function replay(
  ready: Ready,
  options: RunCompactorOptions & { readonly seed: number },
): Promise<Ran> {
  const { compactor } = options;
  if (compactor !== undefined) return runOwn(ready, compactor, options.seed);
  return runPolicy(ready, options);
}

async function runOwn({ trace, model }: Ready, compactor: Compactor, seed: number): Promise<Ran> {
  const events: RunEvent[] = [];
  let messages: readonly ModelMessage[] = [];
  const onMessages = (sent: readonly ModelMessage[]) => {
    messages = sent;
  };
  const own = { compactor, name: ADAPTER_NAME, model, seed, env: createEnv(seed), onMessages };
  for await (const event of runForeign(trace, own)) events.push(event);
  return { events, messages, policy: ADAPTER_POLICY, summarizer: OWN_SUMMARIES };
}

async function runPolicy(
  { trace, model }: Ready,
  { policy: given = 'none', summarizer: asked = 'extractive', seed = 1 }: RunCompactorOptions,
): Promise<Ran> {
  const policy: Policy = typeof given === 'string' ? named('policy', policies, given) : given;
  const summarizer = typeof asked === 'string' ? findSummarizer(asked) : asked;
  let state: LoopState | undefined;
  const events = await collectRun(trace, {
    policy,
    model,
    summarizer,
    seed,
    onTransition: ({ next }) => {
      state = next.state;
    },
  });
  const messages = state === undefined ? [] : render(viewOf(state), policy.render);
  return { events, messages, policy, summarizer: summarizer.name };
}

function recordOf(runs: readonly CompactionRun[]): RunRecord {
  const records = runs.map(({ record }) => record);
  const [first] = records;
  if (first === undefined) throw new TypeError('Expected at least one run.');
  if (records.length === 1) return first;
  const worst = records.find(({ state }) => state !== 'completed') ?? first;
  const { paybacks: _, ...rest } = worst;
  return {
    ...rest,
    session: `${records.length} sessions`,
    metrics: combine(records.map(({ metrics }) => metrics)),
  };
}
