import { UNPRICED_METRIC } from '../../simulator/metrics/statistics/mean-difference.ts';
import { unfitLines } from '../../simulator/report/answer.ts';
import { adviceLines, tuneFormats } from '../../simulator/report/tune.ts';
import { countUnfit, fitsRecording, meetSetup } from '../../simulator/sweep/run/meet-setup.ts';
import { ownUsableTokens } from '../../simulator/sweep/tune/screen-axes.ts';
import { tune } from '../../simulator/sweep/tune/tune.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  option,
  repeated,
  reportOptions,
} from '../command.ts';
import { findSessions, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { originOf } from '../package.ts';
import { estimateGrid, toLiveCells } from '../plan/live.ts';
import { withSpent } from '../plan/models.ts';
import {
  DEFAULT_SUMMARIZER,
  demoOption,
  jobsOption,
  parseJobs,
  parseNames,
  planOptions,
  POLICY_BY_DEFAULT,
  SESSION_INPUTS,
  modelOptions,
} from '../plan/options.ts';
import { onlyPolicy, type Plan, planOver } from '../plan/plan.ts';
import { leaveCoresTo } from '../process/cores.ts';
import { type CliIo, EXIT, isStopped, printNote, printNotes, settingFiles } from '../process/io.ts';
import { policies as presets } from '../../engine/index.ts';
import { badValue, checkEachOnce } from '../../simulator/lib/names.ts';
import { addedBy } from '../../simulator/metrics/metrics.ts';
import { countsAs } from '../../simulator/metrics/record.ts';
import { agentTitleOf } from '../../simulator/report/agent-keys.ts';
import {
  countBaselines,
  countRecordedModels,
  describeBaselines,
} from '../../simulator/report/origin.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { parseArm } from '../../simulator/scenario/arms.ts';
import { claimOfRecording, newestReleaseOf } from '../../simulator/scenario/recording-agents.ts';
import { resolveCell } from '../../simulator/sweep/grid.ts';
import type { PlannedSession } from '../../simulator/sweep/plan.ts';
import { runGrid } from '../../simulator/sweep/run-plan.ts';
import type { ResultRow } from '../../simulator/sweep/store/read-rows.ts';
import {
  findObjective,
  parseConstraint,
  neededFor,
  type Observation,
  TUNE_METRICS,
} from '../../simulator/sweep/tune/tune-table.ts';
import {
  type GridPlan,
  planPoints,
  planScreened,
  type ScreenPlan,
  type Search,
} from '../../simulator/sweep/tune/points.ts';
import { countsFolder } from '../process/out-folder.ts';
import { withProgress } from '../process/progress.ts';

type Tuning = Plan & Search;

export interface TuneSearchOptions {
  readonly objective: readonly string[];
  readonly vary: readonly string[];
  readonly within: readonly string[];
  readonly holdOut: string;
}

const SHARE = /^0?\.\d+$|^0$/;

type Observed = NonNullable<Awaited<ReturnType<typeof observe>>>;

interface Runs {
  readonly inputs: RunInputs;
  readonly jobs: number;
  readonly isAgain?: boolean;
}

const DEFAULT_OBJECTIVES = 'cost,misses';

const EXAMPLES = `
Examples:
  $ compaction-bench tune sessions/ --config opencode.json
  $ compaction-bench tune sessions/ --objective cost,regret --vary reserved=10000,20000,40000
  $ compaction-bench tune sessions/ --vary protect=20000,40000 --within compactions=..40 --hold-out 0.3`;

const SAVINGS: readonly string[] = ['tokensSaved', 'costSavedUsd'];

const OPTIONS = {
  demo: demoOption,
  objective: repeated(
    '--objective <name,...>',
    `metrics to have less of, or more where more is better, as of tokensSaved (default: ${DEFAULT_OBJECTIVES})`,
    [DEFAULT_OBJECTIVES],
  ),
  vary: repeated(
    '--vary <key=a,b,c>',
    'a setting and its values; can be repeated (default: all numbers of the policy are screened, then those that matter)',
  ),
  within: repeated(
    '--within <key=min..max>',
    'range of a setting, or of a metric over all sessions; can be repeated',
  ),
  holdOut: option('--hold-out <share>', 'share of the sessions kept aside to report on', '0.3'),
  policy: option('--policy <name>', `preset to tune (default: ${POLICY_BY_DEFAULT})`),
  ...planOptions({
    set: "change one of today's settings; can be repeated",
    config: "take today's settings from an OpenCode configuration",
    seed: 'seed of everything random, the split too',
  }),
  jobs: jobsOption,
  ...detailsOption,
  ...reportOptions(tuneFormats),
  ...anonymousOption,
  ...modelOptions,
};

export const tuneCommand = defineCommand({
  name: 'tune',
  describe: "Search for better settings than today's, and say what to write in the config.",
  arguments: { '[inputs...]': SESSION_INPUTS },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async ({ inputs }, options, { io, given, openReport }) => {
    const { summarizer } = options;
    const out = openReport(tuneFormats, 'tune format');
    const jobs = parseJobs(options.jobs);
    // Says what is wrong before anything is read.
    parseSearch(options);
    const how = { find: () => findSessions(inputs, options, io), isOneAgent: true };
    const { plan: whole, found } = await planOver({ ...options, vary: [] }, how, io);
    const isAsked = given.includes('--objective') || whole.first.model.prices !== undefined;
    const objective = isAsked ? options.objective : [`${UNPRICED_METRIC},misses`];
    const first = planTuning(whole, { ...options, objective });
    out.checkInputs([...found.files, ...settingFiles(options)]);
    printNotes(io, first.notes);
    if (options.dryRun) return estimateGrid(first, found, io);
    leaveCoresTo(jobs);
    const ran = await withSpent(first.models?.registry, io, () =>
      runSearch(first, { inputs: found, jobs }, io),
    );
    if (ran === undefined) return undefined;
    const { plan, observations, unfit, unread, recorded, release } = ran;
    if (observations.length === 0) throw noInput(unread);
    printNotes(io, unfitLines(countUnfit([...unfit.values()])));
    const outcome = tune(observations, plan.search);
    if (outcome.state === 'inconclusive') {
      printNote(io, `Nothing can be tuned: ${outcome.reason}.`);
      return EXIT.inconclusive;
    }
    const { mode, base, sources } = plan;
    const { arm, model } = base;
    const origin = { ...originOf(sources.catalog, [model], base.settings), recorded };
    // The baseline of savings, where any are among what is tuned for.
    const isOfSavings = neededMetrics(plan).some((name) => SAVINGS.includes(name));
    const runs = observations.map(({ values, ...run }) => ({ ...run, metrics: values }));
    const savings = isOfSavings ? describeBaselines(countBaselines(runs), 0) : [];
    const tuned = { ...outcome.tuned, ...(savings.length > 0 && { savings }) };
    const usableTokens = ownUsableTokens(plan.inUse) ?? null;
    const trigger = { model, ...plan.inUse.limits, usableTokens, release };
    const policy = arm.policy.name;
    const report = { policy, model, summarizer, mode, origin, trigger, ...tuned, unread };
    const hasFailed = unread.length > 0 || observations.some(({ state }) => state === 'failed');
    const shown = (await anonymiserFor(options)).copy(report);
    const text = out.format(shown, out.terminal);
    return out.finish(text, hasFailed ? EXIT.failed : EXIT.done, adviceLines(shown));
  },
});

/** The search of a plan of one policy. Without axes it is a screen. */
export function planTuning(
  plan: Plan,
  options: TuneSearchOptions,
): Tuning & (GridPlan | ScreenPlan) {
  const { arms, sources, setup, seeds } = plan;
  const recorded = plan.recorded.isAsked ? 'asked' : 'where-known';
  onlyPolicy({ policies: arms.map(({ policy }) => policy), recorded });
  const { settings: own, ...named } = plan.base.arm;
  // What the arm sets can be varied as well.
  const settings = { ...plan.base.settings, ...own };
  const base = { ...plan.base, arm: { ...named, settings: {} }, settings };
  const today = resolveCell(base, sources);
  // A trigger is tried also where the agent has none today.
  const { policy, model } = meetSetup(today, setup?.isRefusalOnly ? undefined : setup);
  // The control asks for no summary.
  const never = { ...base, arm: parseArm(presets.none.name), summarizer: DEFAULT_SUMMARIZER };
  const search = {
    ...parseSearch(options),
    seed: seeds[0] ?? 0,
    base,
    sources,
    today,
    control: resolveCell(never, sources),
    inUse: { policy, limits: model.limits },
    setup,
  };
  return { ...plan, ...search, ...planPoints(search, options.vary) };
}

async function runSearch(
  first: Tuning & (GridPlan | ScreenPlan),
  how: Runs,
  io: CliIo,
): Promise<(Observed & { readonly plan: Tuning & GridPlan }) | undefined> {
  const observed = await observe(first, how, io);
  if (observed === undefined) return undefined;
  if ('search' in first) return { ...observed, plan: first };
  const plan = { ...first, ...planScreened(first, observed.observations) };
  const known = new Set(first.cells.map(({ id }) => id));
  const cells = plan.cells.filter(({ id }) => !known.has(id));
  if (cells.length === 0) return { ...observed, plan };
  const more = await observe({ ...plan, cells }, { ...how, isAgain: true }, io);
  if (more === undefined) return undefined;
  const observations = markUnfit(more.observations, observed.unfit);
  return { ...observed, plan, observations: [...observed.observations, ...observations] };
}

function neededMetrics({ objectives, constraints }: Tuning): readonly string[] {
  const constrained = constraints.filter(({ of }) => of === 'metric').map(({ name }) => name);
  const names = [...objectives.map(({ metric }) => metric), ...constrained].flatMap(neededFor);
  return [...new Set([...names, ...TUNE_METRICS])];
}

function parseSearch({ objective, within, holdOut }: TuneSearchOptions) {
  const names = parseNames('--objective', objective, 'names of metrics');
  const objectives = names.map(findObjective);
  const found = objectives.map(({ metric }) => metric);
  checkEachOnce('--objective', names, found);
  const constraints = within.map(parseConstraint);
  if (SHARE.test(holdOut)) return { objectives, constraints, heldOutShare: Number(holdOut) };
  throw badValue('--hold-out', 'a share of the sessions of at least 0 and below 1', holdOut);
}

async function observe(plan: Tuning, { inputs, jobs, isAgain = false }: Runs, io: CliIo) {
  const observations: Observation[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const sessions: PlannedSession[] = [];
  const needed = neededMetrics(plan);
  const recordedCells = isAgain ? [] : plan.recorded.cells;
  const recordedIds = new Set(recordedCells.map(({ id }) => id));
  const recordedRows = new Map<string, ResultRow>();
  const todays: ResultRow[] = [];
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  await withProgress(io, async (show) => {
    const rows = runGrid({
      files: inputs.files,
      nameOf: (path) => inputs.nameOf(path),
      cells: [...plan.cells, ...recordedCells],
      seeds: plan.seeds,
      setupOf: plan.setupOf,
      live: plan.models && toLiveCells(plan.models),
      jobs,
      cacheFolder,
      keptIn: cacheFolder,
      signal: io.signal,
      onPlanned: (found) => {
        unread.push(...found.unread);
        sessions.push(...found.sessions);
        if (!isAgain) noteDropped(io, found.dropped);
      },
      onProgress: ({ done, total, session }) => show({ file: session, index: done, total }),
    });
    for await (const row of rows) {
      if (recordedIds.has(row.cell)) recordedRows.set(row.session, row);
      else observations.push(toObservation(row, needed));
      if (row.cell === plan.today.id) todays.push(row);
      if (await isStopped(io)) return;
    }
  });
  if (io.signal.aborted) return undefined;
  const agent = agentTitleOf(plan.base.arm.policy.name);
  const own = sessions.filter(({ recordedBy }) => {
    const preset = claimOfRecording(recordedBy)?.preset;
    return preset !== undefined && agentTitleOf(preset) === agent;
  });
  const setups = new Map(sessions.map(({ ref: { name, setup } }) => [name, setup]));
  const beside = todays.map((base) => {
    const { session } = base;
    const one = { base, recorded: recordedRows.get(session), setup: setups.get(session) };
    return [session, one] as const;
  });
  const unfit = new Map(beside.filter(([, one]) => !fitsRecording(one)));
  return {
    observations: markUnfit(observations, unfit),
    unfit,
    unread,
    recorded: countRecordedModels(sessions, plan.today.onSetup),
    /** The newest of the tuned agent's that recorded any session. */
    release: newestReleaseOf(own.map(({ recordedBy }) => recordedBy)),
  };
}

function markUnfit(observations: readonly Observation[], unfit: ReadonlyMap<string, unknown>) {
  return observations.map((one) => (unfit.has(one.session) ? { ...one, isUnfit: true } : one));
}

/** There may be a million rows. */
function toObservation(row: ResultRow, needed: readonly string[]): Observation {
  const { cell, session, family, impossible, reason = impossible, baseline, mode } = row;
  const metrics: Readonly<Record<string, number | null>> = row.metrics;
  const values = Object.fromEntries(needed.map((name) => [name, addedBy(metrics, name)]));
  const about = { cell, session, family, state: countsAs(row), reason, baseline };
  return { ...about, digest: row.eventDigest, ...(mode && { mode }), values };
}
