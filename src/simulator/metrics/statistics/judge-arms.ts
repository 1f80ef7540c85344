/** The one judgement of arms against a baseline, from pairs of runs of the same sessions. */

import { createRandom } from '../../env.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import {
  AMOUNT,
  clip,
  CONFIDENCE,
  type Interval,
  LEAST_OBSERVATIONS,
  normalQuantile,
  percentileInterval,
  tQuantile,
  wilsonInterval,
} from './interval.ts';
import { type BootstrapOptions, drawResamples, FEW_CLUSTERS } from './mean-difference.ts';
import { isAsGoodAsEqual, SAME_COST } from './verdict.ts';

/** A session under both, in one unit. */
export interface PairedSpend {
  readonly cluster: string;
  readonly base: number;
  readonly arm: number;
  readonly differs: boolean;
}

/** The sessions that both completed, and how many the arm did not. */
export interface JudgedArm {
  readonly pairs: readonly PairedSpend[];
  readonly failed: number;
}

export type ArmState =
  | 'better'
  | 'worse'
  | 'no difference that matters'
  | 'does nothing'
  | 'no effect'
  | 'not enough data'
  | 'fails';

export interface ArmJudgement {
  readonly state: ArmState;
  readonly from: number;
  readonly to: number;
  /** Of `to`; `null` where too few differ. */
  readonly interval: Interval | null;
  readonly sessions: number;
  readonly families: number;
  readonly differing: number;
  readonly differingFamilies: number;
  /** For a decision in four of five cases, one above `MOST_NEEDED` for more; `null` where decided. */
  readonly needed: number | 'too few to say' | null;
}

type FamilyTotals = Omit<PairedSpend, 'cluster'>;

/** In standard errors. */
type Reach = Readonly<Record<'below' | 'above', number>>;

const CONFIDENCE_TAIL = 0.025;
const NOTHING_SHARE = 0.05;
/** Families of which none differs, from which on that is shown. */
const FEWEST_FOR_NOTHING = 60;
/** Families that have to differ for a guess at how many would decide. */
const FEWEST_TO_GUESS = 3;
const POWER = 0.8;
const DRAWS = 60;
/** A larger number of sessions needed is not worked out. */
export const MOST_NEEDED = 1_000;
const BOOTSTRAP = { seed: 1, resamples: 2_000 };
const FULL_DRAWS = 3;
const ROUGH = { seed: 1, resamples: 150 };
const NO_REACH: Reach = { below: 0, above: 0 };
/** The least error of a resample, as a share of the sample's own: one of families that are all alike would be off by any number. */
const LEAST_ERROR = 0.1;

/** Judges arms that were tried together: more of them need more certainty. */
export function judgeArms(arms: readonly JudgedArm[]): readonly ArmJudgement[] {
  const families = arms.map(({ pairs }) => toFamilies(pairs));
  const tests = Math.max(1, families.filter((own) => own.some(({ differs }) => differs)).length);
  return arms.map((arm, index) => judgeArm(arm, families[index] ?? [], tests));
}

function judgeArm(
  { pairs, failed }: JudgedArm,
  families: readonly FamilyTotals[],
  tests: number,
): ArmJudgement {
  const from = sum(pairs.map(({ base }) => base));
  const to = sum(pairs.map(({ arm }) => arm));
  const differing = countDiffering(pairs);
  const differingFamilies = countDiffering(families);
  const ratio =
    differingFamilies >= FEW_CLUSTERS && from > 0 ? ratioInterval(families, BOOTSTRAP) : null;
  const interval = ratio && { low: ratio.low * from, high: ratio.high * from };
  const state = failed > 0 ? 'fails' : stateOf(families, { ratio, value: to / from, tests });
  return {
    state,
    from,
    to,
    interval,
    sessions: pairs.length,
    families: families.length,
    differing,
    differingFamilies,
    needed: state === 'not enough data' ? sessionsNeeded(families, tests) : null,
  };
}

function countDiffering(all: readonly Pick<FamilyTotals, 'differs'>[]): number {
  return all.filter(({ differs }) => differs).length;
}

function stateOf(
  families: readonly FamilyTotals[],
  { ratio, value, tests }: { ratio: Interval | null; value: number; tests: number },
): ArmState {
  const differing = countDiffering(families);
  if (families.length === 0) return 'not enough data';
  if (differing === 0) return families.length >= FEWEST_FOR_NOTHING ? 'does nothing' : 'no effect';
  if (wilsonInterval({ hits: differing, of: families.length }).high < NOTHING_SHARE)
    return 'does nothing';
  return ratio === null ? 'not enough data' : decide(widened(ratio, value, tests));
}

function widened({ low, high }: Interval, value: number, tests: number): Interval {
  const share = normalQuantile(1 - CONFIDENCE_TAIL / tests) / normalQuantile(1 - CONFIDENCE_TAIL);
  return { low: value - (value - low) * share, high: value + (high - value) * share };
}

function decide({ low, high }: Interval): ArmState {
  const { low: least, high: most } = SAME_COST.region ?? { low: 1, high: 1 };
  if (low >= least && high <= most) return 'no difference that matters';
  if (high < 1) return 'better';
  return low > 1 ? 'worse' : 'not enough data';
}

/** Sorted, so that draws do not depend on the order of sessions. */
function toFamilies(pairs: readonly PairedSpend[]): readonly FamilyTotals[] {
  return [...groupBy(pairs, ({ cluster }) => cluster).values()]
    .map((own) => ({
      base: sum(own.map(({ base }) => base)),
      arm: sum(own.map(({ base, arm }) => (isAsGoodAsEqual(base, arm) ? base : arm))),
      differs: own.some(({ differs }) => differs),
    }))
    .toSorted((one, other) => one.base - other.base || one.arm - other.arm);
}

function sessionsNeeded(families: readonly FamilyTotals[], tests: number) {
  if (countDiffering(families) < FEWEST_TO_GUESS) return 'too few to say';
  const decides = (count: number) => shareDecided(families, count, tests) >= POWER;
  let enough = families.length + 1;
  while (!decides(enough)) {
    if (enough >= MOST_NEEDED) return MOST_NEEDED + 1;
    enough = Math.min(2 * enough, MOST_NEEDED);
  }
  let short = Math.max(families.length, Math.floor(enough / 2));
  while (enough - short > Math.max(1, enough / 20)) {
    const middle = Math.floor((short + enough) / 2);
    if (decides(middle)) enough = middle;
    else short = middle;
  }
  return enough;
}

/** By the standard errors that a few intervals reach: resamples of all would take long. */
function shareDecided(families: readonly FamilyTotals[], count: number, tests: number): number {
  const amounts = amountsOf(families);
  const estimates = drawFamilies(families, count).map((drawn) => {
    const { share, error } = estimateShare(amounts, drawn);
    return { drawn, value: 1 + share, error };
  });
  if (estimates.length < DRAWS * POWER) return 0;
  const decidedWith = (reach: Reach) =>
    estimates.filter(({ value, error }) => {
      const interval = { low: value - reach.below * error, high: value + reach.above * error };
      return decide(widened(interval, value, tests)) !== 'not enough data';
    }).length / DRAWS;
  const least = normalQuantile(1 - CONFIDENCE_TAIL);
  const most = decidedWith({ below: least, above: least });
  return most < POWER ? most : decidedWith(meanReach(families, estimates.slice(0, FULL_DRAWS)));
}

function drawFamilies(families: readonly FamilyTotals[], count: number): readonly Uint32Array[] {
  const random = createRandom(count);
  const draws = Array.from({ length: DRAWS }, () =>
    new Uint32Array(count).map(() => Math.floor(random() * families.length)),
  );
  return draws.filter((drawn) => {
    const differing = drawn.filter((place) => families[place]?.differs);
    return differing.length >= FEW_CLUSTERS;
  });
}

function meanReach(
  families: readonly FamilyTotals[],
  draws: readonly { readonly drawn: Uint32Array; readonly value: number; readonly error: number }[],
): Reach {
  const reaches = draws.map(({ drawn, value, error }) => {
    const sample = Array.from(drawn, (place) => families[place] as FamilyTotals);
    const { low, high } = ratioInterval(sample, ROUGH) ?? { low: value, high: value };
    return error > 0 ? { below: (value - low) / error, above: (high - value) / error } : NO_REACH;
  });
  return {
    below: sum(reaches.map(({ below }) => below)) / reaches.length,
    above: sum(reaches.map(({ above }) => above)) / reaches.length,
  };
}

/**
 * As wide as the widest of three: Student's t by the number of families that differ, the percentiles of resamples, and those of
 * how many standard errors each resample is off, which reach as far as the tail of costs does. Each alone is too narrow somewhere.
 * `null` of too few that differ. Source: Hesterberg, What Teachers Should Know About the Bootstrap (2015), section 4.
 */
function ratioInterval(families: readonly FamilyTotals[], options: BootstrapOptions) {
  const differing = countDiffering(families);
  if (differing < LEAST_OBSERVATIONS) return null;
  const amounts = amountsOf(families);
  const { share, error } = estimateShare(amounts, Uint32Array.from(families.keys()));
  if (!Number.isFinite(share)) return null;
  if (error === 0) return { low: 1 + share, high: 1 + share };
  const shares: number[] = [];
  const errorsOff: number[] = [];
  drawResamples(families.length, options, (drawn) => {
    const drawnOne = estimateShare(amounts, drawn);
    if (!Number.isFinite(drawnOne.share)) return;
    shares.push(drawnOne.share);
    errorsOff.push((drawnOne.share - share) / Math.max(drawnOne.error, LEAST_ERROR * error));
  });
  const reach = error * tQuantile((1 + CONFIDENCE) / 2, differing - 1);
  const drawnShares = percentileInterval(shares, families.length);
  const off = percentileInterval(errorsOff, families.length);
  const interval = {
    low: 1 + Math.min(share - reach, drawnShares.low, share - off.high * error),
    high: 1 + Math.max(share + reach, drawnShares.high, share - off.low * error),
  };
  return clip(interval, AMOUNT);
}

function amountsOf(families: readonly FamilyTotals[]) {
  const base = Float64Array.from(families, (family) => family.base);
  const more = Float64Array.from(families, ({ arm, base: ofBase }) => arm - ofBase);
  return { base, more };
}

function estimateShare({ base, more }: ReturnType<typeof amountsOf>, drawn: Uint32Array) {
  const { length } = drawn;
  let [first, second, ofBase, ofMore, ofBoth] = [0, 0, 0, 0, 0];
  for (const index of drawn) {
    const amount = base[index] ?? 0;
    const extra = more[index] ?? 0;
    first += amount;
    second += extra;
    ofBase += amount * amount;
    ofMore += extra * extra;
    ofBoth += amount * extra;
  }
  const share = second / first;
  const squares = Math.max(0, ofMore - 2 * share * ofBoth + share * share * ofBase);
  return { share, error: Math.sqrt((squares * length) / (length - 1)) / first };
}
