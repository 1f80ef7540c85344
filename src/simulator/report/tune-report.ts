import type { RunMode } from '../events.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Estimate, Interval } from '../metrics/statistics/interval.ts';
import { FEW_CLUSTERS } from '../metrics/statistics/mean-difference.ts';
import type { Verdict } from '../metrics/statistics/verdict.ts';
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
import { type Origin, pairsOf } from './origin.ts';
import type { UnreadInput } from './report.ts';
import type { Column } from './text-table.ts';

/** Settings by name. */
export type NamedSettings = Readonly<Record<string, number | boolean | string>>;

/** An amount that is to be as small, or as large, as can be. */
export interface Objective {
  /** As it was asked for. */
  readonly name: string;
  readonly metric: string;
  readonly label: string;
  readonly unit: Metric['unit'];
  readonly better: 'higher' | 'lower';
}

/** What tuning found. */
export interface TuneReport {
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: number;
  readonly mode: RunMode;
  readonly origin: Origin;
  readonly objectives: readonly Objective[];
  /** Beside no refusal, no loop and no run that ends early. */
  readonly constraints: readonly string[];
  readonly sessions: TunedSessions;
  readonly cells: TunedCells;
  /** 0 where there is one family to tune on. */
  readonly resamples: number;
  readonly today: TodayStatus;
  /** Members that stand for the front, the best on the first objective first. */
  readonly front: readonly FrontMember[];
  /** Members that one of those stands for, since it is nowhere worse by more than the share that counts as none. */
  readonly unlisted: { readonly members: number; readonly within: number };
  /** Absent where no cell keeps the constraints, or none lies below the ends of the front. */
  readonly knee?: Knee;
  /** Share of resamples whose front has no knee; `null` of one family. */
  readonly withoutKnee: number | null;
  /** Absent where no cell keeps the constraints, or all come to the same. */
  readonly volume?: FrontVolume;
  readonly sensitivity: readonly Sensitivity[];
  readonly advice: Advice;
  readonly unread: readonly UnreadInput[];
}

/** Which sessions were tuned on, and which the outcome is reported on. */
export interface TunedSessions {
  readonly tuning: number;
  /** 0 where there are too few to hold any out. */
  readonly heldOut: number;
  /** Share of the families that was to be held out. */
  readonly askedShare: number;
  /** Families of both, the independent pieces of evidence: a family counts once, by the mean of its sessions. */
  readonly families: { readonly tuning: number; readonly heldOut: number };
  readonly names: { readonly tuning: readonly string[]; readonly heldOut: readonly string[] };
  readonly leftOut: readonly { readonly session: string; readonly reason: string }[];
}

/** How many points of the grid there were. */
export interface TunedCells {
  readonly all: number;
  /** Cells that differ in what happens. */
  readonly distinct: number;
  /** Those of them that keep the constraints. */
  readonly feasible: readonly TunedPoint[];
  /** Cells that break a constraint, with the first one that they break. */
  readonly infeasible: readonly { readonly settings: NamedSettings; readonly reason: string }[];
}

/** Where today's settings stand among the cells. */
export interface TodayStatus {
  /** What the policy has today, of the settings that vary; those without a number of their own are left out. */
  readonly settings: NamedSettings;
  readonly state: 'on the front' | 'dominated' | 'infeasible';
  /** Mean of each objective over the families tuned on; `null` where a run did not complete. */
  readonly values: readonly (number | null)[];
  /** A cell that is nowhere worse and somewhere better; absent unless dominated. */
  readonly dominatedBy?: NamedSettings;
  /** What it comes to on each objective. */
  readonly dominatingValues?: readonly number[];
  /** How much better that cell is on each objective, as a share of today's; `null` where there is nothing today. */
  readonly savings?: readonly (number | null)[];
  /** Distance to the nearest member of the front on axes that run from the best to the worst of all feasible cells; 0 on the front. */
  readonly distance: number | null;
}

/** What a cell comes to: the mean of each objective over the families tuned on. */
export interface TunedPoint {
  readonly settings: NamedSettings;
  readonly values: readonly number[];
  readonly isToday: boolean;
  readonly isKnee: boolean;
}

/** One cell of the front. */
export interface FrontMember extends TunedPoint {
  /** Share of resamples of the families in which nothing dominates it; `null` of one family. */
  readonly probability: number | null;
  /** Mean misses, and the fewest known to be possible; `null` where unknown. */
  readonly misses: { readonly mean: number | null; readonly atBest: number | null };
}

/** The member of the front that gives most for what it takes. */
export interface Knee {
  readonly settings: NamedSettings;
  /** Share of resamples in which it is the knee; `null` of one family. */
  readonly probability: number | null;
  /** Where the knee lies, by setting. */
  readonly intervals: Readonly<Record<string, Interval>>;
}

/** How much of what lies between the best of each objective and a reference point the cells cover. */
export interface FrontVolume {
  /** Of the front, as a share. */
  readonly share: Estimate;
  /** Of today's settings alone; `null` where they break a constraint. */
  readonly today: number | null;
  /** Of each objective; `null` where all come to about the same, so that it does not count. */
  readonly reference: readonly (ReferenceAmount | null)[];
}

/** What an objective is measured against: what never compacting comes to, or the worst cell where nothing beats that. */
export interface ReferenceAmount {
  readonly amount: number;
  readonly of: 'none' | 'worst cell';
}

/** What a setting does to the first objective. */
export interface Sensitivity {
  readonly setting: string;
  /** Whether no value of it changes anything that happens. */
  readonly isDead: boolean;
  /** Percent of the first objective for one percent of the setting; `null` where there is none. */
  readonly elasticity: Estimate | null;
  /** Why there is none; absent where there is one, and of a setting that changes nothing. */
  readonly lack?: ElasticityLack;
}

/** Why a setting has no elasticity. */
export type ElasticityLack = (typeof ELASTICITY_LACKS)[number];

/** What to do, and what speaks for it. */
export interface Advice {
  readonly state: (typeof ADVICE_STATES)[number];
  /** Whether the outcomes are of sessions that were held out. */
  readonly isHeldOut: boolean;
  /** The knee, or without one members of the front, against today's settings; nothing where those are the knee. */
  readonly compared: readonly Candidate[];
  /** What today's settings break over all sessions. */
  readonly brokenByToday: readonly string[];
  /** What is advised, or in a trade-off would have to be written; today's where they are kept. */
  readonly settings: NamedSettings;
  /** Settings that the cell has otherwise than today and that stay as they are: without them it is nowhere worse by more than counts. */
  readonly needless?: readonly string[];
}

/** A member of the front against today's settings. */
export interface Candidate {
  readonly settings: NamedSettings;
  readonly isKnee: boolean;
  readonly state: Advice['state'];
  readonly outcomes: readonly ObjectiveOutcome[];
  /** What it breaks over all sessions, those held out too. */
  readonly broken: readonly string[];
}

/** An objective under other settings against today's. */
export interface ObjectiveOutcome {
  readonly objective: Objective;
  /** Those that went well under both. */
  readonly sessions: number;
  /** Of so many families. */
  readonly families: number;
  readonly today: number;
  readonly tuned: number;
  /** Of costs the geometric mean of ratios, of all else the mean difference. */
  readonly kind: 'ratio' | 'difference';
  readonly estimate: Estimate;
  /** Adjusted over all objectives of all candidates; `null` of too few. */
  readonly pValue: number | null;
  readonly verdict: Verdict;
}

/** The version of the shape of the JSON document. */
export const TUNE_VERSION = 4;

/** Parts of the sessions with fewer families than this say nothing. */
export const LEAST_PART = 2;

/** Reasons why a setting has no elasticity, of which the first holds that does. */
export const ELASTICITY_LACKS = [
  'few cells',
  'no number',
  'few above zero',
  'one value',
  'never alone',
] as const;

/** States of an advice; that of several candidates is the first that one of them has. */
export const ADVICE_STATES = [
  'change',
  'trade-off',
  'keep',
  'within noise',
  'too few',
  'nothing feasible',
] as const;

const ELASTICITY_DECIMALS = 3;
const DISTANCE_DECIMALS = 3;
const SHARE_DECIMALS = 3;
/** Of cells that are not feasible so many are named. */
const MOST_INFEASIBLE = 5;
/** What a bootstrap of few sessions is worth. */
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

/** Whether an outcome speaks for today's settings. */
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

/** What each setting does to the first objective. */
export function describeSensitivity(report: TuneReport): readonly string[] {
  return report.sensitivity.map((one) => `${one.setting}: ${describeElasticity(one, report)}`);
}

function isOfMisses({ metric }: Objective): boolean {
  return metric === 'misses';
}

function describeMisses({ mean, atBest }: FrontMember['misses']): string {
  if (mean === null) return UNKNOWN;
  const shown = formatAmount(mean, 'count');
  return mean === 0 || atBest === null
    ? shown
    : `${shown} (${formatAmount(atBest, 'count')} at best)`;
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
