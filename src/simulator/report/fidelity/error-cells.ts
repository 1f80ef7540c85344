import {
  type FidelityErrors,
  type FidelityMeasure,
  summariseErrors,
} from '../../metrics/fidelity.ts';
import { formatFixed, formatSigned } from '../fixed.ts';
import { UNKNOWN } from '../numbers.ts';
import { percentOf } from '../percent.ts';
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
  return `${signedHundredths(summary.medianSigned)} / ${signedHundredths(summary.p90Signed)}`;
}

/** The median of a measure without its sign, with its unit. */
export function absoluteCell(errors: FidelityErrors, { measure, unit }: ErrorColumn): string {
  const summary = summariseErrors(errors[measure]);
  return summary === undefined
    ? UNKNOWN
    : `${formatFixed(percentOf(summary.medianAbsolute), DECIMALS)} ${unit}`;
}

/** A ratio in hundredths with its sign; what rounds to zero has none. */
export function signedHundredths(ratio: number): string {
  return formatSigned(percentOf(ratio), DECIMALS);
}
