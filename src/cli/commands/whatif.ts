import type { Limits } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunEvent } from '../../simulator/events.ts';
import { known } from '../../simulator/lib/collections.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { missCurve } from '../../simulator/metrics/miss-curve.ts';
import { recordUnrun, type RunRecord } from '../../simulator/metrics/record.ts';
import { lookUpModel } from '../../simulator/provider/catalog.ts';
import type { ModelProfile } from '../../simulator/provider/model-profile.ts';
import { ADAPTER_NAME, OWN_SUMMARIES } from '../../simulator/replay/foreign/compactor.ts';
import { hasUsage, RECORDED, recordedArm } from '../../simulator/replay/recorded.ts';
import { surroundingsOf } from '../../simulator/replay/run-trace.ts';
import { countSteps, type Trace } from '../../simulator/replay/trace.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import type { RunView } from '../../simulator/report/plots.ts';
import { verdictLines } from '../../simulator/report/verdict-lines.ts';
import {
  concludeVariants,
  sawtoothOf,
  toCurve,
  type Variant,
  WHAT_IF_VERSION,
  whatIfFormats,
} from '../../simulator/report/whatif.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import type { Session } from '../../simulator/session/session.ts';
import { contentFor } from '../../simulator/summarizer/summarizers.ts';
import { isPolicy } from '../../simulator/sweep/grid.ts';
import {
  loadCounts,
  type PreparedSession,
  prepareSession,
} from '../../simulator/sweep/run/prepare.ts';
import {
  type ArmOptions,
  keyOfArm,
  runArm,
  type RunnableArm,
} from '../../simulator/sweep/run/row.ts';
import { createCounters } from '../../simulator/tokens/counters.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  flag,
  option,
  repeated,
  reportOptions,
} from '../command.ts';
import { noteDropped } from '../inputs.ts';
import { originOf } from '../package.ts';
import { adapterOptions, checkInPlaceOfPolicy, toAdapterArm } from '../plan/adapter.ts';
import { type Defaults, readDefaults, recordedOf } from '../plan/defaults.ts';
import { openRegistry, type OpenRegistry } from '../plan/live.ts';
import { modelOptions, printEstimates, reachModels, withSpent } from '../plan/models.ts';
import {
  MODEL_BY_DEFAULT,
  parseNames,
  parseTokenList,
  POLICY_BY_DEFAULT,
  seedOption,
  sourceOptions,
  summarizerOption,
} from '../plan/options.ts';
import {
  type LivePlan,
  makePlan,
  meetPlan,
  onlyPolicy,
  type PlanOptions,
  toRun,
} from '../plan/plan.ts';
import { settingIn } from '../plan/settings.ts';
import { type CliIo, EXIT, isStopped, printNotes, settingFiles } from '../process/io.ts';
import { inTurn } from '../process/progress.ts';

interface VariantRun {
  readonly variant: Variant;
  readonly isRecorded: boolean;
  readonly events: readonly RunEvent[];
  readonly view?: RunView | undefined;
}

const LIMITS: readonly string[] = ['contextTokens', 'inputTokens', 'outputTokens'];
const CAPS = ['inputTokens', 'outputTokens'] as const;

const EXAMPLES = `
Examples:
  $ compaction-bench whatif session.json --window 16k,32k,64k
  $ compaction-bench whatif session.json --window 64k,128k --out windows.html
  $ compaction-bench whatif session.json --model openai/gpt-5.2,anthropic/claude-sonnet-4-5
  $ compaction-bench whatif session.json --adapter 'python3 compact.py' --window 64k,128k
  $ compaction-bench whatif chats.jsonl#1 --window 32k --set protect=10000 --format json`;

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
    ...detailsOption,
    ...reportOptions(whatIfFormats),
    ...anonymousOption,
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ file }, { window, model, policy, ...rest }, { io, given, openReport }) => {
    checkInPlaceOfPolicy(given);
    const { chart: charts = false, curve: hasCurve = false, summarizer } = rest;
    const out = openReport(whatIfFormats, 'what-if format');
    const windows = parseTokenList('--window', window);
    const models = parseNames('--model', model, 'names of models');
    const session = loadNamed(file);
    // An adapter stands in the place of the policy.
    const named = { ...rest, model, policy: policy ?? rest.adapter };
    const defaults = readDefaults(named, [recordedOf(session)], io.env);
    const options = { ...rest, policy };
    const opened = openRegistry(options, io.env);
    const { registry } = opened;
    const plans = planVariants(options, { windows, models, defaults, opened }, io.env);
    for (const plan of plans) onlyPolicy(plan);
    await reachModels(registry, [summarizer], io);
    out.checkInputs([file, ...settingFiles(options)]);
    noteDropped(io, [session.report.dropped]);
    printNotes(io, [...new Set(plans.flatMap(({ notes }) => notes))]);
    const runs = await withSpent(registry, io, () => runVariants(session, { plans, hasCurve }, io));
    if (runs === undefined) return undefined;
    if (options.dryRun) return printEstimates(io, registry, summarizer);
    const variantsOf = (isRecorded: boolean) =>
      runs.filter((run) => run.isRecorded === isRecorded).map(({ variant }) => variant);
    const names = await anonymiserFor(options);
    const told = names.copy({
      session: session.name,
      ...basisOf(plans, session.model),
      variants: variantsOf(false),
      recorded: variantsOf(true),
    });
    const conclusion = concludeVariants(told);
    const report = { whatIfVersion: WHAT_IF_VERSION, verdict: conclusion.verdict, ...told };
    const hasFailed = runs.some(({ variant }) => variant.state === 'failed');
    const shown = out.format(report, { ...out.terminal, charts, runs: names.copy(runs) });
    return out.finish(shown, hasFailed ? EXIT.failed : EXIT.done, verdictLines(conclusion));
  },
});

/** A model's limits with another window; in a smaller one its caps shrink, too. */
export function scaleLimits(limits: Limits, contextTokens: number) {
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

function planVariants(
  options: Omit<PlanOptions, 'model'>,
  {
    windows,
    models,
    defaults,
    opened,
  }: {
    windows: readonly number[];
    models: readonly string[];
    defaults: Defaults;
    opened: OpenRegistry;
  },
  environment: Environment,
): readonly LivePlan[] {
  const { set } = options;
  const given = set.find((pair) => settingIn(pair) === 'contextTokens');
  if (given !== undefined && windows.length > 0)
    throw badOption(`Expected only '--window' to set the window, got ${quoted(given)} too.`);
  const own = new Set(set.map(settingIn));
  const plan = (model: string | undefined, more: readonly string[]) =>
    toRun(
      makePlan({ ...options, model, set: [...set, ...more] }, environment, { defaults, opened }),
    );
  return (models.length === 0 ? [undefined] : models).flatMap((model) => {
    if (windows.length === 0) return [plan(model, [])];
    const profile = model === undefined ? defaults.usual : lookUpModel(opened.catalog, model);
    return windows.map((window) => {
      const scaled = scaleLimits(profile?.limits ?? { contextTokens: 0 }, window);
      const caps = CAPS.filter((name) => scaled[name] !== undefined && !own.has(name));
      return plan(model, [
        `contextTokens=${window}`,
        ...caps.map((name) => `${name}=${scaled[name]}`),
      ]);
    });
  });
}

function basisOf(plans: readonly LivePlan[], recordedModel: string | undefined) {
  const [plan] = plans;
  if (plan === undefined) throw new TypeError('Expected a plan at least, got none.');
  const { adapter, policies, summarizer, seed, mode, catalog, settings, onSetup } = plan;
  const models = [...new Set(plans.map(({ model }) => model.id))];
  const common = Object.entries(settings.values).filter(([name]) => !LIMITS.includes(name));
  return {
    policy: (adapter ? ADAPTER_NAME : policies[0]?.name) ?? '',
    summarizer: adapter ? OWN_SUMMARIES : summarizer.name,
    seed,
    mode,
    origin: {
      ...originOf(catalog, models, Object.fromEntries(common)),
      recorded: countRecordedModels([{ recordedModel }], onSetup),
    },
  };
}

async function runVariants(
  session: Session,
  { plans, hasCurve }: { plans: readonly LivePlan[]; hasCurve: boolean },
  io: CliIo,
): Promise<readonly VariantRun[] | undefined> {
  const met = plans.map((plan) => meetPlan(plan, session).plan);
  const modelIds = new Set(met.map(({ model }) => model.id));
  const counters = createCounters();
  const prepared = prepareSession(session, await loadCounts(counters, modelIds));
  const run = (plan: LivePlan, arm: RunnableArm) => {
    const views = isPolicy(arm) ? { hasTexts: false } : undefined;
    const options = { arm, ...surroundingsOf(plan), views, signal: io.signal };
    return runVariant(session.name, prepared, { ...options, hasCurve });
  };
  const runs: VariantRun[] = [];
  for (const plan of inTurn(met, ({ model }) => model.id, io)) {
    runs.push(await run(plan, toAdapterArm(plan.adapter, io) ?? onlyPolicy(plan)));
    if (await isStopped(io)) return undefined;
  }
  const byModel = new Map(met.toReversed().map((plan) => [plan.model.id, plan]));
  for (const plan of [...byModel.values()].toReversed()) {
    const ready = prepared.against({ model: plan.model }, 'texts');
    const isTold = ready.state === 'ready' && hasUsage(ready.trace);
    if (isTold) runs.push(await run(plan, recordedArm));
  }
  return runs;
}

async function runVariant(
  session: string,
  shared: PreparedSession,
  { hasCurve, ...options }: ArmOptions & { hasCurve: boolean },
): Promise<VariantRun> {
  const { arm, model } = options;
  const key = keyOfArm({ session }, options);
  const content = isPolicy(arm) ? contentFor(options.summarizer.name) : 'texts';
  const prepared = shared.against(options, content);
  const failed = (reason: string) => {
    const variant = toVariant(model, recordUnrun(key, 'failed', reason), []);
    return { variant, isRecorded: false, events: [] };
  };
  if (prepared.state === 'failed') return failed(prepared.reason);
  try {
    const { events, record, view } = await runArm(prepared, key, options);
    const curve = hasCurve && isPolicy(arm) && curveOf(prepared.trace, options, events);
    const variant = toVariant(model, record, events);
    return {
      variant: curve === false ? variant : { ...variant, missCurve: curve },
      isRecorded: arm.name === RECORDED,
      events,
      view,
    };
  } catch (error) {
    if (isPolicy(arm) || !(error instanceof HarnessError)) throw error;
    return failed(error.message);
  }
}

/** Needs a whole run in an open loop whose messages left by prunes and pivots alone. */
function curveOf(trace: Trace, { arm, mode }: ArmOptions, events: readonly RunEvent[]) {
  const lastStep = events.findLast((event) => event.type === 'step-end')?.step ?? 0;
  const isWhole = mode !== 'closed-loop' && lastStep >= countSteps(trace);
  const hasSlid = events.some(
    (event) => event.type === 'eviction' && event.by !== 'prune' && event.by !== 'pivot',
  );
  if (!isPolicy(arm) || !isWhole || hasSlid) return null;
  return toCurve(missCurve(trace, { policy: arm, events }), arm.prune.byAge.minimumTokens);
}

function toVariant(
  { id, limits }: Pick<ModelProfile, 'id' | 'limits'>,
  { state, reason, impossible, baseline, metrics }: RunRecord,
  events: readonly RunEvent[],
) {
  return {
    model: id,
    limits,
    state,
    ...known({ reason, impossible, baseline }),
    metrics,
    sawtooth: sawtoothOf(events),
  };
}
