import { HarnessError } from '../../errors.ts';
import type { Metric } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import { named, quoted } from '../../names.ts';
import type { NamedSettings } from '../../report/tune/tune-report.ts';
import { type Setting, type SettingValue } from '../../scenario/setting.ts';
import { settings } from '../../scenario/settings.ts';

/** A range that a setting, or a metric over all sessions, must lie in; an end that is not given is open. */
export interface Constraint {
  readonly of: 'setting' | 'metric';
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

const RANGE = /^\s*([^=]+?)\s*=\s*(-?[\d.]*)\s*\.\.\s*(-?[\d.]*)\s*$/;

/** A constraint given as `KEY=min..max`; which of both it is, its name decides. */
export function parseConstraint(text: string): Constraint {
  const [, name, low, high] = RANGE.exec(text) ?? [];
  const min = low === '' ? -Infinity : Number(low);
  const max = high === '' ? Infinity : Number(high);
  if (name === undefined || !(min <= max) || (low === '' && high === '')) throw badRange(text);
  if (Object.hasOwn(settings, name)) return { of: 'setting', name, min, max };
  const known: Readonly<Record<string, Setting | Metric>> = { ...settings, ...metrics };
  named('setting or metric', known, name);
  return { of: 'metric', name, min, max };
}

/** Whether a number lies in the range; what is unknown does not. */
export function isWithin(
  value: SettingValue | null | undefined,
  { min, max }: Constraint,
): boolean {
  return typeof value === 'number' && min <= value && value <= max;
}

/** The first range that settings lie outside of; one that is not named lies in any. */
export function findOutside(
  values: NamedSettings,
  constraints: readonly Constraint[],
): Constraint | undefined {
  return constraints.find(
    (constraint) =>
      constraint.of === 'setting' &&
      Object.hasOwn(values, constraint.name) &&
      !isWithin(values[constraint.name], constraint),
  );
}

/** The range as it is given. */
export function describeConstraint({ name, min, max }: Constraint): string {
  const ends = [min, max].map((end) => (Number.isFinite(end) ? String(end) : ''));
  return `${name}=${ends.join('..')}`;
}

function badRange(text: string): HarnessError {
  return new HarnessError(
    'BAD_OPTION',
    `Expected '--within' as KEY=min..max with at least one end, got ${quoted(text)}.`,
  );
}
