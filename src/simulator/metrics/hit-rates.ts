import { sum } from '../lib/collections.ts';
import { HIT_THRESHOLDS } from '../scenario/workload/session-shape.ts';
import type { SessionShape, Workload } from '../scenario/workload/workload.ts';
import { ratioOfTotals } from './statistics/judge-difference.ts';
import { type Estimate, ruleOfThree } from './statistics/interval.ts';
import { groupByCluster, type Pair } from './statistics/mean-difference.ts';

export interface HitRate {
  /** `null`: where the recording agent compacted. */
  readonly thresholdTokens: number | null;
  readonly generated: HitRates;
  readonly workload: HitRates | null;
  /** Of both rates; null where unknown. */
  readonly isWithinNoise: boolean | null;
}

export interface HitRates {
  readonly perSession: Estimate;
  readonly perThousandSteps: Estimate;
}

/** Enough for two digits, and not too slow for many sessions. */
const RESAMPLES = 1_000;
const THOUSAND = 1_000;

export function compareHitRates(
  generated: readonly SessionShape[],
  workload: Workload,
  seed: number,
): readonly HitRate[] {
  const known = workload.sessions ?? [];
  const isObserved = known.length <= (workload.turnsPerSession.n ?? 0);
  return [null, ...HIT_THRESHOLDS].flatMap((thresholdTokens, index) => {
    const hitsOf = ({ compactions, thresholdHits }: SessionShape) =>
      thresholdTokens === null ? compactions : thresholdHits?.[index - 1];
    const own = ratesOf(generated, hitsOf, seed);
    const theirs = ratesOf(known, hitsOf, seed);
    if (own === null) return [];
    const workloadRates = theirs === null || isObserved ? theirs : withoutIntervals(theirs);
    const isWithinNoise = workloadRates && isNear(own, workloadRates);
    return [{ thresholdTokens, generated: own, workload: workloadRates, isWithinNoise }];
  });
}

function ratesOf(
  shapes: readonly SessionShape[],
  hitsOf: (shape: SessionShape) => number | undefined,
  seed: number,
): HitRates | null {
  const told = shapes.flatMap((shape) => {
    const hits = hitsOf(shape);
    const cluster = shape.family && { cluster: shape.family };
    return hits === undefined ? [] : [{ hits, steps: shape.steps, ...cluster }];
  });
  const options = { seed, resamples: RESAMPLES };
  const rateBy = (sizeOf: (steps: number) => number) => {
    const pairs = told.map(({ hits, steps, ...own }) => ({ ...own, a: sizeOf(steps), b: hits }));
    const rate = ratioOfTotals(pairs, options);
    return rate && withRareHits(rate, pairs);
  };
  const perSession = rateBy(() => 1);
  const perThousandSteps = rateBy((steps) => steps / THOUSAND);
  return perSession && perThousandSteps ? { perSession, perThousandSteps } : null;
}

/** Without a hit, up to the highest rate that so many sessions leave possible. */
function withRareHits(rate: Estimate, pairs: readonly Pair[]): Estimate {
  if (rate.interval === null || rate.value > 0) return rate;
  const sizes = groupByCluster(pairs, ({ a }) => a);
  const size = sum(sizes.flat());
  const hits = ruleOfThree(sizes.length) * sizes.length;
  return { value: 0, interval: { low: 0, high: hits / size } };
}

function withoutIntervals({ perSession, perThousandSteps }: HitRates): HitRates {
  return {
    perSession: { ...perSession, interval: null },
    perThousandSteps: { ...perThousandSteps, interval: null },
  };
}

function isNear(own: HitRates, others: HitRates): boolean | null {
  const isSame = (['perSession', 'perThousandSteps'] as const).map((rate) => {
    const [a, b] = [own[rate].interval, others[rate].interval];
    return a && b && a.low <= b.high && b.low <= a.high;
  });
  return isSame.includes(null) ? null : isSame.every(Boolean);
}
