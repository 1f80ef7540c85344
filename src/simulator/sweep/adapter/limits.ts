/** Limits that a test holds runs against. */

import { badOption } from '../../errors.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { named, quoted } from '../../names.ts';
import { describeValue } from '../../scenario/file/describe-issue.ts';

/** What a metric may be: at most a number, or within two. */
export type MetricLimit = number | { readonly min?: number; readonly max?: number };

/** What metrics may be, by their names. */
export type MetricLimits = { readonly [Name in MetricName]?: MetricLimit };

/** Both ends of what a metric may be; one that is not given is open. */
export interface Limit {
  readonly metric: MetricName;
  readonly min: number;
  readonly max: number;
}

const OPEN = { min: -Infinity, max: Infinity };

/** The limits of a test, complete. Throws where they name nothing, or something that there is not: that would always hold. */
export function readLimits(limits: MetricLimits): readonly Limit[] {
  const given = entriesOf(limits);
  if (given === undefined || given.length === 0) {
    const got = describeValue(limits);
    throw badOption(`Expected 'window' or limits of metrics, got ${got}.`);
  }
  return given.map(([name, limit]) => {
    named('metric', metrics, name);
    return { metric: name as MetricName, ...readEnds(name, limit) };
  });
}

function readEnds(name: string, limit: unknown): Omit<Limit, 'metric'> {
  const ends = typeof limit === 'number' ? [['max', limit] as const] : entriesOf(limit);
  for (const [end] of ends ?? []) named(`limit of ${name}`, OPEN, end);
  if (ends === undefined || ends.length === 0 || !ends.every(([, value]) => isNumber(value))) {
    throw badOption(
      `Expected the limit of ${quoted(name)} to be a number, or to have a number as min or max.`,
    );
  }
  return { ...OPEN, ...Object.fromEntries(ends) };
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(value);
}
