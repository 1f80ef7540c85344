import { policies as presets } from '../engine/index.ts';
import { badValue, checkEachOnce } from '../simulator/lib/names.ts';
import { addedBy } from '../simulator/metrics/metrics.ts';
import { countsAs } from '../simulator/metrics/record.ts';
import { agentTitleOf } from '../simulator/report/agent-keys.ts';
import { countRecordedModels, type RecordedModels } from '../simulator/report/origin.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import { parseArm } from '../simulator/scenario/arms.ts';
import { newestReleaseOf, claimOfRecording } from '../simulator/scenario/recording-agents.ts';
import { resolveCell } from '../simulator/sweep/grid.ts';
import type { PlannedSession } from '../simulator/sweep/plan.ts';
import { runGrid } from '../simulator/sweep/run-plan.ts';
import { meetSetup } from '../simulator/sweep/run/meet-setup.ts';
import { type BesideRecording, fitsRecording } from '../simulator/sweep/run/recorded-fit.ts';
import type { ResultRow } from '../simulator/sweep/store/row.ts';
import { findObjective, parseConstraint } from '../simulator/sweep/tune/constraint.ts';
import {
  type GridPlan,
  planPoints,
  planScreened,
  type ScreenPlan,
  type Search,
} from '../simulator/sweep/tune/points.ts';
import { neededFor, type Observation, TUNE_METRICS } from '../simulator/sweep/tune/tune-table.ts';
import { noteDropped, type RunInputs } from './inputs.ts';
import { toLiveCells } from './plan/live.ts';
import { DEFAULT_SUMMARIZER, parseNames } from './plan/options.ts';
import { onlyPolicy, type Plan } from './plan/plan.ts';
import { type CliIo, isStopped } from './process/io.ts';
import { countsFolder } from './process/out-folder.ts';
import { withProgress } from './process/progress.ts';

export type Tuning = Plan & Search;

export interface TuneSearchOptions {
  readonly objective: readonly string[];
  readonly vary: readonly string[];
  readonly within: readonly string[];
  readonly holdOut: string;
}

const SHARE = /^0?\.\d+$|^0$/;

interface Observed {
  readonly observations: readonly Observation[];
  readonly unfit: ReadonlyMap<string, BesideRecording>;
  readonly unread: readonly UnreadInput[];
  readonly recorded: RecordedModels;
  /** The newest of the tuned agent's that recorded any session. */
  readonly release: readonly number[] | undefined;
}

interface Runs {
  readonly inputs: RunInputs;
  readonly jobs: number;
  readonly isAgain?: boolean;
}

export async function runSearch(
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

export function neededMetrics({ objectives, constraints }: Tuning): readonly string[] {
  const constrained = constraints.filter(({ of }) => of === 'metric').map(({ name }) => name);
  const names = [...objectives.map(({ metric }) => metric), ...constrained].flatMap(neededFor);
  return [...new Set([...names, ...TUNE_METRICS])];
}

export function parseSearch({ objective, within, holdOut }: TuneSearchOptions) {
  const names = parseNames('--objective', objective, 'names of metrics');
  const objectives = names.map(findObjective);
  const found = objectives.map(({ metric }) => metric);
  checkEachOnce('--objective', names, found);
  const constraints = within.map(parseConstraint);
  if (SHARE.test(holdOut)) return { objectives, constraints, heldOutShare: Number(holdOut) };
  throw badValue('--hold-out', 'a share of the sessions of at least 0 and below 1', holdOut);
}

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

async function observe(plan: Tuning, { inputs, jobs, isAgain = false }: Runs, io: CliIo) {
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
    release: newestReleaseOf(own.map(({ recordedBy }) => recordedBy)),
  };
}

function markUnfit(observations: readonly Observation[], unfit: Observed['unfit']) {
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
