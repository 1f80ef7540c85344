import {
  type FidelityErrors,
  type FidelityMeasure,
  summariseErrors,
} from '../../metrics/fidelity.ts';
import { UNKNOWN } from '../numbers.ts';
import type { Column } from '../text-table.ts';

/** A measure as it is shown. */
interface ErrorColumn extends Column {
  readonly measure: FidelityMeasure;
  readonly unit: string;
}

/** The measures in the order in which they are shown. */
export const errorColumns: readonly ErrorColumn[] = [
  { measure: 'contextOneStep', title: 'Context, one step', unit: '%' },
  { measure: 'contextFreeRunning', title: 'Context, free-running', unit: '%', rank: 1 },
  { measure: 'cacheShare', title: 'Cache reads', unit: 'points', rank: 3 },
  { measure: 'cost', title: 'Input cost', unit: '%', rank: 2 },
];

const DECIMALS = 2;

/** The signed median of a measure and its 90th percentile by size, both in hundredths. */
export function signedCell(errors: FidelityErrors, { measure }: ErrorColumn): string {
  const summary = summariseErrors(errors[measure]);
  if (summary === undefined) return UNKNOWN;
  return `${formatSigned(summary.medianSigned)} / ${formatSigned(summary.p90Signed)}`;
}

/** The median of a measure without its sign, with its unit. */
export function absoluteCell(errors: FidelityErrors, { measure, unit }: ErrorColumn): string {
  const summary = summariseErrors(errors[measure]);
  return summary === undefined ? UNKNOWN : `${toHundredths(summary.medianAbsolute)} ${unit}`;
}

/** A ratio in hundredths with its sign; what rounds to zero has none. */
export function formatSigned(ratio: number): string {
  const digits = toHundredths(Math.abs(ratio));
  if (Number(digits) === 0) return digits;
  return `${ratio < 0 ? '-' : '+'}${digits}`;
}

function toHundredths(ratio: number): string {
  return (100 * ratio).toFixed(DECIMALS);
}
