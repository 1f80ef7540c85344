import { METRIC_NAMES } from '../metrics/metrics.ts';
import { modeOf, type RunRecord } from '../metrics/record.ts';
import type { SettingValues } from '../scenario/settings.ts';
import { netUsdOf } from './arms.ts';
import { toCsvLine } from './markup.ts';
import type { UnreadInput } from './report.ts';
import { createStoryFinder, type NamedStory } from './session-names.ts';

/** A run with its settings, and in a sweep with its cell. */
export interface TableRow extends RunRecord {
  readonly settings: SettingValues;
  readonly cell?: string;
  readonly sessionHash?: string;
  readonly eventDigest?: string;
}

type Key = Exclude<keyof TableRow, 'metrics' | 'settings' | 'fit' | 'paybacks' | 'findings'>;

/** `null` is unknown, or not set. */
type Value = string | number | boolean | null;
/** Mixed values are all texts. */
type SettingType = 'STRING' | 'DOUBLE' | 'BOOLEAN';

export interface Column {
  readonly name: string;
  readonly type: SettingType | 'INT64';
  readonly of: (row: TableRow) => Value;
}

export const RUN_KEYS = [
  'policy',
  'model',
  'summarizer',
  'seed',
  'mode',
  'state',
  'reason',
  'impossible',
  'baseline',
] as const satisfies readonly Key[];

/** Settings and metrics share some names. */
const SETTING_PREFIX = 'set_';

export function columnsOf(
  keys: readonly Key[],
  settings: Iterable<SettingValues>,
  {
    stories,
    version,
  }: { readonly stories: readonly NamedStory[]; readonly version: string | null },
): readonly Column[] {
  const storyOf = createStoryFinder(stories);
  return [
    ...keys.map(keyColumn),
    ...METRIC_NAMES.map(
      (name): Column => ({ name, type: 'DOUBLE', of: ({ metrics }) => metrics[name] ?? null }),
    ),
    { name: 'netCostUsd', type: 'DOUBLE', of: netUsdOf },
    { name: 'sessionId', type: 'STRING', of: ({ session }) => storyOf(session)?.sessionId ?? null },
    { name: 'version', type: 'STRING', of: () => version },
    ...[...typesOf(settings)].map(([name, type]) => settingColumn(name, type)),
  ];
}

/** Rows, then one as wide for each unread input. */
export function* csvLines(
  columns: readonly Column[],
  rows: Iterable<TableRow>,
  { unread, version }: { readonly unread: readonly UnreadInput[]; readonly version: string | null },
): Generator<string, void, void> {
  yield toCsvLine(columns.map(({ name }) => name));
  for (const row of rows) yield toCsvLine(columns.map(({ of }) => of(row)));
  for (const { file, reason } of unread) {
    const told = new Map<string, Value>(
      Object.entries({ session: file, state: 'unread', reason, version }),
    );
    yield toCsvLine(columns.map(({ name }) => told.get(name) ?? null));
  }
}

function keyColumn(name: Key): Column {
  if (name === 'mode') return { name, type: 'STRING', of: modeOf };
  return { name, type: name === 'seed' ? 'INT64' : 'STRING', of: (row) => row[name] ?? null };
}

function settingColumn(name: string, type: SettingType) {
  const of = ({ settings }: TableRow): Value => {
    const value = Object.entries(settings).find(([key]) => key === name)?.[1];
    if (value === undefined) return null;
    return type === 'STRING' ? String(value) : value;
  };
  return { name: SETTING_PREFIX + name, type, of };
}

function typesOf(all: Iterable<SettingValues>) {
  const found = new Map<string, SettingType>();
  for (const [name, value] of [...all].flatMap((settings) => Object.entries(settings))) {
    const isNumber = typeof value === 'number';
    const type = isNumber ? 'DOUBLE' : typeof value === 'boolean' ? 'BOOLEAN' : 'STRING';
    found.set(name, (found.get(name) ?? type) === type ? type : 'STRING');
  }
  return found;
}
