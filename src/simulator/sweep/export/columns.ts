import { METRIC_NAMES } from '../../metrics/metrics.ts';
import { modeOf } from '../../metrics/record.ts';
import type { SettingValue } from '../../scenario/setting.ts';
import type { ResultRow } from '../result-row.ts';

/** What a cell of a flat table holds; `null` is unknown, or not set. */
export type FlatValue = string | number | boolean | null;

/** A column of a flat table. */
export interface FlatColumn {
  readonly name: string;
  readonly type: 'STRING' | 'DOUBLE' | 'INT64' | 'BOOLEAN';
  readonly of: (row: ResultRow) => FlatValue;
}

/** Settings and metrics share some names. */
const SETTING_PREFIX = 'set_';

const KEY_COLUMNS: readonly FlatColumn[] = [
  ...(['session', 'sessionHash', 'cell', 'policy', 'model', 'summarizer'] as const).map(textColumn),
  { name: 'seed', type: 'INT64', of: ({ seed }) => seed },
  { name: 'mode', type: 'STRING', of: modeOf },
  textColumn('state'),
  { name: 'reason', type: 'STRING', of: ({ reason }) => reason ?? null },
  textColumn('eventDigest'),
  { name: 'family', type: 'STRING', of: ({ family }) => family ?? null },
];

const METRIC_COLUMNS: readonly FlatColumn[] = METRIC_NAMES.map((name) => ({
  name,
  type: 'DOUBLE',
  of: (row) => row.metrics[name] ?? null,
}));

/** The columns of rows that have these settings, each with the values that it takes. */
export function toColumns(found: ReadonlyMap<string, SettingValue>): readonly FlatColumn[] {
  const settings = [...found].map(([name, example]) => settingColumn(name, example));
  return [...KEY_COLUMNS, ...settings, ...METRIC_COLUMNS];
}

/** Every setting that any row has, with a value of it, in the order of their first. */
export function findSettings(rows: Iterable<ResultRow>): ReadonlyMap<string, SettingValue> {
  const found = new Map<string, SettingValue>();
  for (const { settings } of rows) {
    for (const [name, value] of Object.entries(settings)) {
      if (!found.has(name)) found.set(name, value);
    }
  }
  return found;
}

function textColumn(
  name:
    | 'session'
    | 'sessionHash'
    | 'cell'
    | 'policy'
    | 'model'
    | 'summarizer'
    | 'state'
    | 'eventDigest',
): FlatColumn {
  return { name, type: 'STRING', of: (row) => row[name] };
}

function settingColumn(name: string, example: SettingValue): FlatColumn {
  const of = (row: ResultRow): FlatValue =>
    new Map<string, SettingValue>(Object.entries(row.settings)).get(name) ?? null;
  if (typeof example === 'number') return { name: SETTING_PREFIX + name, type: 'DOUBLE', of };
  const type = typeof example === 'boolean' ? 'BOOLEAN' : 'STRING';
  return { name: SETTING_PREFIX + name, type, of };
}
