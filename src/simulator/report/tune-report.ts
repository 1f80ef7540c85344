import { FEW_CLUSTERS } from '../metrics/statistics/mean-difference.ts';
import {
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatDifference,
  formatEnds,
  formatFixed,
  formatPercent,
  formatSigned,
  formatSignedPercent,
  UNKNOWN,
  withEnds,
} from './numbers.ts';
import { pairsOf } from './origin.ts';
import type { Checked } from './saved/shapes.ts';
import type { Column } from './text-table.ts';
import type { TuneSchema } from './tune-schema.ts';

/** The outcome of tuning. */
export type TuneReport = Omit<Checked<typeof TuneSchema>, 'tuneVersion'>;

/** Settings by name. */
export type NamedSettings = TuneReport['today']['settings'];
/** An amount that is to be as small, or as large, as can be. */
export type Objective = TuneReport['objectives'][number];
/** Sessions that were tuned on, and those that the outcome is reported on. */
export type TunedSessions = TuneReport['sessions'];
/** Numbers of the points of the grid. */
export type TunedCells = TuneReport['cells'];
/** The values of a cell. */
export type TunedPoint = TunedCells['feasible'][number];
/** The place of today's settings among the cells. */
export type TodayStatus = TuneReport['today'];
/** One cell of the front. */
export type FrontMember = TuneReport['front'][number];
/** The member of the front that gives most for what it takes. */
export type Knee = NonNullable<TuneReport['knee']>;
/** The share that the cells cover of what could be gained. */
export type FrontVolume = NonNullable<TuneReport['volume']>;
/** The amount that an objective is measured against. */
export type ReferenceAmount = NonNullable<FrontVolume['reference'][number]>;
/** The effect of a setting on the first objective. */
export type Sensitivity = TuneReport['sensitivity'][number];
/** A reason why a setting has no elasticity. */
export type ElasticityLack = NonNullable<Sensitivity['lack']>;
/** The recommended action, and the evidence for it. */
export type Advice = TuneReport['advice'];
/** A member of the front against today's settings. */
export type Candidate = Advice['compared'][number];
/** An objective under other settings against today's. */
export type ObjectiveOutcome = Candidate['outcomes'][number];

/** The version of the shape of the JSON document. */
export const TUNE_VERSION = 4;

/** Parts of the sessions with fewer families than this say nothing. */
export const LEAST_PART = 2;

/** States of an advice; of several candidates, the first state that one of them has decides. */
export const ADVICE_STATES = [
  'change',
  'trade-off',
  'keep',
  'within noise',
  'too few',
  'nothing feasible',
] as const satisfies readonly Advice['state'][];

const ELASTICITY_DECIMALS = 3;
const DISTANCE_DECIMALS = 3;
const SHARE_DECIMALS = 3;
/** Of cells that are not feasible so many are named. */
const MOST_INFEASIBLE = 5;
/** Warns of a bootstrap of few sessions. */
const OF_FEW =
  'Resamples of so few sessions are much alike: shares and intervals over them are surer than they should be.';
/** Why a setting has no elasticity, given what the first objective is called. */
const LACKS: Readonly<Record<ElasticityLack, (label: string) => string>> = {
  'few cells': () => 'fewer than two cells meet the constraints',
  'no number': () => 'no value of it is a number above 0',
  'few above zero': (label) => `fewer than two cells in which it and ${label} are above 0`,
  'one value': (label) => `only one value of it is above 0 where ${label} is`,
  'never alone': (label) => `no two cells differ in it alone in which it and ${label} are above 0`,
};
/** Settings from here on are shown without decimals. */
const LEAST_WHOLE = 10;

/** Checks whether an outcome speaks for today's settings. */
export function isWorse({
  objective,
  verdict,
}: Pick<ObjectiveOutcome, 'objective' | 'verdict'>): boolean {
  return verdict === (objective.better === 'lower' ? 'higher' : 'lower');
}

/** Settings in one line; today's and others alike. */
export function describeSettings(settings: NamedSettings): string {
  const pairs = pairsOf(settings);
  return pairs.length === 0 ? 'as today' : pairs.join(' ');
}

/** The table of the front; of objectives the first one tells most. Misses have one column, as an objective or beside them. */
export function frontColumns({ objectives }: TuneReport): readonly Column[] {
  const means = objectives.map(({ label }) => `${label}, mean`);
  return [
    { title: 'Front' },
    ...means.map((title, axis) => (axis === 0 ? { title } : { title, rank: axis })),
    ...(objectives.some(isOfMisses) ? [] : [{ title: 'Misses, mean', rank: means.length + 1 }]),
    { title: 'On front', rank: means.length },
    { title: '', holds: 'words' },
  ];
}

/** Its rows, one a member. */
export function frontRows({ front, objectives }: TuneReport): readonly (readonly string[])[] {
  const hasMisses = objectives.some(isOfMisses);
  return front.map(({ settings, values, misses, probability, isToday, isKnee }) => [
    describeSettings(settings),
    ...values.map((value, axis) => {
      const objective = objectives[axis];
      if (objective !== undefined && isOfMisses(objective)) return describeMisses(misses);
      return formatAmount(value, objective?.unit ?? 'count');
    }),
    ...(hasMisses ? [] : [describeMisses(misses)]),
    probability === null ? UNKNOWN : formatPercent(probability),
    [...(isKnee ? ['knee'] : []), ...(isToday ? ['today'] : [])].join(', '),
  ]);
}

/** How many members of the front are not shown, and why. */
export function describeUnlisted({ unlisted: { members, within } }: TuneReport): string {
  if (members === 0) return '';
  return `And ${countOf(members, 'more member')} of the front, at most ${formatPercent(within)} better in any objective than one shown.`;
}

/** How the grid went: sessions, cells and what breaks a constraint. */
export function describeGrid({ sessions, cells, constraints, resamples }: TuneReport): string {
  const { tuning, heldOut, families, leftOut } = sessions;
  const areAlone = families.tuning === tuning && families.heldOut === heldOut;
  const ofHeldOut = areAlone
    ? heldOut
    : describeFamilies({ sessions: heldOut, families: families.heldOut });
  const parts = [
    `${describeFamilies({ sessions: tuning, families: families.tuning })} tuned on, ${ofHeldOut} held out, ${leftOut.length} left out`,
    `${countOf(cells.all, 'cell')}, ${cells.distinct} of them distinct, ${cells.infeasible.length} not feasible`,
    `constraints: ${['no refusal', 'no loop', ...constraints].join(', ')}`,
    `${resamples} resamples`,
  ];
  return [
    `${parts.join('; ')}.`,
    ...(areAlone ? [] : [FAMILY_COUNTS_ONCE]),
    ...describeAskedShare(sessions),
    ...(isOfFew(sessions, resamples) ? [OF_FEW] : []),
  ].join(' ');
}

/** Cells that break a constraint, each with what it breaks; of many the first. */
export function describeInfeasible({ cells: { infeasible } }: TuneReport): readonly string[] {
  const shown = infeasible
    .slice(0, MOST_INFEASIBLE)
    .map(({ settings, reason }) => `${describeSettings(settings)}: ${reason}`);
  const others = infeasible.length - shown.length;
  return others === 0 ? shown : [...shown, `and ${countOf(others, 'other cell')}`];
}

/** Where today's settings stand. */
export function describeTodayStatus({ today, objectives }: TuneReport): string {
  const name = `Today (${describeSettings(today.settings)}) is`;
  if (today.state !== 'dominated') {
    return today.state === 'infeasible' ? `${name} not feasible.` : `${name} on the front.`;
  }
  const savings = (today.savings ?? []).map((share, axis) => {
    const { label = '', better = 'lower', unit = 'count' } = objectives[axis] ?? {};
    // Of nothing there is no share.
    if (share === null) {
      const [own, other] = [today.values[axis], today.dominatingValues?.[axis]];
      const difference = (other ?? Number.NaN) - (own ?? Number.NaN);
      return `${label} ${Number.isNaN(difference) ? UNKNOWN : formatDifference(difference, unit)}`;
    }
    return `${label} ${formatSignedPercent(better === 'lower' ? -share : share, 1)}`;
  });
  const distance = today.distance?.toFixed(DISTANCE_DECIMALS) ?? UNKNOWN;
  return `${name} dominated by ${describeSettings(today.dominatedBy ?? {})}: ${savings.join(', ')}; distance to the front ${distance}.`;
}

/** Where the knee lies, or that there is none. */
export function describeKneeLine({ knee, front, withoutKnee }: TuneReport): string {
  const without = withoutKnee === null ? '0 %' : formatPercent(withoutKnee);
  const seldom = without === '0 %' ? '' : `no knee in ${without}`;
  if (knee === undefined) {
    const often = seldom === '' ? '' : `; ${seldom} of resamples`;
    return front.length === 0 ? '' : `No knee: no member lies below the ends of the front${often}.`;
  }
  const intervals = Object.entries(knee.intervals).map(
    ([name, interval]) => `${name} ${formatEnds(interval, formatSetting)}`,
  );
  const where = intervals.length === 0 ? '' : ` 95 % of resamples: ${intervals.join(', ')}.`;
  const often =
    knee.probability === null ? '' : `, in ${formatPercent(knee.probability)} of resamples`;
  const others = seldom === '' ? '' : `, ${seldom}`;
  return `Knee: ${describeSettings(knee.settings)}${often}${others}.${where}`;
}

/** How good the front is as a whole. */
export function describeVolume({ volume, objectives }: TuneReport): string {
  if (volume === undefined) return '';
  const { share, today, reference } = volume;
  const { value, interval } = share;
  const ofFront = withEnds(formatPercent(value), interval, (end) => formatPercent(end));
  const alone = today === null ? '' : `, today's settings alone ${formatPercent(today)}`;
  const corners = objectives.flatMap(({ label, unit }, axis) => {
    const corner = reference[axis] ?? null;
    if (corner === null) return [];
    const of = corner.of === 'none' ? 'never compacting' : 'the worst cell';
    return [`${label} ${formatAmount(corner.amount, unit)} of ${of}`];
  });
  return `Hypervolume of the front ${ofFront}${alone}, against ${corners.join(', ')}.`;
}

/** Describes the effect of each setting on the first objective. */
export function describeSensitivity(report: TuneReport): readonly string[] {
  return report.sensitivity.map((one) => `${one.setting}: ${describeElasticity(one, report)}`);
}

function isOfMisses({ metric }: Objective): boolean {
  return metric === 'misses';
}

function describeMisses({ mean, bestKnown }: FrontMember['misses']): string {
  if (mean === null) return UNKNOWN;
  const shown = formatAmount(mean, 'count');
  return mean === 0 || bestKnown === null
    ? shown
    : `${shown} (best known ${formatAmount(bestKnown, 'count')})`;
}

/** Neither part may be smaller than says anything. */
function describeAskedShare({ families, askedShare }: TunedSessions): readonly string[] {
  const all = families.tuning + families.heldOut;
  const isAsAsked = families.heldOut === Math.round(askedShare * all);
  if (isAsAsked || families.heldOut === 0) return [];
  return [
    `${formatPercent(askedShare)} were to be held out; either part has at least ${LEAST_PART}, so it is ${formatPercent(families.heldOut / all)}.`,
  ];
}

function isOfFew({ families }: TunedSessions, resamples: number): boolean {
  return resamples > 0 && families.tuning < FEW_CLUSTERS;
}

/** Shares are settings too. */
function formatSetting(value: number): string {
  const isShare = Math.abs(value) < LEAST_WHOLE;
  return String(isShare ? Number(value.toFixed(SHARE_DECIMALS)) : Math.round(value));
}

function describeElasticity(
  { isDead, elasticity, lack }: Sensitivity,
  { objectives }: TuneReport,
): string {
  const label = objectives[0]?.label ?? '';
  if (isDead) return 'a dead knob; no value of it changes anything';
  if (elasticity === null) {
    return ['no elasticity', ...(lack === undefined ? [] : [LACKS[lack](label)])].join(': ');
  }
  const { value, interval } = elasticity;
  const shown = `${formatSigned(value, ELASTICITY_DECIMALS)} %`;
  const ends = withEnds(shown, interval, (end) => formatFixed(end, ELASTICITY_DECIMALS));
  return `${label} ${ends} for 1 % more`;
}
