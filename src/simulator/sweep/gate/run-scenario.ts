import {
  policies,
  type Policy,
  type LoopState,
  type Message,
  render,
  type RenderPolicy,
  type SummaryRequest,
  viewOf,
} from '../../../engine/index.ts';
import { keepIn, known, perKey } from '../../lib/collections.ts';
import type { RunEvent } from '../../events.ts';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import { named } from '../../lib/names.ts';
import { prepareBounds } from '../../metrics/fold.ts';
import { metrics, type MetricValues, UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import { endingOf, recordRun, type RunRecord } from '../../metrics/record.ts';
import { type Catalog, findModel, findModelWithWindow } from '../../provider/catalog.ts';
import { type ModelProfile, overrideProfile } from '../../provider/model-profile.ts';
import { toPrices } from '../../provider/prices.ts';
import { compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import { type AsyncRunOptions, collectInto } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type {
  Bill,
  BillReference,
  ScenarioResult,
  ScenarioRunResult,
} from '../../report/check-report.ts';
import type { Place, Placed } from '../../scenario/file/amounts.ts';
import { badScenario } from '../../scenario/file/yaml.ts';
import {
  type Scenario,
  type ScenarioModel,
  type ScenarioRun,
  type Tier,
  tierOf,
  TIERS,
} from '../../scenario/scenario.ts';
import { applySettings, withSummaries } from '../../scenario/settings.ts';
import { loadNamed } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import { findSummarizer as findWithoutModel } from '../../summarizer/summarizers.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';
import { compileOptionsFor, type Prepared, prepareRuns } from '../run/prepare.ts';
import { findUnmet, type Observation } from './expectations.ts';
import { parseArm, recordingArm, settleArm } from '../../scenario/arms.ts';
import { collectAdapter, keyOfArm, runArm } from '../run/row.ts';
import { ADAPTER_NAME, OWN_SUMMARIES } from '../../replay/foreign/compactor.ts';
import type { OpenCompactor } from '../adapter/command-compactor.ts';

interface BilledRun {
  readonly prepared: Extract<Prepared, { readonly state: 'ready' }>;
  readonly options: AsyncRunOptions;
  readonly events: readonly RunEvent[];
  readonly metrics: MetricValues;
  readonly others?: readonly Policy[];
}

export type FindBill = (run: BilledRun) => Promise<Bill>;

export interface CheckEnvironment {
  readonly catalog: Catalog;
  readonly countOf: (modelId: string) => Promise<CountText>;
  readonly findSummarizer?: (name: string) => AnySummarizer;
  /** Runs of other tiers are left out; all are made where absent. */
  readonly tiers?: readonly Tier[];
  readonly hasBills?: boolean;
}

type ResolvedRun = ReturnType<typeof resolveRun>;

/** Stands for what an adapter does, which nobody knows; it sends what it is given. */
export const ADAPTER_POLICY: Policy = { ...policies.none, name: ADAPTER_NAME };

/** Holds every run of a scenario against what its file expects. */
export async function runScenario(
  { file, name, runs: all }: Scenario,
  environment: CheckEnvironment,
): Promise<ScenarioResult> {
  const { tiers = TIERS } = environment;
  const isAsked = ({ summarizer }: ScenarioRun) => tiers.includes(tierOf(summarizer.value));
  const leftOut = all.filter((run) => !isAsked(run)).map((run) => run.name);
  const runs = all.filter(isAsked).map((run) => resolveRun(run, file, environment));
  const result = await runEach({ file, name, runs }, environment, checkRun);
  return { ...result, ...(leftOut.length > 0 && { leftOut }) };
}

export async function runOnAdapter(
  { file, name, runs }: Scenario,
  environment: CheckEnvironment,
  open: () => OpenCompactor,
): Promise<ScenarioResult> {
  const names = { catalog: environment.catalog, findSummarizer: unaskedSummarizer };
  const resolved = distinct(runs.map((run) => resolveRun(run, file, names)));
  return runEach({ file, name, runs: resolved }, environment, (run, prepared, findBill) =>
    runAgainst(run, prepared, { open, findBill }),
  );
}

export function createPrepare() {
  const prepared = perKey<Session, Map<string, Prepared>>(() => new Map());
  const traces = perKey<Session, Map<string, Trace>>(() => new Map());
  return ({ session, run, options }: ResolvedRun, count: CountText): Prepared => {
    const { overheadTokens, scale } = run.session;
    const { model, summaryModel, faults, seed } = options;
    const tokens = JSON.stringify([tokenizerOf(model.id).name, overheadTokens, scale]);
    const key = JSON.stringify([tokens, model, summaryModel, faults, seed]);
    const compile = { ...compileOptionsFor(model.id, count), overheadTokens, scale };
    const compiled = () => keepIn(traces(session), tokens, () => compileSession(session, compile));
    // The same befalls the baseline, so that the two differ by what the policy does.
    return keepIn(prepared(session), key, () => prepareRuns(compiled, options));
  };
}

/** A summarizer that is never asked, and needs no key. */
export function unaskedSummarizer() {
  return findWithoutModel('extractive');
}

/** Looks up everything that a run names; an error has the place of what is wrong. */
export function resolveRun(
  run: ScenarioRun,
  file: string,
  {
    catalog,
    findSummarizer = findWithoutModel,
  }: Pick<CheckEnvironment, 'catalog' | 'findSummarizer'>,
) {
  const at = <Value, Result>(placed: Placed<Value>, use: (value: Value) => Result) =>
    located(file, placed.at, () => use(placed.value));
  for (const { metric, at: place } of run.expect.metrics)
    located(file, place, () => named('metric', metrics, metric));
  const toModel = (model: ScenarioModel) => resolveModel(model, catalog);
  const model = at(run.model, toModel);
  const summaryModel = run.summaryModel && at(run.summaryModel, toModel);
  const find = (id: string) => (id === summaryModel?.id ? summaryModel : findModel(catalog, id));
  at(run.model, () => {
    // A model that a run switches to is found before the run begins.
    for (const fault of run.faults) {
      if (fault.on === 'model' && fault.model !== model.id) find(fault.model);
    }
  });
  const { preset, set } = run.policy;
  const { policy } = applySettings({ policy: policies[preset], limits: model.limits }, set);
  return {
    run,
    session: run.session.type === 'built' ? run.session.session : at(run.session.path, loadNamed),
    options: {
      policy: withSummaries(policy, { summaryModel: summaryModel?.id }),
      model,
      ...(summaryModel && { summaryModel }),
      summarizer: at(run.summarizer, findSummarizer),
      seed: run.seed,
      faults: run.faults,
      findModel: find,
    },
  };
}

export function resolveModel(model: ScenarioModel, catalog: Catalog) {
  const { id, contextTokens, inputTokens, outputTokens, prices, ...overrides } = model;
  const base = findModelWithWindow(catalog, id, contextTokens);
  const limits = { ...base.limits, ...known({ contextTokens, inputTokens, outputTokens }) };
  const profile = overrideProfile(base, limits, overrides);
  if (prices === undefined) return profile;
  const { cacheRead, cacheWrite, ...rest } = prices;
  const cached = known({ cache_read: cacheRead, cache_write: cacheWrite });
  return { ...profile, prices: toPrices({ ...rest, ...cached }) };
}

/** The first step whose request no longer began as the cache did. */
export function firstBreakOf(events: readonly RunEvent[]): number | undefined {
  const steps = events.filter((event) => event.type === 'step-end');
  return steps.find(({ lostTokens }) => Boolean(lostTokens))?.step;
}

export function nextStep(events: readonly RunEvent[]) {
  return events.filter(({ type }) => type === 'step-end').length + 1;
}

async function runEach(
  { file, name, runs }: { file: string; name: string; runs: readonly ResolvedRun[] },
  { countOf, hasBills }: CheckEnvironment,
  runOne: (run: ResolvedRun, on: Prepared, findBill?: FindBill) => Promise<ScenarioRunResult>,
) {
  const prepare = createPrepare();
  const findBill = hasBills ? createBills() : undefined;
  const results: ScenarioRunResult[] = [];
  for (const run of runs) {
    const count = await countOf(run.options.model.id);
    results.push(await runOne(run, prepare(run, count), findBill));
  }
  const passed = results.every(({ failures }) => failures.length === 0);
  return { file, name, runs: results, passed };
}

async function checkRun(resolved: ResolvedRun, prepared: Prepared, findBill?: FindBill) {
  const { run, session, options } = resolved;
  const { policy: resolvedPolicy, model, summarizer, seed } = options;
  const key = { policy: resolvedPolicy.name, model: model.id, summarizer: summarizer.name, seed };
  const made = { session: session.name, ...key, resolvedPolicy };
  const about = { name: run.name, at: run.at, policy: run.policy.preset, made };
  const breakOff = (reason: string, events: readonly RunEvent[]): ScenarioRunResult => ({
    ...about,
    state: 'failed',
    reason,
    failures: [{ ...run.expect.state.at, expected: 'a run that ends', got: reason }],
    metrics: UNKNOWN_METRICS,
    events,
  });
  if (prepared.state === 'failed') return breakOff(prepared.reason, []);
  const observation = await observe(prepared.trace, options);
  const { events, broken } = observation;
  if (broken !== undefined) return breakOff(broken, events);
  const record = recordRun(made, events, {
    baseline: prepared.baseline,
    trace: prepared.trace,
    runBounds: prepareBounds(prepared.trace, options),
  });
  const ending = endingOf(record);
  const failures = findUnmet(run.expect, ending, observation);
  const bill = await findBill?.({ prepared, options, events, metrics: record.metrics });
  return { ...about, ...ending, failures, events, ...(bill && { bill }) };
}

function located<Result>(file: string, at: Place, use: () => Result) {
  try {
    return use();
  } catch (error) {
    if (error instanceof HarnessError)
      throw badScenario([{ file, at, message: error.message }], error);
    throw error;
  }
}

function createBills(): FindBill {
  const found = perKey<Trace, Map<string, Promise<BillReference>>>(() => new Map());
  const referenceTo = (policy: Policy, { prepared, options }: BilledRun) => {
    const { model, summaryModel, seed, faults = [], findModel } = options;
    const about = { model, summaryModel, seed, faults };
    // The summarizer of the run may be a real model, which nobody asks for a comparison.
    const summarizer = unaskedSummarizer();
    const run = { ...about, arm: policy, summarizer, isBlind: true, ...known({ findModel }) };
    const key = keyOfArm({ session: prepared.trace.session }, run);
    return keepIn(found(prepared.trace), JSON.stringify([policy, about]), async () =>
      toReference((await runArm(prepared, key, run)).record),
    );
  };
  return async (run) => {
    const { events, metrics, others = [] } = run;
    const against: BillReference[] = [];
    for (const policy of [policies.none, ...others]) against.push(await referenceTo(policy, run));
    const step = firstBreakOf(events);
    return {
      compactions: metrics.compactions ?? 0,
      ineffectiveCompactions: metrics.ineffectiveCompactions ?? 0,
      costUsd: metrics.costUsd,
      summariesUsd: metrics.costSummariesUsd,
      inputTokens: metrics.inputTokens ?? 0,
      cacheBreaks: metrics.prefixBreaks ?? 0,
      ...(step !== undefined && { firstCacheBreak: { step } }),
      sessions: 1,
      against,
    };
  };
}

function toReference({ policy, state, impossible, metrics }: RunRecord) {
  const isWhole = state === 'completed' && impossible === undefined;
  return {
    policy,
    ...(impossible !== undefined && { impossibleSessions: 1 }),
    costUsd: isWhole ? metrics.costUsd : null,
    inputTokens: isWhole ? metrics.inputTokens : null,
  };
}

async function runAgainst(
  run: ResolvedRun,
  prepared: Prepared,
  {
    open,
    findBill,
  }: { readonly open: () => OpenCompactor; readonly findBill?: FindBill | undefined },
) {
  const breakOff = (reason: string, events: readonly RunEvent[]) =>
    toResult(run, events, { state: 'failed', reason, metrics: UNKNOWN_METRICS });
  if (prepared.state === 'failed') return breakOff(prepared.reason, []);
  const { session, options } = run;
  const events: RunEvent[] = [];
  try {
    await collectAdapter(events, prepared.trace, { ...options, arm: { open } });
  } catch (error) {
    if (error instanceof HarnessError) return breakOff(error.message, events);
    throw error;
  }
  const ending = endingOf(recordRun(keyOfAdapter(run), events, { baseline: prepared.baseline }));
  // Other policies meet what an adapter meets.
  const met = { ...options, faults: faultsMet(run) };
  const others = [usualPolicy(session, options.model)];
  const { metrics } = ending;
  const bill = await findBill?.({ prepared, options: met, events, metrics, others });
  return { ...toResult(run, events, ending), ...(bill && { bill }) };
}

function faultsMet({ options: { faults } }: ResolvedRun) {
  return faults.filter(({ on }) => on === 'step' || on === 'usage');
}

/** Runs that differ in what an adapter does not see are one. */
function distinct(runs: readonly ResolvedRun[]) {
  const byKey = new Map<string, ResolvedRun>();
  for (const run of runs) {
    const { session, options } = run;
    const { overheadTokens, scale } = run.run.session;
    const seen = [session, [overheadTokens, scale], options.model, faultsMet(run), options.seed];
    const key = JSON.stringify(seen);
    if (!byKey.has(key)) byKey.set(key, run);
  }
  return [...byKey.values()];
}

function toResult(
  resolved: ResolvedRun,
  events: readonly RunEvent[],
  ending: Pick<ScenarioRunResult, 'state' | 'reason' | 'metrics' | 'findings'>,
) {
  const { name, expect } = resolved.run;
  const { state, reason } = ending;
  const expected = 'the adapter to complete the run and keep all laws';
  const first = events.findIndex(({ type }) => type === 'law-violated');
  const step = nextStep(first === -1 ? events : events.slice(0, first));
  const place = `${state} at step ${step}`;
  const got = reason === undefined ? place : `${place} (${reason})`;
  return {
    name,
    policy: ADAPTER_NAME,
    ...ending,
    failures: state === 'completed' ? [] : [{ ...expect.state.at, expected, got }],
    events,
    made: { ...keyOfAdapter(resolved), resolvedPolicy: ADAPTER_POLICY },
  };
}

function keyOfAdapter({ session, options: { model, seed } }: ResolvedRun) {
  const made = { policy: ADAPTER_NAME, model: model.id, summarizer: OWN_SUMMARIES, seed };
  return { session: session.name, ...made };
}

function usualPolicy({ format }: Pick<Session, 'format'>, { limits }: ModelProfile) {
  return settleArm(recordingArm({ format }) ?? parseArm('opencode'), { limits });
}

async function observe(trace: Trace, options: AsyncRunOptions) {
  const { render: form } = options.policy;
  const events: RunEvent[] = [];
  const requests: SummaryRequest[] = [];
  let state: LoopState | undefined;
  const observation: Observation = {
    events,
    seen: () => (state === undefined ? [] : textsOf(viewOf(state), form)),
    summaryTexts: () =>
      requests.map(({ system, messages, prompt }) => [system, ...textsOf(messages, form), prompt]),
  };
  try {
    await collectInto(events, trace, {
      ...options,
      onTransition: ({ next }) => {
        state = next.state;
        for (const command of next.commands) {
          if (command.type === 'summarise') requests.push(command.request);
        }
      },
    });
    return observation;
  } catch (error) {
    return { ...observation, broken: messageOf(error) };
  }
}

function textsOf(messages: readonly Message[], form: RenderPolicy) {
  return render(messages, form).flatMap(({ content }) =>
    content.flatMap((one) => {
      if (one.type === 'tool-call') return [one.tool, JSON.stringify(one.input) ?? ''];
      if (one.type === 'tool-result') return [one.output];
      return one.type === 'file' ? (one.filename ?? []) : [one.text];
    }),
  );
}
