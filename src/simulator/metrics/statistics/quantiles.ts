/** Quantiles and shares of the normal and Student's t distributions. */

import { bisect, errorFunction } from 'simple-statistics';

/** Farther out than any quantile that a report asks for. */
const FARTHEST_NORMAL = 10;
const FARTHEST_T = 1e6;
const MOST_BISECTIONS = 200;
const TOLERANCE = 1e-9;

/** The share of the standard normal distribution that lies below a value. */
export function normalShareBelow(z: number): number {
  return (1 + errorFunction(z / Math.SQRT2)) / 2;
}

/** The value below which a share of the standard normal distribution lies. */
export function normalQuantile(share: number): number {
  const beyond = (z: number) => normalShareBelow(z) - share;
  return bisect(beyond, -FARTHEST_NORMAL, FARTHEST_NORMAL, MOST_BISECTIONS, TOLERANCE);
}

/** The value below which a share above a half of Student's t distribution with whole degrees of freedom lies. */
export function tQuantile(share: number, degreesOfFreedom: number): number {
  const beyond = (t: number) => centralShareOfT(t, degreesOfFreedom) - (2 * share - 1);
  return bisect(beyond, 0, FARTHEST_T, MOST_BISECTIONS, TOLERANCE);
}

/** The share of Student's t distribution between -t and t. Source: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
export function centralShareOfT(t: number, degreesOfFreedom: number): number {
  const angle = Math.atan(t / Math.sqrt(degreesOfFreedom));
  const isOdd = degreesOfFreedom % 2 === 1;
  if (degreesOfFreedom === 1) return (2 * angle) / Math.PI;
  const cosine = Math.cos(angle);
  let term = isOdd ? cosine : 1;
  let series = term;
  for (let k = isOdd ? 2 : 1; k <= degreesOfFreedom - 3; k += 2) {
    term *= (k / (k + 1)) * cosine ** 2;
    series += term;
  }
  const part = Math.sin(angle) * series;
  return isOdd ? (2 / Math.PI) * (angle + part) : part;
}
