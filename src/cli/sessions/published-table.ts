import type { JudgedFigure } from '../../simulator/metrics/published/judge-published.ts';
import { formatCount, UNKNOWN } from '../../simulator/report/numbers.ts';
import type { TextTable } from '../../simulator/report/text-table.ts';

const COLUMNS: TextTable['columns'] = [
  { title: 'Published figure' },
  { title: 'published' },
  { title: 'generated' },
  { title: 'interval', name: 'interval of 95 %', rank: 1 },
  { title: 'verdict', holds: 'words' },
];
/** Below this, a tenth matters. */
const SMALL = 1_000;
const VERDICTS = new Map([
  [true, 'within'],
  [false, 'outside'],
  [null, UNKNOWN],
]);

/** Figures that the source of a workload gives, what sessions came to, and whether that is the same. */
export function toPublishedTable(judged: readonly JudgedFigure[]): TextTable {
  return { columns: COLUMNS, rows: judged.map(toRow) };
}

/** What the table says in a sentence; nothing where the source gives no single figures. */
export function describeJudged(judged: readonly JudgedFigure[]): readonly string[] {
  if (judged.length === 0) return [];
  const outside = judged.filter(({ isWithin }) => isWithin === false);
  const names = outside.length === 0 ? 'none' : outside.map(nameOf).join(', ');
  return [
    `Published figures: of the source, beside the generated sessions with intervals of 95 % over sessions drawn again. Outside, of ${judged.length}: ${names}.`,
  ];
}

function toRow(judged: JudgedFigure): readonly string[] {
  const { generated, published, isWithin } = judged;
  return [
    nameOf(judged),
    formatRange(published),
    generated === null ? UNKNOWN : formatNumber(generated.value),
    generated?.interval
      ? `${formatNumber(generated.interval.low)} … ${formatNumber(generated.interval.high)}`
      : UNKNOWN,
    VERDICTS.get(isWithin) ?? UNKNOWN,
  ];
}

function nameOf({ figure, statistic }: JudgedFigure): string {
  return `${figure} ${statistic === 'share' ? '%' : statistic}`;
}

function formatRange({ low, high, tolerance }: JudgedFigure['published']): string {
  const range = low === high ? formatNumber(low) : `${formatNumber(low)} … ${formatNumber(high)}`;
  return tolerance === undefined ? range : `${range} ± ${tolerance}`;
}

function formatNumber(value: number): string {
  return value < SMALL ? value.toFixed(1) : formatCount(Math.round(value));
}
