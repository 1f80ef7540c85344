/** The tables of a comparison of summarizers. */

import { CONDITIONS, PROBE_KINDS } from '../metrics/probes/probe.ts';
import { FACT_KINDS } from '../session/facts.ts';
import { type ArmMetricName, armMetrics } from './arm-metrics.ts';
import { type TableBlock, untrusted } from './document.ts';
import {
  countFamilies,
  countOf,
  formatAmount,
  formatCount,
  formatDifference,
  formatEnds,
  formatPercent,
  knownInterval,
  UNKNOWN,
} from './numbers.ts';
import type {
  ArmProbes,
  ArmReport,
  MeanEstimate,
  SummarizersReport,
} from './summarizers-report.ts';
import { byKept, describeVerdict, shareOf, spreadCell } from './summarizers-verdict.ts';
import type { Column, TextTable } from './text-table.ts';

type Probes = NonNullable<SummarizersReport['probes']>;

type ArmColumn = Column & {
  readonly of: (arm: ArmReport) => string;
  /** A screen has it. */
  readonly isKey?: true;
};

const DECIMALS = 1;
const RATIO_DECIMALS = 3;
const DIFFERENCE_COLUMNS: readonly Column[] = [
  { title: 'Arm − base' },
  { title: 'Metric', holds: 'words' },
  { title: 'Difference', rank: 0 },
  { title: '95 % interval', rank: 1 },
  { title: 'Sessions', rank: 2 },
  { title: 'Verdict', holds: 'words' },
];

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
  { title: 'Failed', rank: 9, of: ({ failures: { failed, trials } }) => part(failed, trials) },
  { title: '$ each', rank: 5, isKey: true, of: ofMean('costUsd') },
  { title: 'Latency', rank: 12, of: ofMean('latencyMs') },
];

/** Explains the numbers of strings. */
export const STRINGS_NOTE =
  'Strings kept: share of the names, paths and numbers of the head that later steps use again and that stand in the summary. In random lines: the same for random lines of the head that are as long as the summary. Neither says whether an agent could go on.';

/** One row an arm, what keeps most first; numbers that nobody knows of any arm have no column. */
export function armTable({ arms }: SummarizersReport, { isBrief = false } = {}): TextTable {
  const known = ARM_COLUMNS.filter(
    ({ of, isKey }) => (isKey || !isBrief) && arms.some((arm) => of(arm) !== UNKNOWN),
  );
  return {
    columns: [{ title: 'Arm' }, ...known],
    rows: byKept(arms).map((arm) => [arm.name, ...known.map(({ of }) => of(arm))]),
  };
}

/** One row a difference; of costs their ratio, by which they are judged. */
export function differenceTable({ differences }: SummarizersReport): TextTable {
  const rows = differences.map((found) => {
    const { arm, metric, difference, ratio } = found;
    const { mean, ...ends } = ratio ?? difference;
    const { sessions, families } = difference;
    const interval = knownInterval(ends);
    const show = (value: number) =>
      ratio === undefined ? signed(value, metric) : `${value.toFixed(RATIO_DECIMALS)} ×`;
    const counted = formatCount(sessions);
    return [
      arm,
      armMetrics[metric].label,
      mean === null ? UNKNOWN : show(mean),
      interval === null ? UNKNOWN : formatEnds(interval, show),
      families === undefined ? counted : `${counted} in ${countFamilies(families)}`,
      describeVerdict(found),
    ];
  });
  return { columns: DIFFERENCE_COLUMNS, rows };
}

/** Shares of facts that are still in the summary after so many pivots; none where no fact went through two. */
export function survivalTable({ arms }: SummarizersReport): TextTable {
  const longest = arms.reduce((most, { survival }) => Math.max(most, survival.length), 0);
  const indices = Array.from({ length: longest }, (_, index) => index);
  const rows = arms.map(({ name, survival }) => [
    name,
    ...indices.map((index) => cellOf(survival[index]?.survival)),
  ]);
  return {
    columns: [
      { title: 'Facts that survive' },
      ...indices.map((index) => ({
        title: countOf(index + 1, 'compaction'),
        rank: longest - 1 - index,
      })),
    ],
    rows: longest < 2 ? [] : rows,
  };
}

/** Right answers of the reader under each condition, one row an arm. */
export function answerTable({ arms }: Probes): TextTable {
  return {
    columns: [
      { title: 'Answered right' },
      { title: 'Questions', rank: 3 },
      { title: 'FULL', rank: 1 },
      { title: 'COMPACTED' },
      { title: 'NONE', rank: 2 },
      { title: 'Left', rank: 0 },
    ],
    rows: arms
      .toSorted((one, other) => rightOf(other) - rightOf(one))
      .map(({ arm, questions, accuracy, left }) => [
        arm,
        formatCount(questions),
        ...CONDITIONS.map((condition) => spreadCell(accuracy[condition])),
        spreadCell(left),
      ]),
  };
}

/** The same by what was asked for: right after the compaction, of what is right with the whole session. */
export function answerKindTable({ arms }: Probes): TextTable {
  const kinds = PROBE_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  return {
    columns: [
      { title: 'Right after the compaction' },
      ...kinds.map((title, index) => ({ title, rank: index })),
    ],
    rows: arms.map(({ arm, kinds: own }) => [
      arm,
      ...kinds.map((kind) => {
        const found = own[kind];
        return found ? `${spreadCell(found.compacted)}, FULL ${shareOf(found.full)}` : UNKNOWN;
      }),
    ]),
  };
}

/** Shares of each kind of facts that the arms kept after the first compaction. */
export function kindsTable({ arms }: SummarizersReport): TableBlock {
  const kinds = FACT_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  return {
    type: 'table',
    columns: ['Kept, by kind', ...arms.map(({ name }) => untrusted(name))].map((title) => ({
      title,
    })),
    rows: kinds.map((kind) => [untrusted(kind), ...arms.map((arm) => cellOf(arm.kinds[kind]))]),
  };
}

function rightOf({ accuracy }: ArmProbes): number {
  return accuracy.compacted.mean ?? -1;
}

function ofShare(name: ArmMetricName): ArmColumn['of'] {
  return ({ metrics }) => spreadCell(metrics[name]);
}

function ofMean(name: ArmMetricName): ArmColumn['of'] {
  return ({
    metrics: {
      [name]: { mean },
    },
  }) => (mean === null ? UNKNOWN : amount(mean, name));
}

function ofPivots(times: number, { failures: { pivots } }: ArmReport): string {
  return pivots === 0 ? UNKNOWN : part(times, pivots);
}

function part(some: number, all: number): string {
  return `${formatCount(some)} of ${formatCount(all)}`;
}

function mustCell({ mustFacts: { of, dropped, highestRate } }: ArmReport): string {
  if (highestRate === null) return UNKNOWN;
  return `${part(dropped, of)} (≤ ${formatPercent(highestRate, DECIMALS)})`;
}

function cellOf(estimate: MeanEstimate | undefined): string {
  return estimate === undefined ? UNKNOWN : spreadCell(estimate);
}

function signed(value: number, name: ArmMetricName): string {
  const { unit } = armMetrics[name];
  if (unit !== 'per-kilotoken') return formatDifference(value, unit);
  return `${value > 0 ? '+' : ''}${amount(value, name)}`;
}

function amount(value: number, name: ArmMetricName): string {
  const { unit } = armMetrics[name];
  return unit === 'per-kilotoken' ? value.toFixed(DECIMALS) : formatAmount(value, unit);
}
