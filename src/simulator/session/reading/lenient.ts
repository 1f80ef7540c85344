/** Reads fields of data from outside that may be anything. */

import * as zOfZod from 'zod';
import { z } from 'zod';
import { isObject } from '../../lib/json.ts';

/** No request of any model has held as much; a larger count is no count. */
const MAX_TOKENS = 1_000_000_000;

/** A text; anything else reads as absent. */
export const maybeText = lenient(toText);

/** An id; anything else, and an empty text, reads as absent. */
export const maybeId = lenient(toId);

/** A number that is finite; anything else reads as absent. */
export const maybeNumber = lenient((value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined,
);

/** The last moment that a date can name, in ms since 1970. Source: ECMA-262, time values. */
export const LATEST_MS = 8_640_000_000_000_000;

/** A moment in ms since 1970; anything else, and what no date can name, reads as absent. */
export const maybeMoment = lenient(toMoment);

/** A number of tokens, whole; anything else, or more than any request has held, reads as absent. */
export const maybeTokens = lenient(toTokens);

/** True only for `true` itself; anything else reads as false. */
export const flag = lenient((value) => value === true);

/** A list; anything else reads as an empty one. */
export const list = lenient(toList);

/** Keys that a schema of records drops, because assigning them to a plain object makes no key. */
const UNSAFE = /^=*__proto__$/;
const MARK = '=';

const WITHOUT_ZONE = /T[\d:.]+$/;
/** Seconds since 1970 stay below this until the year 5138; milliseconds passed it in 1973. */
const MAX_SECONDS = 100_000_000_000;

/** A proxy that hands requests on and is no provider of models. */
const PROXY = /^litellm_proxy\//;

const DATA_MIME = /^data:([^;,]+)/;

/** The value as a text; `undefined` where it is none. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value as an id; `undefined` where it is none, as an empty text is. */
export function toId(value: unknown): string | undefined {
  return toText(value) || undefined;
}

/** The value as a whole number of tokens; `undefined` where it is none, or more than any request has held. */
export function toTokens(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Math.abs(value) <= MAX_TOKENS;
  return isCount ? Math.round(value) : undefined;
}

/** The value as a list; an empty one where it is none. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An object of that shape with the rest left out; anything but an object reads as absent. */
export function maybeObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).optional().catch(undefined);
}

/** A list of objects of one schema; what fits it not is left out, anything but a list reads as an empty one. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return list.transform((values): readonly z.infer<Item>[] =>
    values.flatMap((value) => item.safeParse(value).data ?? []),
  );
}

/** Tokens that are no fewer than none; none where they are absent. */
export function atLeastZero(tokens = 0): number {
  return Math.max(0, tokens);
}

/** A map of values under keys that are anybody's: `__proto__` is one like any other. */
export function recordOf<Value extends zOfZod.ZodType>(value: Value) {
  const record = zOfZod.record(zOfZod.string(), value);
  return zOfZod.preprocess(
    (input) => (isObject(input) ? withKeys(input, toSafe) : input),
    record.overwrite((safe) => withKeys(safe, fromSafe)),
  );
}

/** The value as a moment in whole ms since 1970; `undefined` where it is no number, or one that no date can name. */
export function toMoment(value: unknown): number | undefined {
  const isMoment = typeof value === 'number' && value >= 0 && value <= LATEST_MS;
  return isMoment ? Math.round(value) : undefined;
}

/** A moment in ms since 1970, from a date, seconds or ms; a date without a zone is taken as UTC. 0 if nothing says. */
export function toTime(recorded: unknown): number {
  if (typeof recorded === 'string') return toMoment(parseDate(recorded)) ?? 0;
  const isSeconds = typeof recorded === 'number' && recorded < MAX_SECONDS;
  return toMoment(isSeconds ? recorded * 1000 : recorded) ?? 0;
}

/** A date in ms since 1970, in the zone of this machine where it names none. 0 if nothing says. */
export function toLocalTime(date: string | undefined): number {
  return toMoment(Date.parse(date ?? '')) ?? 0;
}

/** `provider/model` of a recorded name, which may say both; one that names no provider gets the given. */
export function toModelName(recorded: string, provider = 'unknown'): string {
  const name = recorded.replace(PROXY, '');
  return name.includes('/') ? name : `${provider}/${name}`;
}

/** The kind of data that an address holds itself; absent where it points elsewhere or says nothing of it. */
export function mimeIn(url: string): string | undefined {
  return DATA_MIME.exec(url)?.[1];
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

function toSafe(key: string): string {
  return UNSAFE.test(key) ? `${MARK}${key}` : key;
}

function fromSafe(key: string): string {
  return UNSAFE.test(key) ? key.slice(MARK.length) : key;
}

function parseDate(date: string): number {
  return Date.parse(WITHOUT_ZONE.test(date) ? `${date}Z` : date);
}

function lenient<Value>(read: (value: unknown) => Value) {
  return z.unknown().optional().transform(read);
}
