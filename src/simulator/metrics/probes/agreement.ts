/** Two verdicts on the same answer. */
export interface VerdictPair {
  readonly a: boolean;
  readonly b: boolean;
}

/** Agreement that a judge must reach before anything may depend on it. Source: evaluation design, section 9.2. */
export const LEAST_KAPPA = 0.8;

/** Cohen's κ: how far two agree beyond chance; `null` without verdicts, or where chance alone explains everything. */
export function cohenKappa(pairs: readonly VerdictPair[]): number | null {
  if (pairs.length === 0) return null;
  const observed = agreementOf(pairs) ?? 0;
  const [yesOfA, yesOfB] = [shareOf(pairs, ({ a }) => a), shareOf(pairs, ({ b }) => b)];
  const byChance = yesOfA * yesOfB + (1 - yesOfA) * (1 - yesOfB);
  return byChance === 1 ? null : (observed - byChance) / (1 - byChance);
}

/** Share of answers on which both say the same; `null` without any. */
export function agreementOf(pairs: readonly VerdictPair[]): number | null {
  return pairs.length === 0 ? null : shareOf(pairs, ({ a, b }) => a === b);
}

function shareOf(pairs: readonly VerdictPair[], is: (pair: VerdictPair) => boolean): number {
  return pairs.filter(is).length / pairs.length;
}
