import { isObject } from '../is-object.ts';
import type { Issue } from '../schema-issue.ts';

/**
 * What is wrong with the metrics of a row, each of which is a number or unknown; `undefined` where nothing is. By hand
 * and not by a schema, since a sweep reads hundreds of thousands of rows.
 */
export function findBadMetric(metrics: unknown): Issue | undefined {
  if (!isObject(metrics)) return { path: [], message: describe('object', metrics) };
  if (Object.values(metrics).every(isAmount)) return undefined;
  const [name = '', value] = Object.entries(metrics).find(([, one]) => !isAmount(one)) ?? [];
  return { path: [name], message: describe('number', value) };
}

function isAmount(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

/** In the words of schemas. */
function describe(expected: string, value: unknown): string {
  return `expected ${expected}, received ${typeOf(value)}`;
}

/** JSON has numbers that are too large for any. */
function typeOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
