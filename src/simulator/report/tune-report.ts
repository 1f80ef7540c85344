import { type Text, untrusted } from './document.ts';
import {
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatDifference,
  formatPercent,
  formatSignedPercent,
  UNKNOWN,
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
/** The values of a cell. */
export type TunedPoint = TuneReport['cells']['feasible'][number];
/** A setting that was tried, and whether it matters. */
export type Tried = TuneReport['tried'][number];
/** Settings against today's, judged. */
export type TuneVerdict = TuneReport['verdict'];
/** The recommended action, and the evidence for it. */
export type Advice = TuneReport['advice'];
/** A member of the front against today's settings. */
export type Candidate = Advice['compared'][number];
/** An objective under other settings against today's. */
export type ObjectiveOutcome = Candidate['outcomes'][number];

/** A sentence in pieces, for names in it come from outside. */
export type Sentence = Extract<Text, readonly unknown[]>;

/** The version of the shape of the JSON document. */
export const TUNE_VERSION = 6;

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

const DISTANCE_DECIMALS = 3;
/** Of cells that are not feasible so many are named. */
const MOST_INFEASIBLE = 5;
/** Checks whether an outcome speaks for other settings. */
export function isBetter({
  objective,
  verdict,
}: Pick<ObjectiveOutcome, 'objective' | 'verdict'>): boolean {
  return verdict === objective.better;
}

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
    ...(objectives.some(isOfMisses) ? [] : [{ title: 'Losses, mean', rank: means.length }]),
    { title: '', holds: 'words' },
  ];
}

/** Its rows, one a member. */
export function frontRows({ front, objectives }: TuneReport): readonly (readonly string[])[] {
  const hasMisses = objectives.some(isOfMisses);
  return front.map(({ settings, values, misses, isToday, isKnee }) => [
    describeSettings(settings),
    ...values.map((value, axis) => {
      const objective = objectives[axis];
      if (objective !== undefined && isOfMisses(objective)) return describeMisses(misses);
      return formatAmount(value, objective?.unit ?? 'count');
    }),
    ...(hasMisses ? [] : [describeMisses(misses)]),
    [...(isKnee ? ['knee'] : []), ...(isToday ? ['today'] : [])].join(', '),
  ]);
}

/** How many members of the front are not shown, and why. */
export function describeUnlisted({ unlisted: { members, within } }: TuneReport): string {
  if (members === 0) return '';
  return `And ${countOf(members, 'more member')} of the front, at most ${formatPercent(within)} better in any objective than one shown.`;
}

/** How the grid went: sessions, cells and what breaks a constraint. */
export function describeGrid({ sessions, cells, constraints }: TuneReport): string {
  const { tuning, heldOut, families, leftOut } = sessions;
  const areAlone = families.tuning === tuning && families.heldOut === heldOut;
  const ofHeldOut = areAlone
    ? heldOut
    : describeFamilies({ sessions: heldOut, families: families.heldOut });
  const parts = [
    `${describeFamilies({ sessions: tuning, families: families.tuning })} tuned on, ${ofHeldOut} held out, ${leftOut.length} left out`,
    `${countOf(cells.all, 'cell')}, ${cells.distinct} of them distinct, ${cells.infeasible.length} not feasible`,
    `constraints: ${['no refusal', 'no loop', ...constraints].join(', ')}`,
  ];
  return [
    `${parts.join('; ')}.`,
    ...(areAlone ? [] : [FAMILY_COUNTS_ONCE]),
    ...describeAskedShare(sessions),
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
export function describeKneeLine({ front }: TuneReport): string {
  const knee = front.find(({ isKnee }) => isKnee);
  if (knee !== undefined) return `Knee: ${describeSettings(knee.settings)}.`;
  return front.length === 0 ? '' : 'No knee: no member lies below the ends of the front.';
}

/** Parts as a list in a sentence. */
export function joined(parts: readonly Sentence[]): Sentence {
  return parts.flatMap((part, index) => {
    if (index === 0) return part;
    return [index === parts.length - 1 ? ' and ' : ', ', ...part];
  });
}

/** Which settings were tried: those that vary, and in one line those that change nothing. */
export function triedTexts({ tried }: TuneReport): readonly Text[] {
  const varied = tried.filter(({ isVaried, matters }) => isVaried && matters);
  const others = tried.filter(({ isVaried, matters }) => !isVaried && matters);
  const idle = tried.filter(({ matters }) => !matters);
  const be = idle.length === 1 ? 'was tried and changes' : 'were tried and change';
  const tell = (lead: string, some: readonly Tried[]): readonly Text[] =>
    some.length === 0 ? [] : [[lead, ...joined(some.map(describeOneTried)), '.']];
  const names = idle.map(({ setting }) => [untrusted(setting)]);
  return [
    ...tell('Varied: ', varied),
    ...tell('Tried alone, not in the grid: ', others),
    ...(idle.length === 0 ? [] : [[...joined(names), ` ${be} nothing that matters here.`]]),
  ];
}

function describeOneTried({ setting, leastCost }: Tried): Sentence {
  const name = untrusted(setting);
  if (leastCost === null) return [name];
  return [name, ` (cost alone at best ${formatSignedPercent(leastCost, 1)})`];
}

function isOfMisses({ metric }: Objective): boolean {
  return metric === 'misses';
}

function describeMisses({ mean, bestKnown }: TuneReport['front'][number]['misses']): string {
  if (mean === null) return UNKNOWN;
  const shown = formatAmount(mean, 'count');
  return mean === 0 || bestKnown === null
    ? shown
    : `${shown} (best known ${formatAmount(bestKnown, 'count')})`;
}

/** Neither part may be smaller than says anything. */
function describeAskedShare({ families, askedShare }: TuneReport['sessions']): readonly string[] {
  const all = families.tuning + families.heldOut;
  const isAsAsked = families.heldOut === Math.round(askedShare * all);
  if (isAsAsked || families.heldOut === 0) return [];
  return [
    `${formatPercent(askedShare)} were to be held out; either part has at least ${LEAST_PART}, so it is ${formatPercent(families.heldOut / all)}.`,
  ];
}
