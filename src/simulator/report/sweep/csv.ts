import { METRIC_NAMES } from '../../metrics/metrics.ts';
import { modeOf } from '../../metrics/record.ts';
import type { SettingValue } from '../../scenario/settings.ts';
import { toCsvLine } from '../csv-line.ts';
import type { UnreadInput } from '../report.ts';
import type { SweepFormat, SweepReport, SweepRow } from './sweep-report.ts';

type Cell = string | number | null;

const KEY_COLUMNS = [
  'session',
  'cell',
  'policy',
  'model',
  'summarizer',
  'seed',
  'mode',
  'state',
  'reason',
] as const;

/** One row a session and cell, for spreadsheets and data frames. */
export const csv: SweepFormat = {
  extension: '.csv',
  describes: 'One row for each session in each cell, settings and metrics as columns.',
  *render(report, rows) {
    const names = settingNames(report);
    yield toCsvLine([...KEY_COLUMNS, ...names.map((name) => `set_${name}`), ...METRIC_NAMES]);
    for (const row of rows) yield toCsvLine(toCells(row, names));
    for (const unread of report.unread) yield toCsvLine(toUnreadCells(unread, names));
  },
};

/** All settings that any cell has, in the order of their first. */
function settingNames({ cells }: SweepReport): readonly string[] {
  return [...new Set(cells.flatMap(({ settings }) => Object.keys(settings)))];
}

function toCells(row: SweepRow, names: readonly string[]): readonly Cell[] {
  const settings = new Map<string, SettingValue>(Object.entries(row.settings));
  return [
    ...KEY_COLUMNS.map((column) => (column === 'mode' ? modeOf(row) : (row[column] ?? null))),
    ...names.map((name) => toCell(settings.get(name))),
    ...METRIC_NAMES.map((column) => row.metrics[column] ?? null),
  ];
}

/** As wide as any other row, or programs do not take it for one. */
function toUnreadCells({ file, reason }: UnreadInput, names: readonly string[]): readonly Cell[] {
  const key: Readonly<Record<string, string>> = { session: file, state: 'unread', reason };
  return [
    ...KEY_COLUMNS.map((column) => key[column] ?? null),
    ...[...names, ...METRIC_NAMES].map(() => null),
  ];
}

function toCell(value: SettingValue | undefined): Cell {
  if (typeof value === 'number') return value;
  return value === undefined ? null : String(value);
}
