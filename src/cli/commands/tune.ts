import { countsAs } from '../../simulator/metrics/record.ts';
import { UNPRICED_METRIC } from '../../simulator/metrics/statistics/judge-difference.ts';
import { addedBy } from '../../simulator/metrics/metrics.ts';
import { countRecordedModels, type RecordedModels } from '../../simulator/report/origin.ts';
import { countBaselines, describeBaselines } from '../../simulator/report/kept.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import { agentTitleOf, type TriggerToday } from '../../simulator/report/agent-keys.ts';
import { adviceLines } from '../../simulator/report/tune-advice.ts';
import { unfitLines } from '../../simulator/report/answer-basis.ts';
import { tuneFormats } from '../../simulator/report/tune.ts';
import { newestReleaseOf, recordingRelease } from '../../simulator/scenario/recording-agents.ts';
import type { PlannedSession } from '../../simulator/sweep/plan.ts';
import { runGrid } from '../../simulator/sweep/run-plan.ts';
import {
  type BesideRecording,
  countUnfit,
  fitsRecording,
} from '../../simulator/sweep/run/recorded-fit.ts';
import type { ResultRow } from '../../simulator/sweep/store/row.ts';
import { COST, LOSS_METRICS } from '../../simulator/sweep/tune/screen.ts';
import { type GridPlan, planScreened, type ScreenPlan } from '../../simulator/sweep/tune/points.ts';
import { ownUsableTokens } from '../../simulator/sweep/tune/screen-axes.ts';
import { SHOWN_METRICS } from '../../simulator/sweep/tune/describe-front.ts';
import {
  neededFor,
  type Observation,
  REFUSALS,
  VERDICT_METRICS,
} from '../../simulator/sweep/tune/tune-table.ts';
import { SIZE_METRIC, tune } from '../../simulator/sweep/tune/tune.ts';
import { findSessions, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { estimateGrid, toLiveCells } from '../plan/live.ts';
import { withSpent, modelOptions } from '../plan/models.ts';
import { planOver } from '../plan/plan.ts';
import { parseSearch, planTuning, type Tuning } from '../plan/tuning.ts';
import { leaveCoresTo } from '../process/cores.ts';
import {
  demoOption,
  jobsOption,
  parseJobs,
  planOptions,
  POLICY_BY_DEFAULT,
  SESSION_INPUTS,
} from '../plan/options.ts';
import { type CliIo, EXIT, isStopped } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import { printNote, printNotes, settingFiles } from '../process/output.ts';
import { withProgress } from '../process/progress.ts';
import {
  anonymiserFor,
  anonymousOption,
  repeated,
  option,
  reportOptions,
  defineCommand,
  detailsOption,
} from '../command.ts';
import { originOf } from '../origin.ts';

/** The result of every session in every cell. */
interface Observed {
  readonly observations: readonly Observation[];
  /** Sessions in which today's policy does not compact where the recording did. */
  readonly unfit: ReadonlyMap<string, BesideRecording>;
  readonly unread: readonly UnreadInput[];
  readonly recorded: RecordedModels;
  /** The newest release of the tuned agent that recorded any session. */
  readonly release: readonly number[] | undefined;
}

/** Which sessions are run, and how. */
interface Runs {
  readonly inputs: RunInputs;
  readonly jobs: number;
  /** The same files were read before, so that nothing is noted about them. */
  readonly isAgain?: boolean;
}

const DEFAULT_OBJECTIVES = 'cost,misses';

const EXAMPLES = `
Examples:
  $ compaction-bench tune sessions/ --config opencode.json
  $ compaction-bench tune sessions/ --objective cost,regret --vary reserved=10000,20000,40000
  $ compaction-bench tune sessions/ --vary protect=20000,40000 --within compactions=..40 --hold-out 0.3`;

const SAVINGS: ReadonlySet<string> = new Set(['tokensSaved', 'costSavedUsd']);
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
  ...detailsOption(),
  ...reportOptions(tuneFormats),
  ...anonymousOption(),
  ...modelOptions,
};

/** The objectives where the model has no price. */
const WITHOUT_PRICE = [`${UNPRICED_METRIC},misses`];

/** Looks for better settings than today's. */
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
    const find = () => findSessions(inputs, options, io);
    const { plan: whole, found } = await planOver(
      { ...options, vary: [] },
      { find, isOneAgent: true },
      io,
    );
    const isAsked = given.includes('--objective') || whole.first.model.prices !== undefined;
    const first = planTuning(whole, isAsked ? options : { ...options, objective: WITHOUT_PRICE });
    out.checkInputs([...found.files, ...settingFiles(options)]);
    printNotes(io, first.notes);
    if (options.dryRun) return estimateGrid(first, found, io);
    leaveCoresTo(jobs);
    const ran = await withSpent(first.models?.registry, io, () =>
      search(first, { inputs: found, jobs }, io),
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
    const savings = describeSavingsOf(plan, observations);
    const tuned = { ...outcome.tuned, ...(savings.length > 0 && { savings }) };
    const trigger = triggerOf(plan, release);
    const policy = arm.policy.name;
    const report = { policy, model, summarizer, mode, origin, trigger, ...tuned, unread };
    const hasFailed = observations.some(({ state }) => state === 'failed');
    const isWhole = unread.length === 0 && !hasFailed;
    const shown = anonymiserFor(options).copy(report);
    const verdict = adviceLines(shown);
    return out.finish(out.format(shown, out.terminal), isWhole ? EXIT.done : EXIT.failed, verdict);
  },
});

function triggerOf({ base: { model }, inUse }: Tuning, release: Observed['release']): TriggerToday {
  const usableTokens = ownUsableTokens(inUse) ?? null;
  return { model, ...inUse.limits, usableTokens, release };
}

/** Runs what was planned, after a screen also the grid that it leads to; `undefined` if the user wanted to stop. */
async function search(
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

/** Runs every session in every cell; `undefined` if the user wanted to stop. */
async function observe(
  plan: Tuning,
  { inputs, jobs, isAgain = false }: Runs,
  io: CliIo,
): Promise<Observed | undefined> {
  const observations: Observation[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const sessions: PlannedSession[] = [];
  const needed = neededMetrics(plan);
  const recordedCells = isAgain ? [] : plan.recorded.cells;
  const recordedIds = new Set(recordedCells.map(({ id }) => id));
  const recordedRows = new Map<string, ResultRow>();
  const todays: ResultRow[] = [];
  await withProgress(io, async (show) => {
    const rows = runGrid({
      files: inputs.files,
      nameOf: (path) => inputs.nameOf(path),
      cells: [...plan.cells, ...recordedCells],
      seeds: plan.seeds,
      setupOf: plan.setupOf,
      live: plan.models && toLiveCells(plan.models),
      jobs,
      cacheFolder: countsFolder(io.cache ?? {}, io.env),
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
  const recorded = countRecordedModels(sessions, plan.today.onSetup);
  const own = sessions.filter((one) => isOfAgent(one, plan.base.arm.policy.name));
  const release = newestReleaseOf(own.map(({ recordedBy }) => recordedBy));
  const setups = new Map(sessions.map(({ ref: { name, setup } }) => [name, setup]));
  const beside = todays.map((base) => {
    const { session } = base;
    const one = { base, recorded: recordedRows.get(session), setup: setups.get(session) };
    return [session, one] as const;
  });
  const unfit = new Map(beside.filter(([, one]) => !fitsRecording(one)));
  return { observations: markUnfit(observations, unfit), unfit, unread, recorded, release };
}

/** Marks sessions that nothing is advised for. */
function markUnfit(
  observations: readonly Observation[],
  unfit: Observed['unfit'],
): readonly Observation[] {
  return observations.map((one) => (unfit.has(one.session) ? { ...one, isUnfit: true } : one));
}

/** Tests if a session was recorded by the agent that a policy is of. */
function isOfAgent({ recordedBy }: PlannedSession, policy: string): boolean {
  const preset = recordingRelease(recordedBy);
  return preset !== undefined && agentTitleOf(preset) === agentTitleOf(policy);
}

/** The baseline of savings, where any are among what is tuned for. */
function describeSavingsOf(plan: Tuning, observations: readonly Observation[]): readonly string[] {
  const isAsked = neededMetrics(plan).some((name) => SAVINGS.has(name));
  if (!isAsked) return [];
  const runs = observations.map(({ values, ...run }) => ({ ...run, metrics: values }));
  return describeBaselines(countBaselines(runs), 0);
}

function neededMetrics({ objectives, constraints }: Tuning): readonly string[] {
  const constrained = constraints.filter(({ of }) => of === 'metric').map(({ name }) => name);
  const names = [...objectives.map(({ metric }) => metric), ...constrained].flatMap(neededFor);
  const always = [...SHOWN_METRICS, ...LOSS_METRICS, ...VERDICT_METRICS];
  return [...new Set([...names, ...always, COST, REFUSALS, SIZE_METRIC])];
}

/** Only what is asked for is kept of a row: there may be a million of them. */
function toObservation(row: ResultRow, needed: readonly string[]): Observation {
  const { cell, session, family, impossible, reason = impossible, baseline, eventDigest } = row;
  const metrics: Readonly<Record<string, number | null>> = row.metrics;
  const values = Object.fromEntries(needed.map((name) => [name, addedBy(metrics, name)]));
  return {
    cell,
    session,
    family,
    state: countsAs(row),
    reason,
    baseline,
    digest: eventDigest,
    ...(row.mode && { mode: row.mode }),
    values,
  };
}
