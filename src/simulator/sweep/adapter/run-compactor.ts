import * as z from 'zod';
import {
  type LawName,
  laws,
  type LoopState,
  type ModelMessage,
  type Move,
  policies,
  type Policy,
  type PolicyName,
  render,
  viewOf,
} from '../../../engine/index.ts';
import { createEnv } from '../../env.ts';
import type { RunEvent } from '../../events.ts';
import { badOption, HarnessError } from '../../lib/errors.ts';
import { callable, expectValid, Tokens } from '../../lib/expect.ts';
import { named } from '../../lib/names.ts';
import { combine } from '../../metrics/metrics.ts';
import { type QualityScore, scoreText } from '../../metrics/quality/score-text.ts';
import { recordRun, type RunRecord } from '../../metrics/record.ts';
import type { ScenarioRunResult } from '../../report/check-report.ts';
import { readCatalog } from '../../provider/catalog.ts';
import { type ModelProfile, overrideFields } from '../../provider/model-profile.ts';
import { type CompileOptions, compileSession } from '../../replay/compile.ts';
import {
  ADAPTER_NAME,
  type Compactor,
  type ListLawName,
  listLaws,
  OWN_SUMMARIES,
} from '../../replay/foreign/compactor.ts';
import { runForeign } from '../../replay/foreign/run-foreign.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { readScenario } from '../../scenario/file/read-scenario.ts';
import { describeValue } from '../../scenario/file/yaml.ts';
import type { ScenarioModel } from '../../scenario/scenario.ts';
import { generateSession } from '../../scenario/workload/generate-session.ts';
import { findWorkload } from '../../scenario/workload/workload.ts';
import { loadSessions } from '../../session/load.ts';
import type { PlantedFact } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import { createCounters } from '../../tokens/tokenizer.ts';
import {
  ADAPTER_POLICY,
  resolveModel,
  resolveRun,
  unaskedSummarizer,
} from '../gate/run-scenario.ts';
import { compileOptionsFor, findBaseline } from '../run/prepare.ts';

/** A law of the engine's policies, or of lists of messages. */
export type AnyLawName = LawName | ListLawName;

/** The laws that runs of a kind are held against, by name. */
export type CheckedLaws = {
  readonly [Name in AnyLawName]?: { readonly says: string };
};

/** One session that was replayed against a compactor or a policy. */
export interface CompactionRun {
  /** Name of the session. */
  readonly name: string;
  readonly events: readonly RunEvent[];
  readonly record: RunRecord;
  /** Messages of the next request. */
  readonly messages: readonly ModelMessage[];
  /** Planted facts of the session; empty unless it was generated. */
  readonly facts: readonly PlantedFact[];
  /** The parts of the run. */
  readonly made: ScenarioRunResult['made'];
  /** Laws that the run was checked against: those of lists for a compactor, the engine's for a policy. */
  readonly laws: CheckedLaws;
  /** Returns true if the law was kept, or every law for `all`. Throws at a law that was not checked. */
  holds(law: AnyLawName | 'all'): boolean;
  /** How much of the session's facts the last conversation still holds; absent where it has none. */
  score(): QualityScore | undefined;
}

type RunFacts = Omit<CompactionRun, 'holds' | 'score'>;

/** The compaction under test, and its sessions. */
export interface RunCompactorOptions extends SessionInputs {
  /** Somebody's own compaction; this or a policy. */
  readonly compactor?: Compactor;
  /** A preset by its name, or a policy of one's own. */
  readonly policy?: PolicyName | Policy;
  /** Answers a policy's summary requests: by name, or one of your own; `extractive` if absent. */
  readonly summarizer?: string | AnySummarizer;
  /** Absent where a scenario names one. */
  readonly model?: ModelInput;
  readonly seed?: number;
}

/** The result of all sessions. */
export interface CompactionResult {
  /** One for each session, in their order. */
  readonly runs: readonly CompactionRun[];
  /** The events of all runs. */
  readonly events: readonly RunEvent[];
  /** The record of the only run, or of all together: the first state that is not `completed`, and metrics combined. */
  readonly record: RunRecord;
  /** Laws that its runs were checked against. */
  readonly laws: CheckedLaws;
  /** Returns true if no run broke the law, or any law for `all`. Throws at a law that no run was checked against. */
  holds(law: AnyLawName | 'all'): boolean;
}

interface SessionInput extends Pick<CompileOptions, 'overheadTokens' | 'scale'> {
  readonly session: Session;
  readonly model?: ModelProfile;
}

/** Where sessions come from; several may be named. */
export interface SessionInputs {
  /** A session, or the path of a file with one or more. */
  readonly session?: Session | string;
  readonly sessions?: readonly (Session | string)[];
  /** The path of a scenario file: the session of its first run, with its model. */
  readonly scenario?: string;
}

/** A model of the catalog by its name, with limits and more of its own, or a profile. */
export type ModelInput = string | ScenarioModel | ModelProfile;

/** How sessions are made up. */
export interface GenerateSessionsOptions {
  /** One of those that `list workloads` names. */
  readonly workload: string;
  readonly count: number;
  readonly seed?: number;
}

/** A misspelt option would be one that was never given; what each may be is said where it is read. */
const OptionsSchema = z.strictObject({
  compactor: callable().optional(),
  policy: z.unknown().optional(),
  summarizer: z.unknown().optional(),
  model: z.unknown().optional(),
  seed: z.unknown().optional(),
  session: z.unknown().optional(),
  sessions: z.array(z.unknown()).optional(),
  scenario: z.string().optional(),
});

/** A limit under another name would be the catalog's. */
const ModelSchema = z.strictObject({
  id: z.string(),
  contextTokens: Tokens.optional(),
  inputTokens: Tokens.optional(),
  outputTokens: Tokens.optional(),
  prices: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
    })
    .optional(),
  ...overrideFields,
});

const GenerateSchema = z.strictObject({
  workload: z.string(),
  count: z.unknown().optional(),
  seed: z.unknown().optional(),
});

/** Replays sessions against somebody's own compaction, or a policy, and gives what happened. Throws a `TypeError` at an option that there is not. */
export async function runCompactor(options: RunCompactorOptions): Promise<CompactionResult> {
  const { compactor, policy } = expectValid('options', options, OptionsSchema);
  if ((compactor === undefined) === (policy === undefined))
    throw badOption("Expected either 'compactor' or 'policy'.");
  const inputs = readInputs(options);
  const model = options.model === undefined ? undefined : readModel(options.model);
  const count = createCounters();
  const runs: CompactionRun[] = [];
  for (const { session, overheadTokens, scale, model: own } of inputs) {
    const profile = model ?? own;
    if (profile === undefined) throw badOption("Expected 'model' to name a model, got none.");
    const compile = compileOptionsFor(profile.id, await count.of(profile.id));
    const trace = compileSession(session, { ...compile, overheadTokens, scale });
    runs.push(await runOne(trace, session.facts ?? [], { ...options, model: profile }));
  }
  return {
    runs,
    events: runs.flatMap(({ events }) => events),
    record: recordOf(runs),
    laws: options.compactor === undefined ? laws : listLaws,
    holds: (law) => runs.every((run) => run.holds(law)),
  };
}

/**
 * Sessions with planted facts, like those of an agent; the same for the same seed. Throws `HarnessError` at a wrong
 * workload, count or seed, and a `TypeError` at an option that there is not.
 */
export function generateSessions(options: GenerateSessionsOptions): readonly Session[] {
  const { workload: name, count, seed = 1 } = expectValid('options', options, GenerateSchema);
  const workload = findWorkload(name);
  if (!(Number.isSafeInteger(count) && count > 0))
    throw badOption(`Expected 'count' to be a whole number above 0, got ${describeValue(count)}.`);
  if (!Number.isSafeInteger(seed))
    throw badOption(`Expected 'seed' to be a whole number, got ${describeValue(seed)}.`);
  return Array.from({ length: count }, (_, index) => generateSession(workload, { seed, index }));
}

export function violationsOf(
  { events, laws }: Pick<RunFacts, 'events' | 'laws'>,
  law: AnyLawName | 'all',
): readonly (RunEvent & { readonly type: 'law-violated' })[] {
  named('law', { all: {}, ...laws }, String(law as unknown));
  return events
    .filter((event) => event.type === 'law-violated')
    .filter((event) => law === 'all' || event.law === law);
}

function readInputs({ session, sessions = [], scenario }: SessionInputs): readonly SessionInput[] {
  const given = session === undefined ? sessions : [session, ...sessions];
  const all = given.flatMap((one) => {
    if (typeof one !== 'string') return [one];
    return [...loadSessions([one])].map((loaded) => {
      if (loaded.state === 'read') return loaded.session;
      throw new HarnessError('NO_INPUT', loaded.reason);
    });
  });
  const found = [
    ...all.map((one) => ({ session: one })),
    ...(scenario === undefined ? [] : [readScenarioSession(scenario)]),
  ];
  if (found.length > 0) return found;
  throw new HarnessError('NO_INPUT', 'Expected a session, sessions or a scenario, got none.');
}

function readScenarioSession(path: string) {
  const { file, runs } = readScenario(path);
  const [first] = runs;
  if (first === undefined) throw new TypeError('Expected a scenario to have a run.');
  const { session, options } = resolveRun(first, file, {
    catalog: readCatalog(),
    findSummarizer: unaskedSummarizer,
  });
  const { overheadTokens, scale } = first.session;
  return { session, model: options.model, overheadTokens, scale };
}

function readModel(model: ModelInput): ModelProfile {
  if (typeof model === 'object' && 'behaviour' in model) return model;
  const named = typeof model === 'string' ? { id: model } : model;
  if (typeof named?.id !== 'string')
    throw badOption(`Expected 'model' to have an id, got ${describeValue(model)}.`);
  return resolveModel(expectValid('options.model', named, ModelSchema), readCatalog());
}

async function runOne(
  trace: Trace,
  facts: readonly PlantedFact[],
  { compactor, model, ...options }: RunCompactorOptions & { readonly model: ModelProfile },
): Promise<CompactionRun> {
  const { seed = 1 } = options;
  const ran = await (compactor === undefined
    ? runPolicy(trace, { ...options, model, seed })
    : runOwn(trace, compactor, { model, seed }));
  const { events, messages, policy, summarizer } = ran;
  const key = { session: trace.session, policy: policy.name, model: model.id, summarizer, seed };
  const run: RunFacts = {
    name: trace.session,
    events,
    record: recordRun(key, events, { baseline: findBaseline(trace, { model, seed }) }),
    messages,
    facts,
    made: { ...key, resolvedPolicy: policy },
    laws: compactor === undefined ? laws : listLaws,
  };
  return {
    ...run,
    holds: (law) => violationsOf(run, law).length === 0,
    score: () => (facts.length === 0 ? undefined : scoreText({ text: listText(messages), facts })),
  };
}

async function runOwn(
  trace: Trace,
  compactor: Compactor,
  { model, seed }: { readonly model: ModelProfile; readonly seed: number },
) {
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
  trace: Trace,
  {
    policy: given = 'none',
    summarizer: asked = 'extractive',
    model,
    seed,
  }: RunCompactorOptions & { readonly model: ModelProfile; readonly seed: number },
) {
  const policy: Policy = typeof given === 'string' ? named('policy', policies, given) : given;
  const summarizer = typeof asked === 'string' ? findSummarizer(asked) : asked;
  let state: LoopState | undefined;
  const onTransition = ({ next }: Move) => {
    state = next.state;
  };
  const events = await collectRun(trace, { policy, model, summarizer, seed, onTransition });
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

function listText(messages: readonly ModelMessage[]) {
  return messages
    .flatMap(({ content }) =>
      content.flatMap((one) => {
        if (one.type === 'tool-call') return [JSON.stringify(one.input)];
        if (one.type === 'tool-result') return [one.output];
        return 'text' in one ? [one.text] : [];
      }),
    )
    .join('\n');
}
