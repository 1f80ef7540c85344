import type { QualityScore } from './score-text.ts';

/** How what is kept falls off over repeated pivots. */
export interface Decay {
  /** Retention after each pivot; `null` where nothing was to be kept. */
  readonly retention: readonly (number | null)[];
  /** What each further pivot leaves of what the one before left; `null` with fewer than two pivots. */
  readonly rho: number | null;
  /** Pivots after which half is left; `null` where nothing is lost, or where `rho` is unknown. */
  readonly halfLife: number | null;
}

/** How likely it is that a fact has survived some pivots. */
export interface SurvivalPoint {
  /** Pivots that a fact went through. */
  readonly pivots: number;
  /** Facts that went through the pivots before and were not lost. */
  readonly atRisk: number;
  readonly lost: number;
  readonly survival: number;
}

const STEPS = 2_000;

/** Fits a geometric decay to retention after pivots, in their order. */
export function fitDecay(scores: readonly QualityScore[]): Decay {
  const retention = scores.map(({ retained }) => retained.share);
  const points = retention.flatMap((share, index) => (share === null ? [] : [{ index, share }]));
  const rho = points.length < 2 || points.every(({ share }) => share === 0) ? null : fitRho(points);
  const halfLife = rho === null || rho >= 1 ? null : Math.log(1 / 2) / Math.log(rho);
  return { retention, rho, halfLife: rho === 0 ? 0 : halfLife };
}

/**
 * Survival of facts over pivots after Kaplan and Meier. Each fact counts from the first pivot after it was said; one
 * that is replaced, or still there at the end, leaves without being lost.
 */
export function survivalOf(scores: readonly QualityScore[]): readonly SurvivalPoint[] {
  const lives = livesOf(scores);
  const longest = lives.reduce((most, { pivots }) => Math.max(most, pivots), 0);
  const points: SurvivalPoint[] = [];
  let survival = 1;
  for (let pivots = 1; pivots <= longest; pivots++) {
    const atRisk = lives.filter((life) => life.pivots >= pivots).length;
    const lost = lives.filter((life) => life.pivots === pivots && life.isLost).length;
    survival *= 1 - lost / atRisk;
    points.push({ pivots, atRisk, lost, survival });
  }
  return points;
}

interface Life {
  pivots: number;
  isLost: boolean;
}

/** What is lost once is lost, whatever comes after. */
function livesOf(scores: readonly QualityScore[]): readonly Life[] {
  const lives = new Map<string, Life>();
  for (const { facts } of scores) {
    for (const { id, isKept } of facts) {
      const life = lives.get(id) ?? { pivots: 0, isLost: false };
      lives.set(id, life);
      if (life.isLost) continue;
      life.pivots += 1;
      life.isLost = !isKept;
    }
  }
  return [...lives.values()];
}

/** The least squares, over a fine grid of rates: retention may rise, and may be nothing. */
function fitRho(points: readonly { readonly index: number; readonly share: number }[]): number {
  let best = { rho: 0, error: Infinity };
  for (let step = 0; step <= STEPS; step++) {
    const rho = step / (STEPS / 2);
    const powers = points.map(({ index }) => rho ** index);
    const cross = points.reduce((sum, { share }, at) => sum + share * (powers[at] ?? 0), 0);
    const square = powers.reduce((sum, power) => sum + power ** 2, 0);
    const first = square === 0 ? 0 : cross / square;
    const error = points.reduce(
      (sum, { share }, at) => sum + (share - first * (powers[at] ?? 0)) ** 2,
      0,
    );
    if (error < best.error) best = { rho, error };
  }
  return best.rho;
}
