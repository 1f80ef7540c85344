import { keepIn } from '../../lib/collections.ts';
import type { QualityScore } from './score-text.ts';

/** How what is kept falls off over repeated pivots. Source: evaluation design, section 9.1. */
export interface Decay {
  /** Retention after each pivot; `null` where nothing was to be kept. */
  readonly retention: readonly (number | null)[];
  /** What each further pivot leaves of what the one before left; `null` with fewer than two pivots. */
  readonly rho: number | null;
  /** Pivots after which half is left; `null` where nothing is lost, or where `rho` is unknown. */
  readonly halfLife: number | null;
}

/** What a pivot did to the facts that came to it, by how many each had gone through. */
export interface Losses {
  /** Facts that went through the pivots before and were not lost. */
  readonly atRisk: number;
  readonly lost: number;
}

interface Life {
  pivots: number;
  isLost: boolean;
}

const STEPS = 2_000;
/** Smaller differences are those of rounding. */
const TIE = 1e-12;

/** Fits a geometric decay to retention after pivots, in their order. */
export function decayOf(retention: readonly (number | null)[]): Decay {
  const known = retention.filter((share) => share !== null);
  const isUnknown = known.length < 2 || known.every((share) => share === 0);
  const rho = isUnknown ? null : fitRho(retention);
  return { retention, rho, halfLife: halfLifeOf(rho) };
}

/** Pivots after which half is left, at that rate; `null` where nothing is lost, or the rate is unknown. */
export function halfLifeOf(rho: number | null): number | null {
  if (rho === null || rho >= 1) return null;
  return rho === 0 ? 0 : Math.log(1 / 2) / Math.log(rho);
}

/**
 * Facts that were lost over pivots, first those that went through one. Each fact counts from the first pivot after it
 * was said; one that is replaced, or still there at the end, leaves without being lost.
 */
export function lossesOf(scores: readonly QualityScore[]): readonly Losses[] {
  const lives = livesOf(scores);
  const longest = lives.reduce((most, { pivots }) => Math.max(most, pivots), 0);
  return Array.from({ length: longest }, (_, index) => {
    const pivots = index + 1;
    const atRisk = lives.filter((life) => life.pivots >= pivots).length;
    const lost = lives.filter((life) => life.pivots === pivots && life.isLost).length;
    return { atRisk, lost };
  });
}

/** What is lost once is lost, whatever comes after. */
function livesOf(scores: readonly QualityScore[]): readonly Life[] {
  const lives = new Map<string, Life>();
  for (const { facts } of scores) {
    for (const { id, isKept } of facts) {
      const life = keepIn(lives, id, () => ({ pivots: 0, isLost: false }));
      if (life.isLost) continue;
      life.pivots += 1;
      life.isLost = !isKept;
    }
  }
  return [...lives.values()];
}

/** The least squares, over a fine grid of rates: retention may rise, and may be nothing. */
function fitRho(retention: readonly (number | null)[]): number {
  let best = { rho: 0, explained: -1 };
  for (let step = 0; step <= STEPS; step++) {
    const rho = step / (STEPS / 2);
    const explained = explainedBy(rho, retention);
    if (explained > best.explained + TIE) best = { rho, explained };
  }
  return best.rho;
}

/** What a rate takes off the sum of squares, with the first share that fits it best. */
function explainedBy(rho: number, retention: readonly (number | null)[]): number {
  let [power, cross, square] = [1, 0, 0];
  for (const share of retention) {
    if (share !== null) {
      cross += share * power;
      square += power * power;
    }
    power *= rho;
  }
  return square === 0 ? 0 : (cross * cross) / square;
}
