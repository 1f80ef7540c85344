/** Where an answer is looked for. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

const ROUNDS = 24;

/** Where a function that rises reaches a value, by halves; the nearer bound where it does not. */
export function solveRising(of: (at: number) => number, value: number, bounds: Bounds): number {
  let { least, most } = bounds;
  for (let round = 0; round < ROUNDS; round++) {
    const middle = (least + most) / 2;
    if (of(middle) < value) least = middle;
    else most = middle;
  }
  return (least + most) / 2;
}
