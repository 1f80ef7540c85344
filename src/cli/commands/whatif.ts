import type { Limits } from '../../engine/index.ts';
import { lookUpModel } from '../../simulator/provider/catalog.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunEvent } from '../../simulator/events.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { prepareBounds } from '../../simulator/metrics/fold.ts';
import { missCurve } from '../../simulator/metrics/miss-curve.ts';
import { keyOfRun, recordedKey, recordRun, recordUnrun } from '../../simulator/metrics/record.ts';
import { hasUsage, replayRecorded } from '../../simulator/replay/recorded.ts';
import {
  type AsyncRunOptions,
  collectRun,
  surroundingsOf,
} from '../../simulator/replay/run-trace.ts';
import { countSteps, type Trace } from '../../simulator/replay/trace.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import { watchView } from '../../simulator/report/saved/view-log.ts';
import { plotSawtooth } from '../../simulator/report/sawtooth.ts';
import type {
  CurveResult,
  VariantResult,
  WhatIfReport,
} from '../../simulator/report/whatif-report.ts';
import { whatIfFormats } from '../../simulator/report/whatif.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import type { Session } from '../../simulator/session/session.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import {
  loadCounts,
  type PreparedSession,
  prepareSession,
} from '../../simulator/sweep/run/run-task.ts';
import { noteDropped, withCounters } from '../inputs.ts';
import {
  describeUnasked,
  type ModelOptions,
  printEstimates,
  withSpent,
  modelOptions,
} from '../plan/models.ts';
import {
  parseNames,
  parseTokenList,
  summarizerOption,
  sourceOptions,
  seedOption,
  DEFAULT_MODEL,
  DEFAULT_POLICY,
} from '../plan/options.ts';
import {
  type LivePlan,
  onlyPolicy,
  openRegistry,
  planLive,
  type PlanOptions,
} from '../plan/plan.ts';
import { chooseModel, readSettings, settingIn } from '../plan/settings.ts';
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
  unless,
  reportOptions,
} from '../command.ts';
import { originOf } from '../origin.ts';

/** Which windows and models are to be tried; the model's own window where none is named. */
interface Variants {
  readonly windows: readonly number[];
  readonly models: readonly string[];
}

/** Settings that each variant may have of its own. */
const LIMITS: readonly string[] = ['contextTokens', 'inputTokens', 'outputTokens'];

const EXAMPLES = `
Examples:
  $ compaction-bench whatif session.json --window 16k,32k,64k
  $ compaction-bench whatif session.json --window 64k,128k --out windows.html
  $ compaction-bench whatif session.json --model openai/gpt-5.2,anthropic/claude-sonnet-4-5
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
      `models whose limits and prices apply (default: that of '--config', else ${DEFAULT_MODEL})`,
    ),
    policy: option('--policy <name>', 'preset to replay it under', DEFAULT_POLICY),
    summarizer: summarizerOption(),
    ...sourceOptions(),
    seed: seedOption(),
    curve: flag('--curve', 'losses against the protect window, all windows from one pass'),
    charts: unless('--no-charts', 'leave out the charts below the table'),
    ...reportOptions(whatIfFormats),
    ...anonymousOption(),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ file }, { window, model, policy, ...rest }, { io, openReport }) => {
    const options = { ...rest, policy: [policy] };
    const { charts, curve = false, summarizer } = options;
    const out = openReport(whatIfFormats, 'what-if format');
    const windows = parseTokenList('--window', window);
    const models = parseNames('--model', model, 'names of models');
    const { plans, registry } = planVariants(options, { windows, models }, io.env);
    for (const plan of plans) onlyPolicy(plan);
    const session = loadNamed(file);
    out.checkInputs([file, ...settingFiles(options)]);
    noteDropped(io, [session.report.dropped]);
    const told = new Set(plans.flatMap(({ notes }) => notes));
    printNotes(io, [...told, ...describeUnasked(options, [summarizer])]);
    const variants = await withSpent(registry, io, () => runPlans(session, plans, io));
    if (variants === undefined) return undefined;
    if (options.dryRun) return printEstimates(io, registry, summarizer);
    const report = anonymiserFor(options).copy(toReport(session, plans, variants));
    const hasFailed = variants.some(({ record }) => record.state === 'failed');
    const shown = out.format(report, { charts, curve }, out.terminal);
    return out.finish(shown, hasFailed ? EXIT.failed : EXIT.done);
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
  options: Omit<PlanOptions, 'model'> & ModelOptions,
  { windows, models }: Variants,
  environment: Environment,
): { readonly plans: readonly LivePlan[]; readonly registry: SummarizerRegistry } {
  const given = options.set.find((pair) => settingIn(pair) === 'contextTokens');
  if (given !== undefined && windows.length > 0) {
    throw badOption(`Expected only '--window' to set the window, got ${quoted(given)} too.`);
  }
  const opened = openRegistry(options, environment);
  const { catalog } = opened;
  const plan = (model: string, set: readonly string[]) =>
    planLive({ ...options, model, set }, environment, opened).plan;
  const settings = readSettings(options, environment);
  const named = models.length === 0 ? [chooseModel(undefined, { settings, catalog })] : models;
  const plans = named.flatMap((model) => {
    if (windows.length === 0) return [plan(model, options.set)];
    return windows.map((window) =>
      plan(model, [
        ...options.set,
        ...limitPairs(options.set, lookUpModel(catalog, model)?.limits, window),
      ]),
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
  const modelIds = new Set(plans.map(({ model }) => model.id));
  return await withCounters(io, async (counters) => {
    const variants: VariantResult[] = [];
    const prepared = prepareSession(session, await loadCounts(counters, modelIds));
    const shared = { session: session.name, prepared };
    for (const plan of inTurn(plans, ({ model }) => model.id, io)) {
      const policy = onlyPolicy(plan);
      const options = { policy, ...surroundingsOf(plan), signal: io.signal };
      variants.push(await runVariant(shared, options));
      if (await isStopped(io)) return undefined;
    }
    return [...variants, ...recordedVariants(prepared, plans)];
  });
}

/** The session as it was recorded, at the list prices of each model; nothing where no usage is recorded. */
function recordedVariants(
  prepared: PreparedSession,
  plans: readonly LivePlan[],
): readonly VariantResult[] {
  const byModel = new Map(plans.toReversed().map((plan) => [plan.model.id, plan]));
  return [...byModel.values()].toReversed().flatMap((plan) => {
    const { model } = plan;
    const ready = prepared.against(model);
    if (ready.state === 'failed' || !hasUsage(ready.trace)) return [];
    const { trace, baseline } = ready;
    const events = [...replayRecorded(trace, plan)];
    const record = recordRun(recordedKey({ session: trace.session }, plan), events, { baseline });
    const told = { plot: plotSawtooth(events), events };
    return [{ isRecorded: true, model: model.id, limits: model.limits, record, ...told }];
  });
}

/** One session under one window of one model. Its variants share what does not depend on that. */
async function runVariant(
  { session, prepared: shared }: { readonly session: string; readonly prepared: PreparedSession },
  options: AsyncRunOptions,
): Promise<VariantResult> {
  const { model } = options;
  const key = keyOfRun({ session }, options);
  const prepared = shared.against(model);
  if (prepared.state === 'failed') {
    const record = recordUnrun(key, 'failed', prepared.reason);
    return { model: model.id, limits: model.limits, record, plot: plotSawtooth([]), events: [] };
  }
  const { trace, baseline } = prepared;
  const watch = watchView(trace, { render: options.policy.render, hasTexts: false });
  const events = await collectRun(trace, { ...options, onTransition: watch.onTransition });
  const record = recordRun(key, events, { baseline, runBounds: prepareBounds(trace, options) });
  const curve = curveOf(trace, options, events);
  const told = { plot: plotSawtooth(events), events, view: watch.tell(events) };
  return { model: model.id, limits: model.limits, record, ...told, ...(curve && { curve }) };
}

/**
 * Nothing of a closed loop, which puts outputs in between, nor of a run whose later pivots nobody knows, or in which
 * messages went without a prune or a pivot.
 */
function curveOf(
  trace: Trace,
  { policy, mode }: AsyncRunOptions,
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
    policy: plan?.policies[0]?.name ?? '',
    summarizer: plan?.summarizer.name ?? '',
    seed: plan?.seed ?? 0,
    mode: plan?.mode ?? 'open-loop',
    origin: {
      ...(plan ? originOf(plan.catalog, models, Object.fromEntries(common)) : { settings: {} }),
      recorded: countRecordedModels([{ recordedModel }]),
    },
    variants,
  };
}
