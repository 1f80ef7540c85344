import {
  formatAmount,
  formatDifference,
  formatDifferenceInterval,
  formatRatio,
} from '../amounts.ts';
import { changedSettings, toConfigChange } from './config.ts';
import type { Advice, ObjectiveOutcome, TuneReport } from './tune-report.ts';

const INDENT = 2;

/** What an advice is told by. */
const WORDS: Readonly<Record<Advice['state'], string>> = {
  change: 'Change the settings: the knee is better, and nothing is worse.',
  'trade-off': 'A trade-off: the knee is better in some objectives and worse in others.',
  keep: "Keep today's settings.",
  'within noise': "No difference within noise: keep today's settings.",
  'too few': "Too few sessions to tell a difference from noise: keep today's settings.",
  'nothing feasible': 'No cell keeps the constraints.',
};

/** The same where a constraint decides. */
const REPAIR = "Change the settings: the knee keeps the constraints, today's do not.";
const NEITHER = "Neither the knee nor today's settings keep the constraints.";

/** The knee against today's settings. */
export function describeOutcome(outcome: ObjectiveOutcome): string {
  const { objective, today, tuned, kind, estimate, verdict } = outcome;
  const { label, unit } = objective;
  const means = `${formatAmount(today, unit)} → ${formatAmount(tuned, unit)}`;
  const change =
    kind === 'ratio'
      ? `geometric ratio ${formatRatio(estimate)}`
      : `${formatDifference(estimate.value, unit)} (${formatDifferenceInterval(estimate.interval, unit)})`;
  return `${label}: ${means}, ${change}: ${verdict}`;
}

/** What to do in the end, with what to write where something is to be changed. */
export function adviceLines({ advice, policy, today }: TuneReport): readonly string[] {
  const { state } = advice;
  const said = [verdictOf(advice), ...brokenLines(advice)];
  if (state !== 'change' && state !== 'trade-off') return said;
  const { file, set } = toConfigChange(policy, changedSettings({ today, advice }));
  return [
    ...said,
    ...(file ? ['', 'opencode.json:', JSON.stringify(file, null, INDENT)] : []),
    ...(set.length === 0
      ? []
      : [
          '',
          'Without a key in a configuration; in this program:',
          set.map((pair) => `--set ${pair}`).join(' '),
        ]),
  ];
}

function verdictOf({ state, broken, brokenByToday }: Advice): string {
  if (brokenByToday.length === 0) return WORDS[state];
  if (state === 'change') return REPAIR;
  return broken.length > 0 ? NEITHER : WORDS[state];
}

function brokenLines({ broken, brokenByToday }: Advice): readonly string[] {
  return [
    ...broken.map((obstacle) => `The knee breaks a constraint: ${obstacle}.`),
    ...brokenByToday.map((obstacle) => `Today's settings break a constraint: ${obstacle}.`),
  ];
}
