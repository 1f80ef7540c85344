import { CONFIDENCE, type Interval } from './interval.ts';
import { normalQuantile } from './quantiles.ts';

/** How many of all. */
export interface Proportion {
  readonly hits: number;
  readonly of: number;
}

/** Rate that no violation in n trials rules out, times n. */
const RULE_OF_THREE = 3;

/** Wilson's interval of a rate; everything is possible where nothing was tried. Source: evaluation design, section 9.5. */
export function wilsonInterval({ hits, of }: Proportion, confidence = CONFIDENCE): Interval {
  if (of === 0) return { low: 0, high: 1 };
  const z = normalQuantile((1 + confidence) / 2);
  const rate = hits / of;
  const shrink = 1 + z ** 2 / of;
  const centre = (rate + z ** 2 / (2 * of)) / shrink;
  const reach = (z / shrink) * Math.sqrt((rate * (1 - rate)) / of + z ** 2 / (4 * of ** 2));
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}

/** The highest rate that as many trials without any violation leave possible, at 95 %. Source: evaluation design, section 9.5. */
export function ruleOfThree(trials: number): number {
  return trials === 0 ? 1 : Math.min(1, RULE_OF_THREE / trials);
}
