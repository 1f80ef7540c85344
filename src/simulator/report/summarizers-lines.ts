import { type CountedFamilies, countEvidence } from '../metrics/statistics/verdict.ts';
import { type ArmMetricName, armMetrics } from './arm-metrics.ts';
import {
  countFamilies,
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatCount,
  formatDifference,
  formatEnds,
  formatPercent,
  formatShortPercent,
  knownInterval,
  UNKNOWN,
} from './numbers.ts';
import { describeOrigin } from './origin.ts';
import {
  type ArmDifference,
  type ArmReport,
  type MeanEstimate,
  type ScenarioProvenance,
  type SessionCount,
  spreadCell,
  type SummarizersProvenance,
  type SummarizersReport,
} from './summarizers-report.ts';
import type { Column } from './text-table.ts';

/** The table of arms. */
export const ARM_COLUMNS: readonly Column[] = [
  { title: 'Arm' },
  { title: 'Kept, 1st pivot' },
  { title: 'Kept, 2nd pivot', rank: 1 },
  { title: 'Must-facts dropped', rank: 2 },
  { title: 'Stale', rank: 4 },
  { title: 'Contradicted', rank: 3 },
  { title: 'Tokens', rank: 6 },
  { title: 'Not shorter', rank: 8 },
  { title: 'Cut', rank: 9 },
  { title: 'Failed', rank: 7 },
  { title: '$ each', rank: 5 },
  { title: 'Latency', rank: 10 },
];

/** The table of differences. */
export const DIFFERENCE_COLUMNS: readonly Column[] = [
  { title: 'Arm − base' },
  { title: 'Metric', holds: 'words' },
  { title: 'Difference' },
  { title: '95 % interval', rank: 1 },
  { title: 'Sessions', rank: 2 },
  { title: 'Verdict', holds: 'words' },
];

const DECIMALS = 1;
const RATIO_DECIMALS = 3;

/** One row an arm. */
export function armRows({ arms }: SummarizersReport): readonly (readonly string[])[] {
  return arms.map((arm) => {
    const { metrics, failures } = arm;
    const cell = (name: ArmMetricName) => meanCell(metrics[name], name);
    return [
      arm.name,
      spreadCell(metrics.retention),
      spreadCell(metrics.retentionSecond),
      mustCell(arm),
      spreadCell(metrics.staleRate),
      spreadCell(metrics.contradictedRate),
      cell('summaryTokens'),
      ofPivots(failures.nonCompressing, arm),
      ofPivots(failures.cut, arm),
      `${formatCount(failures.failed)} of ${formatCount(failures.trials)}`,
      cell('costUsd'),
      cell('latencyMs'),
    ];
  });
}

/** One row a difference; of costs their ratio, by which they are judged. */
export function differenceRows({ differences }: SummarizersReport): readonly (readonly string[])[] {
  return differences.map(({ arm, metric, difference, ratio, verdict }) => {
    const { mean, ...ends } = ratio ?? difference;
    const interval = knownInterval(ends);
    const shown = (value: number | null) =>
      ratio === undefined ? signed(value, metric) : factor(value);
    return [
      arm,
      armMetrics[metric].label,
      shown(mean),
      interval === null ? UNKNOWN : formatEnds(interval, shown),
      sessionsCell(difference),
      describeVerdict({ metric, verdict }),
    ];
  });
}

/** Describes failures, one sentence each. */
export function failureLines({ arms }: SummarizersReport): readonly string[] {
  return arms.flatMap(({ name, failures }) =>
    failures.reasons.map(
      ({ reason, state, times }) => `${name}: ${state}, ${countOf(times, 'time')}: ${reason}`,
    ),
  );
}

/** Describes the basis of the numbers, a sentence each. */
export function provenanceLines({ provenance, arms }: SummarizersReport): readonly string[] {
  const { policy, model, origin, scenarios, seed, ...rest } = provenance;
  const counted = countScenarios(scenarios);
  const planted = scenarios.filter(({ facts }) => facts === 'planted').length;
  const prompts = new Map(arms.map(({ prompt, promptHash }) => [promptHash, prompt]));
  return [
    `Policy ${policy}, compacted ${describePlaces(provenance)}; model ${model}; seed ${seed}.`,
    `${describeFamilies(counted)}, ${factsOf(planted, scenarios.length)}; each run ${repeatsOf(provenance)}.`,
    `Prompts: ${[...prompts].map(([hash, name]) => `${name} ${hash}`).join(', ')}. Scorer ${rest.scorerVersion}, bench ${rest.bench}.`,
    describeOrigin(origin),
    'Means over sessions with 95 % intervals. Failures count in no score; – means unknown.',
    ...familyLines(provenance),
  ];
}

/** Where sessions were compacted. */
export function describePlaces({
  compactAt,
  pivots,
  model,
}: Pick<SummarizersProvenance, 'compactAt' | 'pivots' | 'model'>): string {
  return compactAt === 'policy'
    ? `${countOf(pivots, 'time')} where the policy compacts on ${model}`
    : `at ${compactAt.map(formatShortPercent).join(', ')} of the steps`;
}

/** Explains families of sessions; nothing where all are independent. */
export function familyLines({ scenarios }: SummarizersProvenance): readonly string[] {
  const { sessions, families } = countScenarios(scenarios);
  return families < sessions ? [FAMILY_COUNTS_ONCE] : [];
}

/** How often each session was run. */
export function repeatsOf({
  repeats,
  leastRepeats,
}: Pick<SummarizersProvenance, 'repeats' | 'leastRepeats'>): string {
  const most = countOf(repeats, 'time');
  return leastRepeats === undefined ? most : `${formatCount(leastRepeats)} to ${most}`;
}

/** The arm that the others are compared to; absent where there is one only. */
export function baseOf({ differences }: SummarizersReport): string | undefined {
  return differences[0]?.base;
}

function countScenarios(scenarios: readonly ScenarioProvenance[]): CountedFamilies {
  return countEvidence(scenarios.map(({ name, family }) => ({ session: name, family })));
}

function factsOf(planted: number, sessions: number): string {
  if (planted === sessions) return 'all with planted facts';
  if (planted === 0) return 'with facts taken from their texts';
  return `${formatCount(planted)} with planted facts, the others with facts taken from their texts`;
}

function meanCell({ mean }: MeanEstimate, name: ArmMetricName): string {
  return mean === null ? UNKNOWN : amount(mean, name);
}

function sessionsCell({ sessions, families }: SessionCount): string {
  const shown = formatCount(sessions);
  return families === undefined ? shown : `${shown} in ${countFamilies(families)}`;
}

/** With the highest rate that is left possible. */
function mustCell({ mustFacts: { of, dropped, highestRate } }: ArmReport): string {
  if (highestRate === null) return UNKNOWN;
  const bound = `≤ ${formatPercent(highestRate, DECIMALS)}`;
  return `${formatCount(dropped)} of ${formatCount(of)} (${bound})`;
}

function ofPivots(times: number, { failures: { pivots } }: ArmReport): string {
  return pivots === 0 ? UNKNOWN : `${formatCount(times)} of ${formatCount(pivots)}`;
}

function describeVerdict({ metric, verdict }: Pick<ArmDifference, 'metric' | 'verdict'>): string {
  if (verdict !== 'lower' && verdict !== 'higher') return verdict;
  const { better } = armMetrics[metric];
  if (better === undefined) return verdict;
  return better === verdict ? 'better' : 'worse';
}

function signed(value: number | null, name: ArmMetricName): string {
  if (value === null) return UNKNOWN;
  const { unit } = armMetrics[name];
  if (unit !== 'per-kilotoken') return formatDifference(value, unit);
  return `${value > 0 ? '+' : ''}${amount(value, name)}`;
}

function factor(ratio: number | null): string {
  return ratio === null ? UNKNOWN : `${ratio.toFixed(RATIO_DECIMALS)} ×`;
}

function amount(value: number, name: ArmMetricName): string {
  const { unit } = armMetrics[name];
  return unit === 'per-kilotoken' ? value.toFixed(DECIMALS) : formatAmount(value, unit);
}
