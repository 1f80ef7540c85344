import { z } from 'zod';
import { isObject } from '../../lib/json.ts';

/** The fields of a recorded object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Above the tokens of any real request. */
const MAX_TOKENS = 1_000_000_000;

const RELEASE = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/;

/** The last time that a date can represent, in ms since 1970. Source: ECMA-262, time values. */
export const LATEST_MS = 8_640_000_000_000_000;

/** Keys that a schema of records drops, because assigning them to a plain object makes no key. */
const UNSAFE = /^=*__proto__$/;
const MARK = '=';

const WITHOUT_ZONE = /T[\d:.]+$/;
/** Smaller times are seconds (until the year 5138), larger ones milliseconds (since 1973). */
const MAX_SECONDS = 100_000_000_000;

/** A proxy that is no provider of models. */
const PROXY = /^litellm_proxy\//;

const DATA_MIME = /^data:([^;,]+)/;

/** A string; `undefined` for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A non-empty string; `undefined` for anything else. */
export function toId(value: unknown): string | undefined {
  return toText(value) || undefined;
}

/** A whole number of tokens; `undefined` for anything else, or more than any request holds. */
export function toTokens(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Math.abs(value) <= MAX_TOKENS;
  return isCount ? Math.round(value) : undefined;
}

/** The release that a text begins with, as numbers; `undefined` if it begins with none. */
export function toRelease(version: unknown): readonly number[] | undefined {
  return RELEASE.exec(toText(version) ?? '')
    ?.slice(1)
    .map(Number);
}

/** A list; empty for anything else. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The objects of a list; none for anything else. */
export function objectsIn(value: unknown): readonly Fields[] {
  return toList(value).filter(isObject);
}

/** The value at the first of several paths that leads to one, such as `usage.input_tokens usage.input`. */
export function valueAt(value: unknown, paths: string): unknown {
  for (const path of paths.split(' ')) {
    const keys = path.split('.');
    const found = keys.reduce((within: unknown, key) => fieldsOf(within)[key], value);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** Tokens of at least zero; absent tokens are zero. */
export function atLeastZero(tokens = 0): number {
  return Math.max(0, tokens);
}

/** A map with any keys, `__proto__` included. */
export function recordOf<Value extends z.ZodType>(value: Value) {
  const record = z.record(z.string(), value);
  return z.preprocess(
    (input) =>
      isObject(input)
        ? withKeys(input, (key) => (UNSAFE.test(key) ? `${MARK}${key}` : key))
        : input,
    record.overwrite((safe) =>
      withKeys(safe, (key) => (UNSAFE.test(key) ? key.slice(MARK.length) : key)),
    ),
  );
}

/** A time in whole ms since 1970; `undefined` for anything outside of dates. */
export function toMoment(value: unknown): number | undefined {
  const isMoment = typeof value === 'number' && value >= 0 && value <= LATEST_MS;
  return isMoment ? Math.round(value) : undefined;
}

/** A time in ms since 1970, from a date, seconds or ms; dates without a zone are UTC. 0 if unknown. */
export function toTime(recorded: unknown): number {
  if (typeof recorded === 'string') {
    return toLocalTime(WITHOUT_ZONE.test(recorded) ? `${recorded}Z` : recorded);
  }
  const isSeconds = typeof recorded === 'number' && recorded < MAX_SECONDS;
  return toMoment(isSeconds ? recorded * 1000 : recorded) ?? 0;
}

/** A date in ms since 1970, in the local zone if it names none. 0 if unknown. */
export function toLocalTime(date: string | undefined): number {
  return toMoment(Date.parse(date ?? '')) ?? 0;
}

/** `provider/model` of a recorded name, which gets the given provider if it has none; absent for anything but a name. */
export function toModel(recorded: unknown, provider?: unknown): string | undefined {
  const name = toId(recorded)?.replace(PROXY, '');
  return name === undefined || name.includes('/') ? name : `${toId(provider) ?? 'unknown'}/${name}`;
}

/** The media type of a data URL; absent for other URLs. */
export function mimeIn(url: string): string | undefined {
  return DATA_MIME.exec(url)?.[1];
}

/** The words of a list, among which any value can be looked up. */
export function wordsIn(list: string): ReadonlySet<unknown> {
  return new Set(list.trim().split(/\s+/));
}

/** Checks for one of several beginnings, after leading space. */
export function beginsWithAny(text: string, words: readonly string[]): boolean {
  const start = text.trimStart();
  return words.some((word) => start.startsWith(word));
}

function withKeys<Values extends object>(values: Values, rename: (key: string) => string): Values {
  const entries = Object.entries(values).map(([key, value]) => [rename(key), value] as const);
  return Object.fromEntries(entries) as Values;
}
