import { sum } from '../../lib/collections.ts';
import type { Objective, Tried } from '../../report/tune-report.ts';
import type { SettingName, SettingValue } from '../../scenario/settings.ts';
import { EPSILON } from './front.ts';
import type { SettingAxis } from './screen-axes.ts';
import { isSound, type Observation } from './tune-table.ts';

/** One setting at another value than today's. */
export interface ScreenedPoint {
  readonly key: SettingName;
  readonly value: SettingValue;
  /** Id of its cell. */
  readonly cell: string;
}

/** The sources of a choice of settings. */
interface ScreenSources {
  readonly points: readonly ScreenedPoint[];
  readonly observations: readonly Observation[];
  /** Id of today's cell. */
  readonly today: string;
  readonly objectives: readonly Objective[];
  /** Settings that a person bounds, which are in the grid whatever they move. */
  readonly bounded: readonly string[];
  /** Tests if the agent reads a key for a setting; such settings come first. */
  readonly isReadable: (setting: SettingName) => boolean;
}

/** A screened value with how far it moves each measure, as a share of today's; `null` where it cannot be told. */
interface Moved {
  readonly value: SettingValue;
  readonly cost: number | null;
  readonly losses: number | null;
  readonly largest: number;
}

/** A setting with what its values move. */
interface Screened {
  readonly key: SettingName;
  readonly values: readonly Moved[];
  readonly largest: number;
}

/** A measure of a run; unknown where a metric is. */
type Measure = (run: Observation) => number;

type RunsBySession = ReadonlyMap<string, Observation>;

/** The measures of loss: needs that reading again meets, and those that nothing brings back. */
export const LOSS_METRICS = ['misses', 'unrecoverableMisses'] as const;
/** The metric of a run's cost. */
export const COST = 'costUsd';

/** So many settings at most, for a grid is their product. */
const MOST_AXES = 3;

/** Settings that set the same threshold, of which a grid has the first that matters. */
const OF_THE_TRIGGER: readonly SettingName[] = ['triggerFraction', 'reserved', 'outputCap'];

/** How a policy counts, which no person chooses for its effect. */
const NEVER_VARIED: ReadonlySet<SettingName> = new Set(['charsPerToken']);

/** The settings that move cost or losses, with all values that were screened of each, and what every setting came to. */
export function judgeScreen(sources: ScreenSources): {
  readonly axes: readonly SettingAxis[];
  readonly tried: readonly Tried[];
} {
  const keys = [...new Set(sources.points.map(({ key }) => key))];
  const screened = keys.map((key) => screenSetting(key, sources));
  const { bounded } = sources;
  const moving = screened.filter(
    ({ key, largest }) => bounded.includes(key) || (largest > EPSILON && !NEVER_VARIED.has(key)),
  );
  const chosen = withOneTrigger(moving)
    .toSorted((one, other) => orderOf(other, sources) - orderOf(one, sources))
    .slice(0, MOST_AXES);
  return {
    axes: chosen.map(({ key, values }) => ({ key, values: values.map(({ value }) => value) })),
    tried: screened.map((one) => toTried(one, chosen)),
  };
}

/** The two values of a setting that a grid combines with others: the cheapest, and that which loses least. */
export function valuesToCombine(key: SettingName, sources: ScreenSources): readonly SettingValue[] {
  const { values } = screenSetting(key, sources);
  const known = values.filter(({ cost, losses }) => cost !== null || losses !== null);
  const leastOf = (read: (moved: Moved) => number | null) =>
    known.toSorted((one, other) => (read(one) ?? 0) - (read(other) ?? 0)).slice(0, 1);
  const both = [...leastOf(({ cost }) => cost), ...leastOf(({ losses }) => losses)];
  return [...new Set(both.map(({ value }) => value))];
}

/** Losses of a run, of either kind; not a number where one is unknown. */
export function lossesOf({ values }: Observation): number {
  return sum(LOSS_METRICS.map((metric) => values[metric] ?? Number.NaN));
}

function screenSetting(key: SettingName, sources: ScreenSources): Screened {
  const runsOf = (cell: string): RunsBySession =>
    new Map(
      sources.observations.filter((run) => run.cell === cell).map((run) => [run.session, run]),
    );
  const today = runsOf(sources.today);
  const values = sources.points
    .filter((point) => point.key === key)
    .map(({ value, cell }) => ({ value, ...movedBy(runsOf(cell), today, sources) }));
  return { key, values, largest: Math.max(0, ...values.map(({ largest }) => largest)) };
}

/** How far a cell is from today's over the sessions that both do; nowhere if it fails in one that today's does. */
function movedBy(
  runs: RunsBySession,
  today: RunsBySession,
  { objectives }: ScreenSources,
): Omit<Moved, 'value'> {
  const pairs = [...today].flatMap(([session, a]) => {
    const b = runs.get(session);
    return isSound(a) && b !== undefined ? [{ a, b }] : [];
  });
  if (pairs.length === 0 || pairs.some(({ b }) => !isSound(b))) {
    return { cost: null, losses: null, largest: 0 };
  }
  const shareOf = (measure: Measure) => shareMoved(pairs, measure);
  const cost = shareOf(({ values }) => values[COST] ?? Number.NaN);
  const losses = shareOf(lossesOf);
  const others = objectives.map(({ metric }) =>
    shareOf(({ values }) => values[metric] ?? Number.NaN),
  );
  const all = [cost, losses, ...others].map((share) => Math.abs(share ?? 0));
  return { cost, losses, largest: Math.max(...all) };
}

/** The change of a total as a share of today's, or of 1 where that is nothing; `null` where it is unknown. */
function shareMoved(
  pairs: readonly { readonly a: Observation; readonly b: Observation }[],
  measure: Measure,
): number | null {
  const from = sum(pairs.map(({ a }) => measure(a)));
  const moved = sum(pairs.map(({ b }) => measure(b))) - from;
  if (Number.isNaN(moved)) return null;
  return moved / (from === 0 ? 1 : Math.abs(from));
}

function withOneTrigger(screened: readonly Screened[]): readonly Screened[] {
  const first = OF_THE_TRIGGER.find((key) => screened.some((one) => one.key === key));
  return screened.filter(({ key }) => key === first || !OF_THE_TRIGGER.includes(key));
}

/** Bounded settings first, then those that the agent reads, in either case the more it moves the earlier. */
function orderOf({ key, largest }: Screened, { bounded, isReadable }: ScreenSources): number {
  const move = largest / (1 + largest);
  return (bounded.includes(key) ? 2 : 0) + (isReadable(key) ? 1 : 0) + move;
}

function toTried({ key, values, largest }: Screened, chosen: readonly Screened[]): Tried {
  const costs = values.flatMap(({ cost }) => cost ?? []);
  return {
    setting: key,
    matters: largest > EPSILON,
    isVaried: chosen.some((one) => one.key === key),
    leastCost: costs.length === 0 ? null : Math.min(0, ...costs),
  };
}
