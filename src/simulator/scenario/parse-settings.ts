import { badOption, HarnessError } from '../errors.ts';
import { AMOUNT, parseAmount } from './file/amounts.ts';
import { named, quoted } from '../names.ts';
import type { Setting, SettingValue } from './setting.ts';
import { settings, type SettingValues } from './settings.ts';

const NUMBER = /^(?:\d+|\d*\.\d+)$/;
const SWITCH = /^(?:true|false)$/;

/** What people call a setting, and its name. */
const OTHER_WORDS = new Map([
  ['window', 'contextTokens'],
  ['tail', 'tailTurns'],
  ['estimator', 'charsPerToken'],
]);

/** Settings given as `KEY=VALUE`, each key at most once. */
export function parseSettings(pairs: readonly string[]): SettingValues {
  const values = new Map<string, SettingValue>();
  for (const pair of pairs) {
    const [key, text] = splitPair(pair);
    const value = parseSettingValue(key, text);
    if (values.has(key)) throw badOption(`Expected ${quoted(key)} to be set once, got it twice.`);
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

/** What a table has under the name of a setting from outside; of what goes by another word the error says the name. */
export function namedSetting<T extends object>(table: T, key: string): T[keyof T] {
  const meant = OTHER_WORDS.get(key);
  if (meant === undefined) return named('setting', table, key);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `Unknown setting ${quoted(key)}. It is called '${meant}'.`,
  );
}

/** The value of a setting as a command line has it: `20000`, `20k`, `1.5M`, `0.9`, `true`, a name. */
export function parseSettingValue(key: string, text: string): SettingValue {
  const setting: Setting = namedSetting(settings, key);
  const value = setting.value.safeParse(toTyped(text, setting));
  if (value.success) return value.data;
  throw badOption(`Expected ${quoted(key)} to be ${setting.expected}, got ${quoted(text)}.`);
}

function splitPair(pair: string): readonly [string, string] {
  const index = pair.indexOf('=');
  if (index >= 0) return [pair.slice(0, index).trim(), pair.slice(index + 1).trim()];
  throw badOption(`Expected a setting to be KEY=VALUE, got ${quoted(pair)}.`);
}

function toTyped(text: string, { unit }: Setting): unknown {
  if (NUMBER.test(text)) return Number(text);
  if (unit === 'tokens' && AMOUNT.test(text)) return parseAmount(text);
  return SWITCH.test(text) ? text === 'true' : text;
}
