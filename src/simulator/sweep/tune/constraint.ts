import { badValue } from '../../bad-value.ts';
import { badOption, type HarnessError } from '../../errors.ts';
import type { Metric } from '../../metrics/metric.ts';
import { metrics } from '../../metrics/metrics.ts';
import { named, quoted } from '../../names.ts';
import type { NamedSettings } from '../../report/tune/tune-report.ts';
import { AMOUNT, parseAmount } from '../../scenario/file/amounts.ts';
import type { Setting, SettingValue } from '../../scenario/setting.ts';
import { settings } from '../../scenario/settings.ts';
import { metricNameOf, shortMetrics } from './objective.ts';

/** A range that a setting, or a metric over all sessions, must lie in; an end that is not given is open. */
export interface Constraint {
  readonly of: 'setting' | 'metric';
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

type Unit = (Setting | Metric)['unit'];

const RANGE = /^\s*([^=]+?)\s*=\s*(\S*?)\s*\.\.\s*(\S*)\s*$/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)$/;

/** How the ends of a range are given that are no plain numbers. */
const WORDS: Readonly<Partial<Record<Unit, string>>> = {
  tokens: 'numbers of tokens, such as 16000, 16k or 1M',
  ratio: 'shares, such as 0.3',
  usd: 'dollars, such as 0.25',
};

/** Everything that can be bounded, metrics by their short names too. */
const bounded: Readonly<Record<string, Setting | Metric>> = {
  ...shortMetrics,
  ...settings,
  ...metrics,
};

/** A constraint given as `KEY=min..max`; which of both it is, its name decides. */
export function parseConstraint(text: string): Constraint {
  const [, given, low = '', high = ''] = RANGE.exec(text) ?? [];
  if (given === undefined || (low === '' && high === '')) throw badRange(text);
  const { unit } = named('setting or metric', bounded, given);
  const parseEnd = (end: string) => parseAmountOf(given, unit, end);
  const min = low === '' ? -Infinity : parseEnd(low);
  const max = high === '' ? Infinity : parseEnd(high);
  if (min > max) {
    throw badOption(`Expected '--within' to have its lower end first, got ${quoted(text)}.`);
  }
  if (Object.hasOwn(settings, given)) return { of: 'setting', name: given, min, max };
  return { of: 'metric', name: metricNameOf(given), min, max };
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

/** The range as it is given, a metric by its own name. */
export function describeConstraint({ name, min, max }: Constraint): string {
  const ends = [min, max].map((end) => (Number.isFinite(end) ? String(end) : ''));
  return `${name}=${ends.join('..')}`;
}

/** An end as settings are given, or below 0 as metrics may be. */
function parseAmountOf(name: string, unit: Unit, text: string): number {
  if (NUMBER.test(text)) return Number(text);
  if (unit === 'tokens' && AMOUNT.test(text)) return parseAmount(text);
  const expected = WORDS[unit] ?? 'plain numbers';
  throw badOption(
    `Expected the ends of ${name} in '--within' to be ${expected}, got ${quoted(text)}.`,
  );
}

function badRange(text: string): HarnessError {
  return badValue('--within', 'KEY=min..max with at least one end', text);
}
