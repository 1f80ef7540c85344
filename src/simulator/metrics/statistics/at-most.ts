/** Numbers that are no farther apart differ by rounding alone, as a share of the smaller one, or of 1 where that is more. */
const ROUNDING = 1e-12;

/** Whether a number is at most a bound, whatever rounding makes of the two: `0.92 - 0.9` is at most `0.02`. */
export function isAtMost(value: number, bound: number): boolean {
  if (value <= bound) return true;
  return value - bound <= ROUNDING * Math.max(1, Math.min(Math.abs(value), Math.abs(bound)));
}

/** Whether numbers are equal, or apart by rounding alone: the mean of three numbers is seldom the sum of its parts. */
export function isAsGoodAsEqual(one: number, other: number): boolean {
  return isAtMost(one, other) && isAtMost(other, one);
}
