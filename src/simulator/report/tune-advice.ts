/** The advice of tuning: its block, and the evidence for it in sentences. */

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
import type { Block, Text } from './document.ts';
import {
  countFamilies,
  formatAmount,
  formatDifference,
  formatDifferenceInterval,
  formatP,
  formatPercent,
  formatRatio,
  UNKNOWN,
} from './numbers.ts';
import { isWorthTrying } from './verdict.ts';
import {
  type Candidate,
  describeSettings,
  joined,
  type NamedSettings,
  type ObjectiveOutcome,
  type TuneReport,
  type TuneVerdict,
} from './tune-report.ts';

/** Metrics that every block tells of. */
const TOLD_ANYWAY = [COST_METRIC, UNPRICED_METRIC, 'misses'];

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
  return [
    ...compared.flatMap((candidate) =>
      candidate.broken.map((obstacle) => `${nameOf(candidate)} breaks a constraint: ${obstacle}.`),
    ),
    ...brokenByToday.map((obstacle) => `Today's settings break a constraint: ${obstacle}.`),
    ...(kept.length > 0
      ? [`What makes no difference of ${formatPercent(unlisted.within)} stays: ${kept.join(', ')}.`]
      : []),
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

/** The settings that differ from today's; the others need not be written. */
export function changedSettings(settings: NamedSettings, today: NamedSettings): NamedSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => today[name] !== value),
  );
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
