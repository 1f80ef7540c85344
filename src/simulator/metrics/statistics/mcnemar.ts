/** Pairs that differ in a yes or no. */
export interface DiscordantPairs {
  readonly onlyA: number;
  readonly onlyB: number;
}

/**
 * How surprising the discordant pairs are where both arms are alike: exact and two-sided.
 * Source: evaluation design, section 9.5, McNemar.
 */
export function exactMcNemar({ onlyA, onlyB }: DiscordantPairs): number {
  const pairs = onlyA + onlyB;
  let logTerm = -pairs * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let hits = 1; hits <= Math.min(onlyA, onlyB); hits++) {
    logTerm += Math.log((pairs - hits + 1) / hits);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}
