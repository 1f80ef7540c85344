import { createRandom } from '../../env.ts';

/** How a sample is drawn again and again. */
export interface BootstrapOptions {
  /** The same seed draws the same resamples. */
  readonly seed: number;
  readonly resamples?: number;
}

/** How often a sample is drawn again, unless told otherwise. Source: evaluation design, section 9.5. */
export const RESAMPLES = 10_000;

/**
 * The mean of each resample of some values, drawn with replacement; of clusters each is the mean of one.
 * Source: evaluation design, section 9.5.
 */
export function bootstrapMeans(
  values: readonly number[],
  { seed, resamples = RESAMPLES }: BootstrapOptions,
): Float64Array {
  const means = new Float64Array(resamples);
  drawResamples(values.length, { seed, resamples }, (drawn, index) => {
    let total = 0;
    for (const place of drawn) total += values[place] ?? 0;
    means[index] = total / values.length;
  });
  return means;
}

/** Calls back with each resample: as many indices below a size, drawn with replacement; the list is used again. */
export function drawResamples(
  size: number,
  { seed, resamples = RESAMPLES }: BootstrapOptions,
  use: (drawn: Uint32Array, index: number) => void,
): void {
  const random = createRandom(seed);
  const drawn = new Uint32Array(size);
  for (let index = 0; index < resamples; index++) {
    for (let place = 0; place < size; place++) drawn[place] = Math.floor(random() * size);
    use(drawn, index);
  }
}
