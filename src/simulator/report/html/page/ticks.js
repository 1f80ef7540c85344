const ROUND = [1, 2, 5, 10];

/**
 * Round values from 0 on, about as many as wanted.
 * @param {number} most
 * @param {number} wanted
 */
export function ticks(most, wanted) {
  if (!(most > 0)) return [0];
  const least = most / wanted;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ROUND.map((one) => one * power).find((one) => one >= least) ?? least;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

/**
 * Some of the steps before this one, of which there is no half.
 * @param {number} steps
 * @param {number} wanted
 */
export function stepTicks(steps, wanted) {
  return ticks(steps, wanted).filter((step) => Number.isInteger(step) && step < steps);
}
