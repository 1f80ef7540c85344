/** Amounts, durations and comparisons as scenario files write them. */

import type { RunEvent } from '../../events.ts';

/** A number of tokens or bytes as files have it: `28000`, `28k`, `1.5M`. */
export type Amount = number | string;

/** A place in a scenario file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Placed<Value> {
  readonly value: Value;
  readonly at: Place;
}

export type Comparison =
  | { readonly op: '=' | '!=' | '<' | '<=' | '>' | '>='; readonly value: number }
  | { readonly op: 'in'; readonly from: number; readonly to: number }
  | { readonly op: 'unknown' };

export type TextMatch =
  | { readonly op: 'is'; readonly text: string }
  | { readonly op: 'contains'; readonly text: string }
  | { readonly op: 'matches'; readonly pattern: RegExp };

export interface MetricExpectation {
  readonly metric: string;
  readonly compare: Comparison;
  readonly at: Place;
}

export type FieldMatch =
  | { readonly type: 'number'; readonly compare: Comparison }
  | { readonly type: 'text'; readonly match: TextMatch }
  | { readonly type: 'switch'; readonly value: boolean };

export interface EventExpectation {
  readonly type: RunEvent['type'];
  /** Conditions by field name; other fields may have any value. */
  readonly fields: ReadonlyMap<string, FieldMatch>;
  /** `>= 1`, or `= 0` for an event that must not occur. */
  readonly times: Comparison;
  readonly at: Place;
}

/** The pattern of a whole amount: `1.5k` matches; `1.5` and `1.0001k` do not. */
export const AMOUNT_FORM = String.raw`\d+(?:\.0+|(?:\.\d{1,3}0*)?k|(?:\.\d{1,6}0*)?M)?`;
export const AMOUNT = new RegExp(`^${AMOUNT_FORM}$`);
/** Pattern of a string that cannot be meant as thousands or millions. */
export const NO_SCALED = /^(?!\d+(?:\.\d+)?[kM]$)[\s\S]/;
export const DURATION = /^\d+(?:\.\d+)?(?:ms|s|m|h)$/;
export const COMPARISON =
  /^(?:unknown|(?:=|!=|<=?|>=?)?\s*-?\d+(?:\.\d+)?[kM]?|in\s+-?\d+(?:\.\d+)?[kM]?\.\.-?\d+(?:\.\d+)?[kM]?)$/;

const FACTORS: ReadonlyMap<string, number> = new Map([
  ['k', 1_000],
  ['M', 1_000_000],
]);
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const RANGE = /^in\s+(?<from>\S+)\.\.(?<to>\S+)$/;
const RELATION = /^(?<op>=|!=|<=?|>=?)?\s*(?<number>\S+)$/;
const PATTERN = /^\/(?<source>.+)\/(?<flags>[imsu]*)$/s;
const NUMBER = /^(?<digits>-?[\d.]+)(?<unit>[a-zA-Z]*)$/;

export function parseAmount(amount: Amount) {
  // Of a whole one, only what binary fractions add is rounded off.
  return typeof amount === 'number' ? amount : Math.round(scaled(amount, FACTORS));
}

/** An amount as somebody types it, also with `K`; `undefined` where it is none. */
export function parseTypedAmount(text: string) {
  const amount = text.replace(/K$/, 'k');
  return AMOUNT.test(amount) ? parseAmount(amount) : undefined;
}

export function parseDuration(duration: string) {
  return Math.round(scaled(duration, UNITS_MS));
}

/** Parses a comparison: `5`, `= 5`, `<= 30k`, `in 3..5` or `unknown`. */
export function parseComparison(text: number | string): Comparison {
  if (typeof text === 'number') return { op: '=', value: text };
  if (text === 'unknown') return { op: 'unknown' };
  const { from, to } = RANGE.exec(text)?.groups ?? {};
  if (from !== undefined && to !== undefined)
    return { op: 'in', from: scaled(from, FACTORS), to: scaled(to, FACTORS) };
  const { op = '=', number = '' } = RELATION.exec(text)?.groups ?? {};
  return { op: op as '=', value: scaled(number, FACTORS) };
}

/** A pattern between slashes, or a text that is compared as `op` says. Throws `SyntaxError` for a bad pattern. */
export function parseTextMatch(text: string, op: 'is' | 'contains'): TextMatch {
  const { source, flags } = PATTERN.exec(text)?.groups ?? {};
  if (source === undefined) return { op, text };
  return { op: 'matches', pattern: new RegExp(source, flags) };
}

function scaled(text: string, factors: ReadonlyMap<string, number>) {
  const { digits = '', unit = '' } = NUMBER.exec(text)?.groups ?? {};
  return digits === '' ? Number.NaN : Number(digits) * (factors.get(unit) ?? 1);
}
