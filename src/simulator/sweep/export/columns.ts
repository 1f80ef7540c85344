import { METRIC_NAMES } from '../../metrics/metrics.ts';
import { modeOf } from '../../metrics/record.ts';
import type { SettingValue } from '../../scenario/setting.ts';
import type { ResultRow } from '../result-row.ts';

/** What a cell of a flat table holds; `null` is unknown, or not set. */
export type FlatValue = string | number | boolean | null;

/** What the values of a setting are; several kinds of them are all shown as texts. */
type SettingType = 'STRING' | 'DOUBLE' | 'BOOLEAN';

/** A column of a flat table. */
export interface FlatColumn {
  readonly name: string;
  readonly type: SettingType | 'INT64';
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

/** The columns of rows that have these settings. */
export function toColumns(found: ReadonlyMap<string, SettingType>): readonly FlatColumn[] {
  const settings = [...found].map(([name, type]) => settingColumn(name, type));
  return [...KEY_COLUMNS, ...settings, ...METRIC_COLUMNS];
}

/** Every setting that any row has, with what its values are, in the order of their first. */
export function findSettings(rows: Iterable<ResultRow>): ReadonlyMap<string, SettingType> {
  const found = new Map<string, SettingType>();
  for (const { settings } of rows) {
    for (const [name, value] of Object.entries(settings)) {
      const type = typeOf(value);
      found.set(name, (found.get(name) ?? type) === type ? type : 'STRING');
    }
  }
  return found;
}

function typeOf(value: SettingValue): SettingType {
  if (typeof value === 'number') return 'DOUBLE';
  return typeof value === 'boolean' ? 'BOOLEAN' : 'STRING';
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

function settingColumn(name: string, type: SettingType): FlatColumn {
  const of = (row: ResultRow): FlatValue => {
    const value = new Map<string, SettingValue>(Object.entries(row.settings)).get(name);
    if (value === undefined) return null;
    return type === 'STRING' ? String(value) : value;
  };
  return { name: SETTING_PREFIX + name, type, of };
}
