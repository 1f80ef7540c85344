import { normalQuantile } from './quantiles.ts';

/** What a comparison is to find out, and how much its observations vary. */
export interface SampleSizeOptions {
  /** The least difference that is to be found. */
  readonly difference: number;
  /** Of the true difference from one session to the next. */
  readonly varianceOfDifference: number;
  /** Of one arm on the same session, from one trial to the next; 0 where it is deterministic. */
  readonly varianceWithin: { readonly a: number; readonly b: number };
  readonly trials: { readonly a: number; readonly b: number };
  /** Chance of a difference where there is none, and of finding one that is there. */
  readonly significance?: number;
  readonly power?: number;
}

const SIGNIFICANCE = 0.05;
const POWER = 0.8;

/**
 * Sessions that a paired comparison needs. Source: evaluation design, section 9.5:
 * (z_{α/2} + z_β)² (ω² + σ²_A / K_A + σ²_B / K_B) / δ².
 */
export function sampleSize(options: SampleSizeOptions): number {
  const { difference, varianceOfDifference, varianceWithin, trials } = options;
  const { significance = SIGNIFICANCE, power = POWER } = options;
  const z = normalQuantile(1 - significance / 2) + normalQuantile(power);
  const variance = varianceOfDifference + varianceWithin.a / trials.a + varianceWithin.b / trials.b;
  return Math.ceil((z ** 2 * variance) / difference ** 2);
}
