import type { Limits } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import type { RunEvent } from '../../simulator/events.ts';
import { known } from '../../simulator/lib/collections.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { quoted, checkEachOnce } from '../../simulator/lib/names.ts';
import { missCurve } from '../../simulator/metrics/miss-curve.ts';
import type { RunRecord } from '../../simulator/metrics/record.ts';
import { lookUpModel } from '../../simulator/provider/catalog.ts';
import type { ModelProfile } from '../../simulator/provider/model-profile.ts';
import { ADAPTER_NAME, OWN_SUMMARIES } from '../../simulator/replay/foreign/compactor.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import { countSteps, type Trace } from '../../simulator/replay/trace.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
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
import type { RecordItem } from '../../simulator/sweep/run-files.ts';
import { compileFor, traceFor } from '../../simulator/sweep/run/prepare.ts';
import { createCounters } from '../../simulator/tokens/tokenizer.ts';
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
import { asGiven, noteDropped } from '../inputs.ts';
import { originOf } from '../package.ts';
import { checkInPlaceOfPolicy } from '../plan/live.ts';
import { type Defaults, readDefaults, recordedOf } from '../plan/defaults.ts';
import { openRegistry, type OpenRegistry } from '../plan/live.ts';
import { printEstimates, reachModels, withSpent } from '../plan/models.ts';
import {
  chartOption,
  MODEL_BY_DEFAULT,
  parseNames,
  POLICY_BY_DEFAULT,
  seedOption,
  sourceOptions,
  summarizerOption,
  adapterOptions,
  modelOptions,
  parseTokens,
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
import { type CliIo, EXIT, printNotes, settingFiles } from '../process/io.ts';
import { runSessions } from '../run-sessions.ts';
import { splitAtCommas } from '../../simulator/lib/text.ts';

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
    ...chartOption,
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
) {
  const counters = createCounters();
  const inputs = { files: [], written: { session }, unread: [], nameOf: asGiven, pathOf: asGiven };
  const runs: (Pick<RecordItem, 'view'> & {
    readonly variant: Variant;
    readonly isRecorded: boolean;
    readonly events: readonly RunEvent[];
  })[] = [];
  for (const plan of plans) {
    const met = meetPlan(plan, session).plan;
    const { id } = met.model;
    const policies = plan.adapter === undefined ? plan.policies : [];
    const told: RecordItem[] = [];
    const onRecord = (item: RecordItem) => void told.push(item);
    if (!(await runSessions({ ...plan, policies, onRecord }, inputs, io))) return undefined;
    for (const { record, events = [], view } of told) {
      const isRecorded = record.policy === RECORDED;
      const isKnown = runs.some((run) => run.isRecorded && run.variant.model === id);
      if (isRecorded && isKnown) continue;
      const variant = toVariant(met.model, record, events);
      const isCurved = hasCurve && !isRecorded && plan.adapter === undefined && events.length > 0;
      const trace = isCurved ? await compileFor(id, session, counters) : undefined;
      const curve = trace && curveOf(traceFor(met.summarizer.name, trace), met, events);
      const curved = { ...variant, ...known({ missCurve: curve }) };
      runs.push({ variant: curved, isRecorded, events, ...known({ view }) });
    }
  }
  return [...runs.filter((run) => !run.isRecorded), ...runs.filter((run) => run.isRecorded)];
}

/** Needs a whole run in an open loop whose messages left by prunes and pivots alone. */
function curveOf(trace: Trace, plan: LivePlan, events: readonly RunEvent[]) {
  const policy = onlyPolicy(plan);
  const lastStep = events.findLast((event) => event.type === 'step-end')?.step ?? 0;
  const isWhole = plan.mode !== 'closed-loop' && lastStep >= countSteps(trace);
  const hasSlid = events.some(
    (event) => event.type === 'eviction' && event.by !== 'prune' && event.by !== 'pivot',
  );
  if (!isWhole || hasSlid) return null;
  return toCurve(missCurve(trace, { policy, events }), policy.prune.byAge.minimumTokens);
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

function parseTokenList(option: string, values: readonly string[]): readonly number[] {
  const texts = splitAtCommas(values);
  const amounts = texts.map((text) => parseTokens(option, text));
  checkEachOnce(option, texts, amounts);
  return amounts;
}
