/** Shares in percent. */

import { formatFixed, formatSigned } from './fixed.ts';

const PERCENT = 100;

/** A part in hundredths of its whole; a share, where that is one. */
export function percentOf(part: number, whole = 1): number {
  return (PERCENT * part) / whole;
}

/** A share in percent with so many decimals. */
export function formatPercent(share: number, decimals = 0): string {
  return `${formatFixed(percentOf(share), decimals)} %`;
}

/** A share in percent with its sign. */
export function formatSignedPercent(share: number, decimals: number): string {
  return `${formatSigned(percentOf(share), decimals)} %`;
}

/** A share in percent with its tenth only where it has one: `50 %`, `33.3 %`. */
export function formatShortPercent(share: number): string {
  return `${Number(formatFixed(percentOf(share), 1))} %`;
}
