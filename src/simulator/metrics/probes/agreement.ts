/** Two verdicts on the same answer. */
export interface VerdictPair {
  readonly a: boolean;
  readonly b: boolean;
}

/** Agreement that a judge must reach before anything may depend on it. Source: evaluation design, section 9.2. */
export const LEAST_KAPPA = 0.8;

/** Share of the labelled answers that a judge must have judged: on a few of them anybody may agree. */
export const LEAST_JUDGED_SHARE = 0.9;

/** Verdicts below which one cannot agree or disagree. */
const LEAST_VERDICTS = 2;

/** Whether a judge agrees with labels as far as it must. */
export function agreesEnough(kappa: number | null): boolean {
  return kappa !== null && kappa >= LEAST_KAPPA;
}

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

/**
 * Krippendorff's α of any number of judges, each list being the verdicts on one answer: how far they agree beyond
 * chance. An answer that only one has judged does not count; `null` where all verdicts are the same, or there are none.
 */
export function krippendorffAlpha(answers: readonly (readonly boolean[])[]): number | null {
  const judged = answers.filter(({ length }) => length >= LEAST_VERDICTS);
  const verdicts = judged.flat();
  const yes = verdicts.filter(Boolean).length;
  const no = verdicts.length - yes;
  if (yes === 0 || no === 0) return null;
  const disagreeing = judged.reduce((total, own) => {
    const ownYes = own.filter(Boolean).length;
    return total + (ownYes * (own.length - ownYes)) / (own.length - 1);
  }, 0);
  return 1 - ((verdicts.length - 1) * disagreeing) / (yes * no);
}

function shareOf(pairs: readonly VerdictPair[], is: (pair: VerdictPair) => boolean): number {
  return pairs.filter(is).length / pairs.length;
}
