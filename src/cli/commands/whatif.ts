import type { Limits } from '../../engine/index.ts';
import { lookUpModel } from '../../simulator/provider/catalog.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunEvent } from '../../simulator/events.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { missCurve } from '../../simulator/metrics/miss-curve.ts';
import { recordUnrun, type RunKey } from '../../simulator/metrics/record.ts';
import type { ModelProfile } from '../../simulator/provider/model-profile.ts';
import { ADAPTER_NAME, OWN_SUMMARIES } from '../../simulator/replay/foreign/compactor.ts';
import { hasUsage, RECORDED, recordedArm } from '../../simulator/replay/recorded.ts';
import { type AsyncRunOptions, surroundingsOf } from '../../simulator/replay/run-trace.ts';
import { countSteps, type Trace } from '../../simulator/replay/trace.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import { watchView } from '../../simulator/report/saved/view-log.ts';
import { plotSawtooth } from '../../simulator/report/sawtooth.ts';
import { verdictLines } from '../../simulator/report/verdict-lines.ts';
import {
  concludeVariants,
  type CurveResult,
  type VariantResult,
  type WhatIfReport,
} from '../../simulator/report/whatif-report.ts';
import { whatIfFormats } from '../../simulator/report/whatif.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import type { Session } from '../../simulator/session/session.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import { contentFor } from '../../simulator/summarizer/summarizers.ts';
import {
  loadCounts,
  type PreparedSession,
  prepareSession,
} from '../../simulator/sweep/run/run-task.ts';
import { isPolicy } from '../../simulator/sweep/grid.ts';
import {
  type ArmOptions,
  keyOfArm,
  runArm,
  type RunnableArm,
} from '../../simulator/sweep/run/run-arm.ts';
import { noteDropped, withCounters } from '../inputs.ts';
import { adapterOptions, checkInPlaceOfPolicy, toAdapterArm } from '../plan/adapter.ts';
import { printEstimates, reachModels, withSpent, modelOptions } from '../plan/models.ts';
import {
  parseNames,
  parseTokenList,
  summarizerOption,
  sourceOptions,
  seedOption,
  MODEL_BY_DEFAULT,
  POLICY_BY_DEFAULT,
} from '../plan/options.ts';
import { openRegistry } from '../plan/live.ts';
import {
  type LivePlan,
  makePlan,
  meetPlan,
  onlyPolicy,
  type PlanOptions,
  toRun,
} from '../plan/plan.ts';
import { type Defaults, readDefaults, recordedOf } from '../plan/defaults.ts';
import { settingIn } from '../plan/settings.ts';
import { type CliIo, EXIT, isStopped } from '../process/io.ts';
import { printNotes, settingFiles } from '../process/output.ts';
import { inTurn } from '../process/progress.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  repeated,
  option,
  flag,
  detailsOption,
  reportOptions,
} from '../command.ts';
import { originOf } from '../origin.ts';

/** Which windows and models are to be tried; the model's own window where none is named. */
interface Variants {
  readonly windows: readonly number[];
  readonly models: readonly string[];
  readonly defaults: Defaults;
}

/** Settings that each variant may have of its own. */
const LIMITS: readonly string[] = ['contextTokens', 'inputTokens', 'outputTokens'];

const EXAMPLES = `
Examples:
  $ compaction-bench whatif session.json --window 16k,32k,64k
  $ compaction-bench whatif session.json --window 64k,128k --out windows.html
  $ compaction-bench whatif session.json --model openai/gpt-5.2,anthropic/claude-sonnet-4-5
  $ compaction-bench whatif session.json --adapter 'python3 compact.py' --window 64k,128k
  $ compaction-bench whatif chats.jsonl#1 --window 32k --set protect=10000 --format json`;

const LIMIT_NAMES = ['inputTokens', 'outputTokens'] as const;

/** Replays one session under other windows and models. */
export const whatIfCommand = defineCommand({
  name: 'whatif',
  describe: 'Replay one session under other windows or models, side by side.',
  arguments: { '<file>': 'a session; path#index where a file holds several' },
  options: {
    window: repeated(
      '--window <tokens,...>',
      "windows such as 16k; caps on input and output shrink with it (default: the model's own)",
    ),
    model: repeated(
      '--model <provider/id,...>',
      `models whose limits and prices apply (default: ${MODEL_BY_DEFAULT})`,
    ),
    policy: option('--policy <name>', `preset to replay it under (default: ${POLICY_BY_DEFAULT})`),
    ...adapterOptions,
    summarizer: summarizerOption(),
    ...sourceOptions(),
    seed: seedOption(),
    curve: flag('--curve', 'losses against the protect window, all windows from one pass'),
    chart: flag(
      '--chart',
      'draw the size of the context over the steps of each run, below the table',
    ),
    ...detailsOption(),
    ...reportOptions(whatIfFormats),
    ...anonymousOption(),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ file }, { window, model, policy, ...rest }, { io, given, openReport }) => {
    checkInPlaceOfPolicy(given);
    const { chart = false, curve = false, summarizer } = rest;
    const out = openReport(whatIfFormats, 'what-if format');
    const windows = parseTokenList('--window', window);
    const models = parseNames('--model', model, 'names of models');
    const session = loadNamed(file);
    // An adapter stands in the place of the policy.
    const named = { ...rest, model, policy: policy ?? rest.adapter };
    const defaults = readDefaults(named, [recordedOf(session)], io.env);
    const options = { ...rest, policy };
    const variants = { windows, models, defaults };
    const { plans, registry } = planVariants(options, variants, io.env);
    for (const plan of plans) onlyPolicy(plan);
    await reachModels({ registry, names: [summarizer] }, io);
    out.checkInputs([file, ...settingFiles(options)]);
    noteDropped(io, [session.report.dropped]);
    const told = new Set(plans.flatMap(({ notes }) => notes));
    printNotes(io, [...told]);
    const results = await withSpent(registry, io, () => runPlans(session, plans, io));
    if (results === undefined) return undefined;
    if (options.dryRun) return printEstimates(io, registry, summarizer);
    const report = anonymiserFor(options).copy(toReport(session, plans, results));
    const hasFailed = results.some(({ record }) => record.state === 'failed');
    const shown = out.format(report, { charts: chart, curve }, out.terminal);
    const verdict = verdictLines(concludeVariants(report));
    return out.finish(shown, hasFailed ? EXIT.failed : EXIT.done, verdict);
  },
});

/**
 * A model's limits as they are with another window. In a smaller one the caps on input and output shrink with
 * it: a window of 16,000 tokens with an answer of 64,000 is no model at all. In a larger one they stay.
 */
export function scaleLimits(limits: Limits, contextTokens: number): Limits {
  const share = limits.contextTokens === 0 ? 1 : contextTokens / limits.contextTokens;
  // A limit of 0 would be none.
  const scaled = (tokens: number) => (share < 1 ? Math.max(1, Math.floor(tokens * share)) : tokens);
  const { inputTokens, outputTokens } = limits;
  return {
    contextTokens,
    ...(inputTokens !== undefined && { inputTokens: scaled(inputTokens) }),
    ...(outputTokens !== undefined && { outputTokens: scaled(outputTokens) }),
  };
}

/** A plan for each window of each model, in that order. */
function planVariants(
  options: Omit<PlanOptions, 'model'>,
  { windows, models, defaults }: Variants,
  environment: Environment,
): { readonly plans: readonly LivePlan[]; readonly registry: SummarizerRegistry } {
  const given = options.set.find((pair) => settingIn(pair) === 'contextTokens');
  if (given !== undefined && windows.length > 0) {
    throw badOption(`Expected only '--window' to set the window, got ${quoted(given)} too.`);
  }
  const opened = openRegistry(options, environment);
  const { catalog } = opened;
  const plan = (model: string | undefined, set: readonly string[]) =>
    toRun(makePlan({ ...options, model, set }, environment, { defaults, opened }));
  const limitsOf = (model: string | undefined) =>
    model === undefined ? defaults.usual?.limits : lookUpModel(catalog, model)?.limits;
  const plans = (models.length === 0 ? [undefined] : models).flatMap((model) => {
    if (windows.length === 0) return [plan(model, options.set)];
    return windows.map((window) =>
      plan(model, [...options.set, ...limitPairs(options.set, limitsOf(model), window)]),
    );
  });
  return { plans, registry: opened.registry };
}

/** A window with the caps that go with it, but for those that somebody has set. */
function limitPairs(
  set: readonly string[],
  declared: Limits | undefined,
  window: number,
): readonly string[] {
  const scaled = scaleLimits(declared ?? { contextTokens: 0 }, window);
  const own = new Set(set.map(settingIn));
  const caps = LIMIT_NAMES.flatMap((name) => {
    const tokens = scaled[name];
    return tokens === undefined || own.has(name) ? [] : [`${name}=${tokens}`];
  });
  return [`contextTokens=${window}`, ...caps];
}

/** `undefined` if the user wanted to stop. */
async function runPlans(
  session: Session,
  plans: readonly LivePlan[],
  io: CliIo,
): Promise<readonly VariantResult[] | undefined> {
  const met = plans.map((plan) => meetPlan(plan, session).plan);
  const modelIds = new Set(met.map(({ model }) => model.id));
  return await withCounters(io, async (counters) => {
    const variants: VariantResult[] = [];
    const prepared = prepareSession(session, await loadCounts(counters, modelIds));
    const shared = { session: session.name, prepared };
    const run = (plan: LivePlan, arm: RunnableArm) =>
      runVariant(shared, { arm, ...surroundingsOf(plan), signal: io.signal });
    for (const plan of inTurn(met, ({ model }) => model.id, io)) {
      variants.push(await run(plan, toAdapterArm(plan.adapter, io) ?? onlyPolicy(plan)));
      if (await isStopped(io)) return undefined;
    }
    const told = plansRecorded(prepared, met).map((plan) => run(plan, recordedArm));
    return [...variants, ...(await Promise.all(told))];
  });
}

/** A plan for each model at whose list prices the recording is told; none where no usage is recorded. */
function plansRecorded(prepared: PreparedSession, plans: readonly LivePlan[]): readonly LivePlan[] {
  const byModel = new Map(plans.toReversed().map((plan) => [plan.model.id, plan]));
  return [...byModel.values()].toReversed().filter(({ model }) => {
    const ready = prepared.against({ model }, 'texts');
    return ready.state === 'ready' && hasUsage(ready.trace);
  });
}

/** One session under one window of one model. Its variants share what does not depend on that. */
async function runVariant(
  { session, prepared: shared }: { readonly session: string; readonly prepared: PreparedSession },
  options: ArmOptions,
): Promise<VariantResult> {
  const { arm, model } = options;
  const { id, limits } = model;
  const key = keyOfArm({ session }, options);
  const prepared = shared.against(
    options,
    isPolicy(arm) ? contentFor(options.summarizer.name) : 'texts',
  );
  if (prepared.state === 'failed') return breakOff(model, key, prepared.reason);
  const { trace } = prepared;
  const watch = isPolicy(arm)
    ? watchView(trace, { render: arm.render, hasTexts: false })
    : undefined;
  const run = { ...options, ...(watch && { onTransition: watch.onTransition }) };
  try {
    const { events, record } = await runArm(prepared, key, run);
    const curve = isPolicy(arm) ? curveOf(trace, { ...options, policy: arm }, events) : undefined;
    return {
      ...(arm.name === RECORDED && { isRecorded: true }),
      model: id,
      limits,
      record,
      plot: plotSawtooth(events),
      events,
      ...(watch && { view: watch.tell(events) }),
      ...(curve && { curve }),
    };
  } catch (error) {
    if (isPolicy(arm) || !(error instanceof HarnessError)) throw error;
    return breakOff(model, key, error.message);
  }
}

/** A variant that has come to nothing. */
function breakOff({ id, limits }: ModelProfile, key: RunKey, reason: string): VariantResult {
  const record = recordUnrun(key, 'failed', reason);
  return { model: id, limits, record, plot: plotSawtooth([]), events: [] };
}

/**
 * Nothing of a closed loop, which puts outputs in between, nor of a run whose later pivots nobody knows, or in which
 * messages went without a prune or a pivot.
 */
function curveOf(
  trace: Trace,
  { policy, mode }: Pick<AsyncRunOptions, 'policy' | 'mode'>,
  events: readonly RunEvent[],
): CurveResult | undefined {
  if (mode === 'closed-loop' || lastStepOf(events) < countSteps(trace)) return undefined;
  const hasSlid = events.some(
    (event) => event.type === 'eviction' && event.by !== 'prune' && event.by !== 'pivot',
  );
  if (hasSlid) return undefined;
  const curve = missCurve(trace, { policy, events });
  return curve && { ...curve, minimumTokens: policy.prune.byAge.minimumTokens };
}

function lastStepOf(events: readonly RunEvent[]): number {
  return events.findLast((event) => event.type === 'step-end')?.step ?? 0;
}

function toReport(
  { name, model: recordedModel }: Session,
  plans: readonly LivePlan[],
  variants: readonly VariantResult[],
): WhatIfReport {
  const [plan] = plans;
  const models = [...new Set(plans.map(({ model }) => model.id))];
  const inForce = Object.entries(plan?.settings.values ?? {});
  const common = inForce.filter(([setting]) => !LIMITS.includes(setting));
  return {
    session: name,
    policy: (plan?.adapter ? ADAPTER_NAME : plan?.policies[0]?.name) ?? '',
    summarizer: (plan?.adapter ? OWN_SUMMARIES : plan?.summarizer.name) ?? '',
    seed: plan?.seed ?? 0,
    mode: plan?.mode ?? 'open-loop',
    origin: {
      ...(plan ? originOf(plan.catalog, models, Object.fromEntries(common)) : { settings: {} }),
      recorded: countRecordedModels([{ recordedModel }], plan?.onSetup),
    },
    variants,
  };
}
