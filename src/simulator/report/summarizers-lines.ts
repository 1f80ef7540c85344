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
  formatFixed,
  formatPercent,
  formatShortPercent,
  knownInterval,
  percentOf,
  UNKNOWN,
  withEnds,
} from './numbers.ts';
import { describeOrigin } from './origin.ts';
import { shareCell } from './statistics-charts.ts';
import type {
  ArmDifference,
  ArmReport,
  IntervalEstimate,
  MeanEstimate,
  ScenarioProvenance,
  SessionCount,
  SummarizersProvenance,
  SummarizersReport,
} from './summarizers-report.ts';
import type { Column } from './text-table.ts';

/** A table of a report. */
export interface ReportTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** A column, and its cell for each arm. */
type ArmColumn = Column & {
  readonly of: (arm: ArmReport) => string;
  /** A screen has it. */
  readonly isKey?: true;
};

const DIFFERENCE_COLUMNS: readonly Column[] = [
  { title: 'Arm − base' },
  { title: 'Metric', holds: 'words' },
  { title: 'Difference', rank: 0 },
  { title: '95 % interval', rank: 1 },
  { title: 'Sessions', rank: 2 },
  { title: 'Verdict', holds: 'words' },
];

const DECIMALS = 1;
const RATIO_DECIMALS = 3;
/** Intervals that are narrower have ends with a tenth. */
const NARROW = 0.05;

const ARM_COLUMNS: readonly ArmColumn[] = [
  { title: 'Facts kept', isKey: true, of: ofShare('factsKept') },
  { title: 'After 2nd compaction', rank: 4, of: ofShare('factsKeptSecond') },
  { title: 'Must-facts not kept', rank: 3, isKey: true, of: mustCell },
  { title: 'Contradicted', rank: 6, of: ofShare('contradicted') },
  { title: 'Stale', rank: 7, of: ofShare('stale') },
  { title: 'Strings kept', rank: 1, isKey: true, of: ofShare('stringsKept') },
  { title: 'In random lines', rank: 2, of: ofShare('stringsInRandomLines') },
  { title: 'Per 1,000 tokens', rank: 8, of: ofMean('stringsPerKilotoken') },
  { title: 'Tokens', isKey: true, of: ofMean('summaryTokens') },
  { title: 'Not shorter', rank: 10, of: (arm) => ofPivots(arm.failures.nonCompressing, arm) },
  { title: 'Cut', rank: 11, of: (arm) => ofPivots(arm.failures.cut, arm) },
  { title: 'Failed', rank: 9, of: failedCell },
  { title: '$ each', rank: 5, isKey: true, of: ofMean('costUsd') },
  { title: 'Latency', rank: 12, of: ofMean('latencyMs') },
];

/** Explains the numbers of strings. */
export const STRINGS_NOTE =
  'Strings kept: share of the names, paths and numbers of the head that later steps use again and that stand in the summary. In random lines: the same for random lines of the head that are as long as the summary. Neither says whether an agent could go on.';

/** One row an arm, what keeps most first; numbers that nobody knows of any arm have no column. */
export function armTable({ arms }: SummarizersReport, { isBrief = false } = {}): ReportTable {
  const known = ARM_COLUMNS.filter(
    ({ of, isKey }) => (isKey || !isBrief) && arms.some((arm) => of(arm) !== UNKNOWN),
  );
  return {
    columns: [{ title: 'Arm' }, ...known],
    rows: byKept(arms).map((arm) => [arm.name, ...known.map(({ of }) => of(arm))]),
  };
}

/** Arms by what they kept, that which kept most first. */
export function byKept(arms: readonly ArmReport[]): readonly ArmReport[] {
  return arms.toSorted((one, other) => keptBy(other) - keptBy(one));
}

/** One row a difference; of costs their ratio, by which they are judged. */
export function differenceTable({ differences }: SummarizersReport): ReportTable {
  const rows = differences.map((found) => {
    const { arm, metric, difference, ratio } = found;
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
      describeVerdict(found),
    ];
  });
  return { columns: DIFFERENCE_COLUMNS, rows };
}

/** Shares of facts that are still in the summary after so many pivots; none where no fact went through two. */
export function survivalTable({ arms }: SummarizersReport): ReportTable {
  const longest = arms.reduce((most, { survival }) => Math.max(most, survival.length), 0);
  const pivots = Array.from({ length: longest }, (_, index) => index + 1);
  return {
    columns: [
      { title: 'Facts that survive' },
      ...pivots.map((pivot) => ({ title: countOf(pivot, 'compaction'), rank: longest - pivot })),
    ],
    rows:
      longest < 2
        ? []
        : arms.map(({ name, survival }) => [
            name,
            ...pivots.map((_, index) => {
              const point = survival[index];
              return point === undefined ? UNKNOWN : spreadCell(point.survival);
            }),
          ]),
  };
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
  const prompts = new Map(arms.map(({ prompt, promptHash }) => [promptHash, prompt]));
  return [
    `Policy ${policy}, compacted ${describePlaces(provenance)}; model ${model}; seed ${seed}.`,
    `${describeFamilies(countScenarios(scenarios))}, ${describeFacts(scenarios)}; each run ${repeatsOf(provenance)}.`,
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

/** The arm that the others are compared to; empty where there is one only. */
export function baseOf({ differences }: SummarizersReport): string {
  return differences[0]?.base ?? '';
}

/** The verdict on a difference in words. Only answers of a reader make an arm better or worse. */
export function describeVerdict({ metric, verdict }: ArmDifference): string {
  const [lower, higher] = armMetrics[metric].differs ?? [];
  switch (verdict) {
    case 'unjudged':
      return 'nothing judges this';
    case 'lower':
      return lower ?? verdict;
    case 'higher':
      return higher ?? verdict;
    case 'equivalent':
      return 'no difference that matters';
    case 'within noise':
    case 'too few':
      return 'not enough data';
  }
}

/** A share with its interval, in percent. */
export function spreadCell({ mean, ...ends }: IntervalEstimate): string {
  return mean === null ? UNKNOWN : withPercentEnds(shareCell(mean), knownInterval(ends));
}

/** A difference of two shares with its interval, in points. */
export function pointsCell({ mean, ...ends }: IntervalEstimate): string {
  if (mean === null) return UNKNOWN;
  return withPercentEnds(formatDifference(mean, 'ratio'), knownInterval(ends));
}

/** Who says what is to be kept of the sessions. */
export function describeFacts(scenarios: readonly ScenarioProvenance[]): string {
  const counted = (source: ScenarioProvenance['facts']) =>
    scenarios.filter(({ facts }) => facts === source).length;
  const told = [
    counted('planted') > 0 ? `${formatCount(counted('planted'))} with planted facts` : '',
    counted('stated') > 0 ? `${formatCount(counted('stated'))} with the facts of a file` : '',
    counted('none') > 0 ? `${formatCount(counted('none'))} without facts` : '',
  ];
  return told.filter((text) => text !== '').join(', ');
}

function keptBy({ metrics }: ArmReport): number {
  return metrics.factsKept.mean ?? metrics.stringsKept.mean ?? -1;
}

function countScenarios(scenarios: readonly ScenarioProvenance[]): CountedFamilies {
  return countEvidence(scenarios.map(({ name, family }) => ({ session: name, family })));
}

function ofShare(name: ArmMetricName): ArmColumn['of'] {
  return ({ metrics }) => spreadCell(metrics[name]);
}

function ofMean(name: ArmMetricName): ArmColumn['of'] {
  return ({ metrics }) => meanCell(metrics[name], name);
}

function meanCell({ mean }: MeanEstimate, name: ArmMetricName): string {
  return mean === null ? UNKNOWN : amount(mean, name);
}

function failedCell({ failures: { failed, trials } }: ArmReport): string {
  return `${formatCount(failed)} of ${formatCount(trials)}`;
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

/** Without an interval where both of its ends are the same. */
function withPercentEnds(shown: string, interval: ReturnType<typeof knownInterval>): string {
  if (interval === null || interval.low === interval.high) return shown;
  const digits = interval.high - interval.low < NARROW ? 1 : 0;
  return withEnds(shown, interval, (end) => formatFixed(percentOf(end), digits));
}
