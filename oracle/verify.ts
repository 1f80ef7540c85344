/** Compares a run with its record, field by field. */

import { isDeepStrictEqual } from 'node:util';
import type { OracleRecord } from './record.ts';

const MOST_SHOWN = 8;

/** Differences as lines, none where both are equal. The day does not count, nor sizes, in which an agent may name its system. */
export function renderDifferences(kept: OracleRecord, seen: OracleRecord): readonly string[] {
  const all = differencesIn(comparable(kept), comparable(seen));
  const more = all.length - MOST_SHOWN;
  return [...all.slice(0, MOST_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])];
}

function comparable({ observed: _observed, requests, ...rest }: OracleRecord) {
  return { ...rest, requests: requests.map(({ chars: _chars, ...request }) => request) };
}

/** `requests.3.tools: kept 4, seen 5`. */
function differencesIn(kept: unknown, seen: unknown, path: readonly string[] = []): string[] {
  if (isDeepStrictEqual(kept, seen)) return [];
  if (!isNested(kept) || !isNested(seen))
    return [`${path.join('.')}: kept ${JSON.stringify(kept)}, seen ${JSON.stringify(seen)}`];
  const keys = new Set([...Object.keys(kept), ...Object.keys(seen)]);
  return [...keys].flatMap((key) => differencesIn(kept[key], seen[key], [...path, key]));
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
