/** Compares a run with its record, field by field. */

import { isDeepStrictEqual } from 'node:util';
import type { OracleRecord } from './record.ts';

interface Difference {
  readonly at: string;
  readonly before: unknown;
  readonly after: unknown;
}

const MOST_SHOWN = 8;

/** Differences as lines, none where both are equal. The day does not count, nor sizes, in which an agent may name its system. */
export function renderDifferences(kept: OracleRecord, seen: OracleRecord): readonly string[] {
  const all = differencesIn(comparable(kept), comparable(seen)).map(
    ({ at, before, after }) =>
      `${at}: kept ${JSON.stringify(before)}, seen ${JSON.stringify(after)}`,
  );
  const more = all.length - MOST_SHOWN;
  return [...all.slice(0, MOST_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])];
}

function comparable({ observed: _observed, requests, ...rest }: OracleRecord) {
  return { ...rest, requests: requests.map(({ chars: _chars, ...request }) => request) };
}

/** Values in which two pieces of data differ, each with its path, as `requests.3.tools`. */
export function differencesIn(
  before: unknown,
  after: unknown,
  path: readonly string[] = [],
): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isNested(before) || !isNested(after)) return [{ at: path.join('.'), before, after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differencesIn(before[key], after[key], [...path, key]));
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
