import type { RunMode } from '../../events.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import { isShare, type Metric, shareOf } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import type { CountedState, RunRecord } from '../../metrics/record.ts';
import { formatAmount } from '../../report/numbers.ts';
import type { NamedSettings } from '../../report/tune-report.ts';
import type { SettingValues } from '../../scenario/settings.ts';
import { type Constraint, describeConstraint, isWithin } from './constraint.ts';

/** One point of the grid. */
export interface TuneCell {
  readonly id: string;
  /** Of the settings that vary, what this cell has; nothing for today's where they are no point of the grid. */
  readonly settings: SettingValues;
}

/** A session's result in a cell. */
export interface Observation {
  readonly cell: string;
  readonly session: string;
  /** As its row names it; absent where it stands alone. */
  readonly family?: string | undefined;
  readonly state: CountedState;
  readonly reason?: string | undefined;
  readonly baseline?: RunRecord['baseline'] | undefined;
  /** Hash of what happened. */
  readonly digest: string;
  readonly mode?: RunMode;
  /** Today's policy does not compact where the recording did. */
  readonly isUnfit?: boolean;
  /** Those metrics that are asked for; `null` where unknown. */
  readonly values: Readonly<Record<string, number | null>>;
}

/** Cells that differ in what happens, with what each session came to. */
export interface TuneTable {
  readonly cells: readonly TableCell[];
  readonly sessions: readonly string[];
  readonly leftOut: readonly { readonly session: string; readonly reason: string }[];
}

/** A cell with those in which the same happens. */
export interface TableCell extends TuneCell {
  readonly isToday: boolean;
  /** The range that its settings lie outside of, which only today's may. */
  readonly outside?: Constraint | undefined;
  /** Ids of all cells that this one stands for. */
  readonly same: readonly string[];
  readonly observations: ReadonlyMap<string, Observation>;
}

/** Today's cell and its settings, and what they break. */
interface TodaysCell {
  readonly today: { readonly id: string; readonly settings: NamedSettings };
  readonly outside?: Constraint | undefined;
}

/** Sessions that are one observation: those of a family, or one that stands alone. */
export type Family = readonly string[];

/** The demands on a cell. */
interface Demands {
  /** Sessions in which every run has to go well. */
  readonly sessions: readonly string[];
  /** All sessions, which the ranges of metrics are of. */
  readonly all: readonly string[];
  readonly constraints: readonly Constraint[];
}

/** Metrics that a verdict needs besides cost and losses. */
export const VERDICT_METRICS = [
  'regretUsd',
  'compactions',
  'peakContextTokens',
  'uncachedTokens',
  'cacheWriteTokens',
  'outputTokens',
  'summaryOutputTokens',
] as const;
/** Metric by which a refused request is known. */
export const REFUSALS = 'refusals';

const known: Readonly<Record<string, Metric>> = metrics;

/** Groups observations by cell. Sessions that no cell can do, or whose objectives are unknown, are left out. */
export function toTable(
  cells: readonly TuneCell[],
  observations: readonly Observation[],
  { objectives, ...todays }: TodaysCell & { readonly objectives: readonly string[] },
): TuneTable {
  const byCell = new Map(cells.map(({ id }) => [id, new Map<string, Observation>()]));
  for (const observation of observations) {
    byCell.get(observation.cell)?.set(observation.session, observation);
  }
  const all = [...byCell.values()];
  const names = [...new Set(observations.map(({ session }) => session))];
  const leftOut = names.flatMap((session) => {
    const reason = whyLeftOut(
      all.flatMap((own) => own.get(session) ?? []),
      objectives,
    );
    return reason === undefined ? [] : [{ session, reason }];
  });
  const absent = new Set(leftOut.map(({ session }) => session));
  const sessions = names.filter((session) => !absent.has(session));
  // Of equal cells the first stands for all: today's, or what takes the fewest changes.
  const ordered = cells.toSorted((a, b) => changes(a, todays) - changes(b, todays));
  return { cells: mergeSame(ordered, byCell, { ...todays, sessions }), sessions, leftOut };
}

/** Returns true if a run completed and nothing of it was refused. */
export function isSound({ state, values }: Observation): boolean {
  return state === 'completed' && values[REFUSALS] === 0;
}

/** The mean of a family, which counts as much as a session that stands alone; not a number where it is unknown for any. */
export function meanOfFamily(family: Family, valueOf: (session: string) => number): number {
  return family.reduce((total, session) => total + valueOf(session), 0) / family.length;
}

/** The first thing that keeps a cell from being chosen, in words; `undefined` where nothing does. */
export function findObstacle(
  cell: TableCell,
  { sessions, all, constraints }: Demands,
): string | undefined {
  if (cell.outside !== undefined) return `outside ${describeConstraint(cell.outside)}`;
  const unsound = runsOf(cell, sessions).filter((run) => !isSound(run));
  const [first] = unsound;
  if (first !== undefined) {
    const words = first.state === 'completed' ? 'a refusal' : first.state;
    return `${words} in ${unsound.length} of ${sessions.length} sessions`;
  }
  return findOutOfRange(runsOf(cell, all), constraints);
}

/** Names of all metrics that a total needs: its own, and those that it is a share of. */
export function neededFor(name: string): readonly string[] {
  const metric = known[name];
  return metric !== undefined && isShare(metric) ? [name, ...metric.shareOf] : [name];
}

function whyLeftOut(
  runs: readonly Observation[],
  objectives: readonly string[],
): string | undefined {
  const sound = runs.filter(isSound);
  const [first] = runs;
  if (first?.isUnfit) return 'the preset does not compact where the recording did';
  if (sound.length === 0) {
    const words =
      first?.reason ?? (first?.state === 'completed' ? 'a request was refused' : first?.state);
    return `${words ?? 'not run'}, in every cell`;
  }
  const unknown = objectives.find((name) => sound.some(({ values }) => isUnknown(values[name])));
  return unknown === undefined ? undefined : `${unknown} is unknown`;
}

function isUnknown(value: number | null | undefined): boolean {
  return value === null || value === undefined;
}

function changes({ id, settings }: TuneCell, { today }: TodaysCell): number {
  if (id === today.id) return 0;
  const others = Object.entries(settings).filter(([name, value]) => today.settings[name] !== value);
  return 1 + others.length;
}

/** A cell that may not be chosen stands for no other. */
function mergeSame(
  cells: readonly TuneCell[],
  byCell: ReadonlyMap<string, ReadonlyMap<string, Observation>>,
  { today, outside, sessions }: TodaysCell & { readonly sessions: readonly string[] },
): readonly TableCell[] {
  const groups = groupBy(cells, ({ id }) => {
    if (id === today.id && outside !== undefined) return id;
    const own = byCell.get(id);
    return sessions.map((session) => own?.get(session)?.digest ?? '').join(' ');
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const same = group.map(({ id }) => id);
    const observations = byCell.get(first.id) ?? new Map<string, Observation>();
    const isToday = same.includes(today.id);
    return [{ ...first, isToday, ...(isToday && { outside }), same, observations }];
  });
}

function runsOf({ observations }: TableCell, sessions: readonly string[]): readonly Observation[] {
  return sessions.flatMap((session) => observations.get(session) ?? []);
}

/** The first metric that is out of its range, with what it comes to. */
function findOutOfRange(
  runs: readonly Observation[],
  constraints: readonly Constraint[],
): string | undefined {
  for (const constraint of constraints.filter((one) => one.of === 'metric')) {
    const total = totalOf(constraint.name, runs);
    if (isWithin(total, constraint)) continue;
    return `outside ${describeConstraint(constraint)}: ${describeTotal(constraint.name, total)}`;
  }
  return undefined;
}

/** A metric over several runs; unknown where it is unknown for any. */
function totalOf(name: string, runs: readonly Observation[]): number | null {
  const metric = known[name];
  if (metric === undefined) return null;
  if (isShare(metric)) {
    const [part, whole] = metric.shareOf;
    return shareOf(totalOf(part, runs), totalOf(whole, runs));
  }
  const values = runs.flatMap(({ values: own }) => own[name] ?? []);
  if (values.length < runs.length) return null;
  return metric.ofSeveral === 'largest' ? Math.max(...values) : sum(values);
}

function describeTotal(name: string, total: number | null): string {
  if (total === null) return 'unknown in some session';
  return `${formatAmount(total, known[name]?.unit ?? 'count')} over all sessions`;
}
