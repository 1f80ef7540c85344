import { LEAST_KAPPA } from '../../metrics/probes/agreement.ts';
import { CONDITIONS } from '../../metrics/probes/probe.ts';
import type { LossAccount, ProbeAccount } from '../../metrics/probes/accounts.ts';
import { formatCount } from '../numbers.ts';
import { shareCell } from '../statistics/cells.ts';
import type { ProbeKind } from '../../metrics/probes/probe.ts';

/** What questions after the first pivot of an arm came to. */
export interface ArmProbes extends ProbeAccount {
  readonly arm: string;
  /** Of questions that nobody can answer. */
  readonly falseRecallRate: number | null;
  /** Right after the pivot, by what was asked for. */
  readonly kinds: Readonly<Partial<Record<ProbeKind, number | null>>>;
}

/** How far a judge may be trusted. */
export interface JudgeReport {
  readonly name: string;
  readonly promptVersion: number;
  readonly labels: number;
  /** Cohen's κ with the labels; `null` where chance alone explains the verdicts. */
  readonly kappa: number | null;
  /** Share of verdicts that stay when the rules stand in another order. */
  readonly selfAgreement: number | null;
  /** Verdicts that were not in the form that was asked for. */
  readonly unreadable: number;
}

/** Titles of the table of questions. */
export const PROBE_TITLES: readonly string[] = [
  'Questions to',
  'Asked',
  ...CONDITIONS,
  'Retention',
  'Lost',
  'Ignored',
  'Confabulated',
  'Gained',
  'False recall',
];

const LOSSES: readonly (keyof LossAccount)[] = ['lost', 'ignored', 'confabulated', 'gained'];
const DECIMALS = 2;

/** One row an arm. */
export function probeRows(arms: readonly ArmProbes[]): readonly (readonly string[])[] {
  return arms.map(({ arm, questions, accuracy, retention, loss, falseRecallRate }) => [
    arm,
    formatCount(questions),
    ...CONDITIONS.map((condition) => shareCell(accuracy[condition])),
    shareCell(retention),
    ...LOSSES.map((name) => shareCell(loss[name])),
    shareCell(falseRecallRate),
  ]);
}

/** How far the judge may be trusted, in a sentence. */
export function describeJudge({ name, labels, kappa, selfAgreement, unreadable }: JudgeReport) {
  const isTrusted = kappa !== null && kappa >= LEAST_KAPPA;
  const told = kappa === null ? 'unknown' : kappa.toFixed(DECIMALS);
  return `Judge ${name}: κ ${told} with ${labels} labels, agrees with itself in ${shareCell(selfAgreement)}, ${unreadable} verdicts unreadable${isTrusted ? '' : `; below κ ${LEAST_KAPPA} nothing may depend on it`}.`;
}
