import { METRIC_NAMES } from '../metrics/metrics.ts';
import { modeOf, type RunRecord } from '../metrics/record.ts';
import { toCsvLine } from './csv-line.ts';
import type { Format, Report, UnreadInput } from './report.ts';

type Cell = string | number | null;
type KeyColumn = Exclude<keyof RunRecord, 'metrics' | 'paybacks' | 'summaryFailures'>;

const KEY_COLUMNS: readonly KeyColumn[] = [
  'session',
  'policy',
  'model',
  'summarizer',
  'seed',
  'mode',
  'state',
  'reason',
];

/** One row a run, for spreadsheets and data frames. */
export const csv: Format = {
  extension: '.csv',
  describes: 'One row per run with every metric; an empty cell means unknown.',
  render: (report) =>
    [[...KEY_COLUMNS, ...METRIC_NAMES], ...toRows(report)].map(toCsvLine).join(''),
};

function toRows({ runs, unread }: Report): readonly (readonly Cell[])[] {
  return [...runs.map(toRunRow), ...unread.map(toUnreadRow)];
}

function toRunRow(run: RunRecord): readonly Cell[] {
  const key = KEY_COLUMNS.map((column) => cellOf(run, column));
  return [...key, ...METRIC_NAMES.map((column) => run.metrics[column])];
}

function cellOf(run: RunRecord, column: KeyColumn): Cell {
  return column === 'mode' ? modeOf(run) : (run[column] ?? null);
}

function toUnreadRow({ file, reason }: UnreadInput): readonly Cell[] {
  const key: Partial<Record<KeyColumn, string>> = { session: file, state: 'unread', reason };
  return [...KEY_COLUMNS.map((column) => key[column] ?? null), ...METRIC_NAMES.map(() => null)];
}
