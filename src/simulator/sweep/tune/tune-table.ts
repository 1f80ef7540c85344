import { createRandom } from '../../env.ts';
import type { RunMode } from '../../events.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import { compareTexts } from '../../lib/text.ts';
import { isShare, type Metric, shareOf } from '../../metrics/metric-rows.ts';
import { metrics, titleOf } from '../../metrics/metrics.ts';
import type { CountedState, RunRecord } from '../../metrics/record.ts';
import { clusterOf } from '../../metrics/statistics/verdict.ts';
import { formatAmount } from '../../report/numbers.ts';
import { LEAST_PART, type NamedSettings, type Objective } from '../../report/tune-report.ts';
import {
  type SettingValues,
  type Setting,
  settings,
  type SettingValue,
} from '../../scenario/settings.ts';
import { badOption } from '../../lib/errors.ts';
import { badValue, named, quoted } from '../../lib/names.ts';
import { parseTypedAmount } from '../../scenario/file/amounts.ts';

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

export type TuneTable = ReturnType<typeof toTable>;

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

const metricsByName: Readonly<Record<string, Metric>> = metrics;

export interface Constraint {
  readonly of: 'setting' | 'metric';
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

type Unit = (Setting | Metric)['unit'];

const RANGE = /^\s*([^=]+?)\s*=\s*(\S*?)\s*\.\.\s*(\S*)\s*$/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)$/;

const WORDS: Readonly<Partial<Record<Unit, string>>> = {
  tokens: 'numbers of tokens, such as 16000, 16k or 1M',
  ratio: 'shares, such as 0.3',
  usd: 'dollars, such as 0.25',
};

const shortMetrics: Readonly<Record<string, Metric>> = {
  cost: metrics.costUsd,
  regret: metrics.regretUsd,
  compactions: metrics.compactions,
  tokens: metrics.inputTokens,
  latency: metrics.latencyMs,
};

const bounded: Readonly<Record<string, Setting | Metric>> = {
  ...shortMetrics,
  ...settings,
  ...metrics,
};

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
) {
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
    const unit = metricsByName[name]?.unit ?? 'count';
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
  const metric = metricsByName[name];
  return metric !== undefined && isShare(metric) ? [name, ...metric.shareOf] : [name];
}

export function parseConstraint(text: string): Constraint {
  const [, given, low = '', high = ''] = RANGE.exec(text) ?? [];
  if (given === undefined || (low === '' && high === ''))
    throw badValue('--within', 'KEY=min..max with at least one end', text);
  const { unit } = named('setting or metric', bounded, given);
  const parseEnd = (end: string) => parseAmountOf(given, unit, end);
  const min = low === '' ? -Infinity : parseEnd(low);
  const max = high === '' ? Infinity : parseEnd(high);
  if (min > max)
    throw badOption(`Expected '--within' to have its lower end first, got ${quoted(text)}.`);
  if (Object.hasOwn(settings, given)) return { of: 'setting', name: given, min, max };
  return { of: 'metric', name: metricNameOf(given), min, max };
}

export function isWithin(value: SettingValue | null | undefined, { min, max }: Constraint) {
  return typeof value === 'number' && min <= value && value <= max;
}

export function findOutside(
  values: NamedSettings,
  constraints: readonly Constraint[],
): Constraint | undefined {
  return constraints.find((constraint) => {
    const { of, name } = constraint;
    return of === 'setting' && Object.hasOwn(values, name) && !isWithin(values[name], constraint);
  });
}

export function describeConstraint({ name, min, max }: Constraint): string {
  const ends = [min, max].map((end) => (Number.isFinite(end) ? String(end) : ''));
  return `${name}=${ends.join('..')}`;
}

export function findObjective(name: string): Objective {
  const metric = named('objective', { ...shortMetrics, ...metricsByName }, name);
  const metricName = metricNameOf(name);
  if (isShare(metric)) {
    // The mean of the quotients of sessions would be another number than that of sums.
    const nearest = metric.shareOf.find((part) => metricsByName[part]?.better !== undefined);
    const instead =
      nearest === undefined ? '' : ` The nearest metric that has one is ${quoted(nearest)}.`;
    throw badOption(
      `Expected '--objective' to be metrics that have a mean over sessions, got ${quoted(name)}, which is a quotient of two.${instead}`,
    );
  }
  const { better } = metric;
  if (better === undefined)
    throw badValue('--objective', 'metrics of which less or more is better', name);
  return { name, metric: metricName, label: titleOf(metricName), unit: metric.unit, better };
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
  const metric = metricsByName[name];
  if (metric === undefined) return null;
  if (isShare(metric)) {
    const [part, whole] = metric.shareOf;
    return shareOf(totalOf(part, runs), totalOf(whole, runs));
  }
  const values = runs.flatMap(({ values: own }) => own[name] ?? []);
  if (values.length < runs.length) return null;
  return metric.ofSeveral === 'largest' ? Math.max(...values) : sum(values);
}

function parseAmountOf(name: string, unit: Unit, text: string) {
  if (NUMBER.test(text)) return Number(text);
  const tokens = unit === 'tokens' ? parseTypedAmount(text) : undefined;
  if (tokens !== undefined) return tokens;
  const expected = WORDS[unit] ?? 'plain numbers';
  throw badOption(
    `Expected the ends of ${name} in '--within' to be ${expected}, got ${quoted(text)}.`,
  );
}

function metricNameOf(name: string) {
  if (!Object.hasOwn(shortMetrics, name)) return name;
  return (
    Object.keys(metricsByName).find((own) => metricsByName[own] === shortMetrics[name]) ?? name
  );
}
