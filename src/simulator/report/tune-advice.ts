import { toConfigChange } from './agent-keys.ts';
import {
  countFamilies,
  countOf,
  formatAmount,
  formatDifference,
  formatDifferenceInterval,
  formatP,
  formatPercent,
  formatRatio,
} from './numbers.ts';
import {
  type Advice,
  type Candidate,
  describeSettings,
  type NamedSettings,
  type ObjectiveOutcome,
  type TuneReport,
} from './tune-report.ts';
import { isSaving } from './tune-verdict.ts';

/** The advice in words. */
interface AdviceText {
  readonly said: readonly string[];
  /** A sentence on the effect of the settings, right above them; empty where that is said already. */
  readonly lead: readonly string[];
  /** Texts to be pasted unchanged, each with its place. */
  readonly written: readonly { readonly where: string; readonly text: string }[];
}

const ONLY_HERE = 'Without a key that the agent reads; in this program:';

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

/** Describes what the advice rests on, with the text to paste where something may be changed. */
export function adviceOf(report: TuneReport): AdviceText {
  const { advice, front, verdict } = report;
  const others = front.filter(({ isToday }) => !isToday).length - advice.compared.length;
  const said = [...candidateLines(advice, others), ...brokenLines(advice)];
  const isWorthATry = verdict.state === 'not enough data' && isSaving(report);
  const isOpen = verdict.state === 'better' || isWorthATry;
  if (!isOpen || Object.keys(verdict.change).length === 0) return { said, lead: [], written: [] };
  const lead = [`To have ${describeSettings(verdict.change)}, write:`];
  return { said: [...said, ...needlessLines(report)], lead, written: toWrite(report) };
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

function hasKnee({ compared }: Advice): boolean {
  return compared.some(({ isKnee }) => isKnee);
}

/** Describes in what members of a front without a knee are better and worse, with verdicts. */
function candidateLines(advice: Advice, others: number): readonly string[] {
  if (hasKnee(advice)) return [];
  const lines = advice.compared
    .filter(({ outcomes }) => outcomes.length > 0)
    .map((candidate) => `${nameOf(candidate)}: ${describeSides(candidate)}.`);
  const more = others > 0 && lines.length > 0;
  return more ? [...lines, `${countOf(others, 'other member')} of the front not compared.`] : lines;
}

function describeSides({ outcomes }: Candidate): string {
  const sides = outcomes.map(({ objective: { label, unit }, today, tuned, verdict }) => {
    return `${label} ${formatDifference(tuned - today, unit)} (${verdict})`;
  });
  return sides.join(', ');
}

function brokenLines({ compared, brokenByToday }: Advice): readonly string[] {
  return [
    ...compared.flatMap((candidate) =>
      candidate.broken.map((obstacle) => `${nameOf(candidate)} breaks a constraint: ${obstacle}.`),
    ),
    ...brokenByToday.map((obstacle) => `Today's settings break a constraint: ${obstacle}.`),
  ];
}

function needlessLines({ advice, today, unlisted }: TuneReport): readonly string[] {
  const { needless = [] } = advice;
  if (needless.length === 0) return [];
  const kept = needless.map((name) => `${name}=${today.settings[name] ?? 'as it is'}`);
  return [
    `What makes no difference of ${formatPercent(unlisted.within)} stays: ${kept.join(', ')}.`,
  ];
}

function toWrite({ policy, verdict, trigger }: TuneReport): AdviceText['written'] {
  const { written, set } = toConfigChange(policy, verdict.change, trigger);
  const pairs = set.map((pair) => `--set ${pair}`).join(' ');
  return [...written, ...(pairs === '' ? [] : [{ where: ONLY_HERE, text: pairs }])];
}
