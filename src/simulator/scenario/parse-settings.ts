import { HarnessError } from '../errors.ts';
import { named, quoted } from '../names.ts';
import type { Setting, SettingValue } from './setting.ts';
import { settings, type SettingValues } from './settings.ts';

const INTEGER = /^\d+$/;
const SWITCH = /^(?:true|false)$/;

/** Settings given as `KEY=VALUE`, each key at most once. */
export function parseSettings(pairs: readonly string[]): SettingValues {
  const values = new Map<string, SettingValue>();
  for (const pair of pairs) {
    const [key, text] = splitPair(pair);
    const setting: Setting = named('setting', settings, key);
    if (values.has(key)) throw badOption(`Expected ${quoted(key)} to be set once, got it again.`);
    values.set(key, parseValue(key, text, setting));
  }
  return Object.fromEntries(values);
}

function splitPair(pair: string): readonly [string, string] {
  const index = pair.indexOf('=');
  if (index >= 0) return [pair.slice(0, index).trim(), pair.slice(index + 1).trim()];
  throw badOption(`Expected a setting as KEY=VALUE, got ${quoted(pair)}.`);
}

function parseValue(key: string, text: string, setting: Setting): SettingValue {
  const value = setting.value.safeParse(toTyped(text));
  if (value.success) return value.data;
  throw badOption(`Expected ${quoted(key)} to be ${setting.expected}, got ${quoted(text)}.`);
}

function toTyped(text: string): unknown {
  if (INTEGER.test(text)) return Number(text);
  return SWITCH.test(text) ? text === 'true' : text;
}

function badOption(message: string): HarnessError {
  return new HarnessError('BAD_OPTION', message);
}
