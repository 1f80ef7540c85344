import { createRandom } from '../../env.ts';
import type { RunMode } from '../../events.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import { compareTexts } from '../../lib/text.ts';
import { isShare, type Metric, shareOf } from '../../metrics/metric-rows.ts';
import { metrics } from '../../metrics/metrics.ts';
import type { CountedState, RunRecord } from '../../metrics/record.ts';
import { clusterOf } from '../../metrics/statistics/verdict.ts';
import { formatAmount } from '../../report/numbers.ts';
import { LEAST_PART, type NamedSettings, type Objective } from '../../report/tune-report.ts';
import type { SettingValues } from '../../scenario/settings.ts';
import { type Constraint, describeConstraint, isWithin } from './constraint.ts';

export interface TuneCell {
  readonly id: string;
  readonly settings: SettingValues;
}

export interface Observation {
  readonly cell: string;
  readonly session: string;
  readonly family?: string | undefined;
  readonly state: CountedState;
  readonly reason?: string | undefined;
  readonly baseline?: RunRecord['baseline'] | undefined;
  readonly digest: string;
  readonly mode?: RunMode;
  readonly isUnfit?: boolean;
  readonly values: Readonly<Record<string, number | null>>;
}

export interface TuneTable {
  readonly cells: readonly TableCell[];
  readonly sessions: readonly string[];
  readonly leftOut: readonly { readonly session: string; readonly reason: string }[];
}

export interface TableCell extends TuneCell {
  readonly isToday: boolean;
  readonly outside?: Constraint | undefined;
  readonly same: readonly string[];
  readonly observations: ReadonlyMap<string, Observation>;
}

/** A cell's value on each objective; less is better. */
export type Point = readonly number[];

/** Sessions that are one observation: those of a family, or one that stands alone. */
export type Family = readonly string[];

export interface SizedSession extends Pick<Observation, 'session' | 'family'> {
  readonly size: number;
}

export interface Split {
  readonly tuning: readonly Family[];
  /** Empty where all sessions are tuned on. */
  readonly heldOut: readonly Family[];
}

export const TUNE_METRICS = [
  'misses',
  'expectedMisses',
  'boundMisses',
  'prunes',
  'unrecoverableMisses',
  'regretUsd',
  'compactions',
  'peakContextTokens',
  'uncachedTokens',
  'cacheWriteTokens',
  'outputTokens',
  'summaryOutputTokens',
  'costUsd',
  'refusals',
  'inputTokens',
] as const;

const known: Readonly<Record<string, Metric>> = metrics;

export function toTable(
  cells: readonly TuneCell[],
  observations: readonly Observation[],
  {
    today,
    outside,
    objectives,
  }: {
    readonly today: { readonly id: string; readonly settings: NamedSettings };
    readonly outside?: Constraint | undefined;
    readonly objectives: readonly string[];
  },
): TuneTable {
  const byCell = new Map(cells.map(({ id }) => [id, new Map<string, Observation>()]));
  for (const observation of observations)
    byCell.get(observation.cell)?.set(observation.session, observation);
  const names = [...new Set(observations.map(({ session }) => session))];
  const leftOut = names.flatMap((session) => {
    const runs = [...byCell.values()].flatMap((own) => own.get(session) ?? []);
    const reason = whyLeftOut(runs, objectives);
    return reason === undefined ? [] : [{ session, reason }];
  });
  const absent = new Set(leftOut.map(({ session }) => session));
  const sessions = names.filter((session) => !absent.has(session));
  // Of equal cells the first stands for all: today's, or what takes the fewest changes.
  const changesOf = ({ id, settings }: TuneCell) => {
    const changed = Object.entries(settings).filter(([name, to]) => today.settings[name] !== to);
    return id === today.id ? 0 : 1 + changed.length;
  };
  const ordered = cells.toSorted((a, b) => changesOf(a) - changesOf(b));
  const groups = groupBy(ordered, ({ id }) => {
    // A cell that may not be chosen stands for no other.
    if (id === today.id && outside !== undefined) return id;
    const own = byCell.get(id);
    return sessions.map((session) => own?.get(session)?.digest ?? '').join(' ');
  });
  const merged = [...groups.values()].flatMap((group) => {
    const same = group.map(({ id }) => id);
    const isToday = same.includes(today.id);
    return group.slice(0, 1).map((first): TableCell => {
      const own = byCell.get(first.id) ?? new Map<string, Observation>();
      return { ...first, isToday, ...(isToday && { outside }), same, observations: own };
    });
  });
  return { cells: merged, sessions, leftOut };
}

export function isSound({ state, values }: Observation) {
  return state === 'completed' && values['refusals'] === 0;
}

export function meanOfFamily(family: Family, valueOf: (session: string) => number) {
  return family.reduce((total, session) => total + valueOf(session), 0) / family.length;
}

export function findObstacle(
  { outside, observations }: TableCell,
  tuning: readonly string[],
  {
    sessions,
    constraints,
  }: Pick<TuneTable, 'sessions'> & { readonly constraints: readonly Constraint[] },
): string | undefined {
  if (outside !== undefined) return `outside ${describeConstraint(outside)}`;
  const runsOf = (names: readonly string[]) => names.flatMap((one) => observations.get(one) ?? []);
  const unsound = runsOf(tuning).filter((run) => !isSound(run));
  const [first] = unsound;
  if (first !== undefined) {
    const words = first.state === 'completed' ? 'a refusal' : first.state;
    return `${words} in ${unsound.length} of ${tuning.length} sessions`;
  }
  for (const constraint of constraints) {
    const { of, name } = constraint;
    const total = of === 'metric' ? totalOf(name, runsOf(sessions)) : null;
    if (of === 'setting' || isWithin(total, constraint)) continue;
    const unit = known[name]?.unit ?? 'count';
    const amount =
      total === null ? 'unknown in some session' : `${formatAmount(total, unit)} over all sessions`;
    return `outside ${describeConstraint(constraint)}: ${amount}`;
  }
  return undefined;
}

export function meanPoints(
  cells: readonly TableCell[],
  families: readonly Family[],
  objectives: readonly Objective[],
): readonly Point[] {
  return cells.map(({ observations }) =>
    objectives.map(({ metric, better }) => {
      const sign = better === 'lower' ? 1 : -1;
      const amountOf = (session: string) =>
        sign * (observations.get(session)?.values[metric] ?? Number.NaN);
      return sum(families.map((family) => meanOfFamily(family, amountOf))) / families.length;
    }),
  );
}

/** Splits families of sessions so that both parts have small and large ones; of too few none is held out. */
export function splitSessions(
  sessions: readonly SizedSession[],
  { share, seed }: { readonly share: number; readonly seed: number },
): Split {
  const bySize = (a: SizedSession, b: SizedSession) =>
    a.size - b.size || compareTexts(a.session, b.session);
  const families = [...groupBy(sessions.toSorted(bySize), clusterOf).values()]
    .map((own) => ({
      session: own[0].session,
      own: own.map(({ session }) => session),
      size: sum(own.map(({ size }) => size)) / own.length,
    }))
    .toSorted(bySize)
    .map(({ own }) => own);
  const most = families.length - LEAST_PART;
  if (share === 0 || most < LEAST_PART) return { tuning: families, heldOut: [] };
  const wanted = Math.min(most, Math.max(LEAST_PART, Math.round(share * families.length)));
  const random = createRandom(seed);
  const drawn = new Set<number>();
  for (let stretch = 0; stretch < wanted; stretch++) {
    let index = Math.floor(((stretch + random()) * families.length) / wanted);
    while (drawn.has(index)) index = (index + 1) % families.length;
    drawn.add(index);
  }
  return {
    tuning: families.filter((_, index) => !drawn.has(index)),
    heldOut: families.filter((_, index) => drawn.has(index)),
  };
}

export function neededFor(name: string): readonly string[] {
  const metric = known[name];
  return metric !== undefined && isShare(metric) ? [name, ...metric.shareOf] : [name];
}

function whyLeftOut(runs: readonly Observation[], objectives: readonly string[]) {
  const sound = runs.filter(isSound);
  const [first] = runs;
  if (first?.isUnfit) return 'the preset does not compact where the recording did';
  if (sound.length === 0) {
    const words =
      first?.reason ?? (first?.state === 'completed' ? 'a request was refused' : first?.state);
    return `${words ?? 'not run'}, in every cell`;
  }
  const unknown = objectives.find((name) =>
    sound.some(({ values }) => (values[name] ?? null) === null),
  );
  return unknown === undefined ? undefined : `${unknown} is unknown`;
}

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
