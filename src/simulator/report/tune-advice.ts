/** The findings of tuning, in sentences and rows. */

import { COST_METRIC, isSpend, UNPRICED_METRIC } from '../metrics/statistics/judge-difference.ts';
import { toConfigChange } from './agent-keys.ts';
import {
  type ChangeAdvice,
  changeBlock,
  changeLines,
  describeSetting,
  type NamedChange,
  othersRows,
  todoLines,
} from './change-block.ts';
import { type Block, type Text, untrusted } from './document.ts';
import {
  countFamilies,
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatDifference,
  formatDifferenceInterval,
  formatP,
  formatPercent,
  formatRatio,
  formatSignedPercent,
  UNKNOWN,
} from './numbers.ts';
import { pairsOf } from './origin.ts';
import type { Column } from './text-table.ts';
import { isWorthTrying } from './verdict.ts';
import {
  type Candidate,
  changedSettings,
  LEAST_PART,
  type NamedSettings,
  type ObjectiveOutcome,
  type Tried,
  type TuneReport,
  type TuneVerdict,
} from './tune-report.ts';

/** A sentence in pieces, for names in it come from outside. */
type Sentence = Extract<Text, readonly unknown[]>;

/** Metrics that every block tells of. */
const TOLD_ANYWAY = [COST_METRIC, UNPRICED_METRIC, 'misses'];

const DISTANCE_DECIMALS = 3;
/** Of cells that are not feasible so many are named. */
const MOST_INFEASIBLE = 5;

/** The answer, and the other settings that were tried. */
export function adviceBlocks(report: TuneReport): readonly Block[] {
  const why = whyNothing(report);
  if (why !== undefined) return [{ type: 'lines', lines: [why], isWrapped: true }];
  const advice = toAdvice(report);
  return [changeBlock(advice), { type: 'facts', rows: othersRows(advice, 2) }];
}

/** The answer as lines of their own. */
export function adviceLines(report: TuneReport): readonly Text[] {
  const why = whyNothing(report);
  return why === undefined ? changeLines(toAdvice(report)) : [why];
}

/** Texts to be pasted unchanged, each with its place; none where nothing is worth trying. */
export function snippetsOf(report: TuneReport) {
  const { policy, verdict, trigger } = report;
  const isOpen = whyNothing(report) === undefined && isWorthTrying(verdict, hasOtherGoal(report));
  if (!isOpen) return { lead: [], texts: [] };
  const { written, set } = toConfigChange(policy, verdict.change, trigger);
  const own = set.map((pair) => `--set ${pair}`).join(' ');
  const where = 'Without a key that the agent reads; in this program:';
  return {
    lead: [`To have ${describeSettings(verdict.change)}, write:`],
    texts: [...written, ...(own === '' ? [] : [{ where, text: own }])],
  };
}

/** The constraints that are broken, and what makes no difference. */
export function evidenceLines({ advice, today, unlisted }: TuneReport): readonly string[] {
  const { compared, brokenByToday, needless = [] } = advice;
  const kept = needless.map((name) => `${name}=${today.settings[name] ?? 'as it is'}`);
  const stays = `What makes no difference of ${formatPercent(unlisted.within)} stays`;
  return [
    ...compared.flatMap((candidate) =>
      candidate.broken.map((obstacle) => `${nameOf(candidate)} breaks a constraint: ${obstacle}.`),
    ),
    ...brokenByToday.map((obstacle) => `Today's settings break a constraint: ${obstacle}.`),
    ...(kept.length > 0 ? [`${stays}: ${kept.join(', ')}.`] : []),
  ];
}

/** An objective under a candidate against today's settings. */
export function describeOutcome(outcome: ObjectiveOutcome): string {
  const { objective, today, tuned, kind, estimate, pValue, verdict } = outcome;
  const { label, unit } = objective;
  const means = `${formatAmount(today, unit)} → ${formatAmount(tuned, unit)}`;
  const change =
    kind === 'ratio'
      ? `geometric ratio ${formatRatio(estimate)}`
      : `${formatDifference(estimate.value, unit)} (${formatDifferenceInterval(estimate.interval, unit)})`;
  const certainty = pValue === null ? '' : `, p ${formatP(pValue)}`;
  return `${label}: ${means}, ${change}: ${verdict}${certainty}`;
}

/** The name of a candidate. */
export function nameOf({ isKnee, settings }: Candidate): string {
  return isKnee ? 'The knee' : describeSettings(settings);
}

/** Which sessions a candidate is compared with today's settings on: those that went well under both. */
export function describeBasis(
  { outcomes }: Candidate,
  { advice: { isHeldOut }, sessions: { heldOut, tuning } }: TuneReport,
): string {
  const all = isHeldOut ? heldOut : tuning;
  const { sessions: compared, families } = outcomes[0] ?? { sessions: all, families: all };
  const which = compared < all ? `${compared} of ${all}` : 'the';
  const ofFamilies = families < compared ? ` in ${countFamilies(families)}` : '';
  const part = isHeldOut ? 'held out' : 'tuned on, so this flatters';
  return `against today, on ${which} sessions${ofFamilies} ${part}`;
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

function isOfMisses({ metric }: TuneReport['objectives'][number]): boolean {
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

/** Parts as a list in a sentence. */
function joined(parts: readonly Sentence[]): Sentence {
  return parts.flatMap((part, index) => {
    if (index === 0) return part;
    return [index === parts.length - 1 ? ' and ' : ', ', ...part];
  });
}

/** Why there is no change to speak of; `undefined` where there is one. */
function whyNothing({ verdict, advice }: TuneReport): string | undefined {
  if (advice.state === 'nothing feasible') {
    return "Neither today's settings nor any that were tried meet the constraints.";
  }
  return Object.keys(verdict.change).length === 0
    ? "Keep today's settings: nothing that was tried changes anything here."
    : undefined;
}

function toAdvice(report: TuneReport): ChangeAdvice {
  const { policy, verdict, others, trigger, cells, advice, objectives } = report;
  const isOther = objectives.some(({ metric }) => !TOLD_ANYWAY.includes(metric));
  return {
    best: toNamed(verdict, report),
    others: others.map((one) => toNamed(one, report)),
    todo: todoLines(policy, toConfigChange(policy, verdict.change, trigger)),
    judged: cells.distinct - 1,
    goals: goalsOf(report),
    isOtherGoal: hasOtherGoal(report),
    isTrade: isOther && advice.state === 'trade-off',
  };
}

function hasOtherGoal({ objectives: [first] }: TuneReport): boolean {
  return !isSpend(first?.metric);
}

function toNamed({ change, ...judged }: TuneVerdict, { today }: TuneReport): NamedChange {
  const parts = Object.entries(change).map(([name, value]) =>
    describeSetting(name, value, [today.settings[name] ?? []].flat()),
  );
  return {
    ...judged,
    words: joined(parts.map(({ words }) => [words].flat())),
    short: parts.flatMap(({ short }, index) => [...(index === 0 ? [] : [' ']), ...[short].flat()]),
  };
}

/** The means of objectives that no other line tells of. */
function goalsOf({ objectives, cells, today, verdict }: TuneReport): readonly string[] {
  const key = JSON.stringify(verdict.change);
  const own = cells.feasible.find(
    ({ settings }) => JSON.stringify(changedSettings(settings, today.settings)) === key,
  );
  return objectives.flatMap(({ metric, label, unit }, axis) => {
    if (TOLD_ANYWAY.includes(metric)) return [];
    const [from, to] = [today, own].map((point) => {
      const value = point?.values[axis] ?? null;
      return value === null ? UNKNOWN : formatAmount(value, unit);
    });
    return [`${label}, mean of the sessions tuned on: ${from} → ${to}`];
  });
}
