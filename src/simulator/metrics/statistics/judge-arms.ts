/** The one judgement of arms against a baseline, from pairs of runs of the same sessions. */

import { createRandom } from '../../env.ts';
import { groupBy, sum } from '../../lib/collections.ts';
import { type Interval, normalQuantile, tQuantile, wilsonInterval } from './interval.ts';
import { ratioOfTotals } from './judge-difference.ts';
import { FEW_CLUSTERS } from './mean-difference.ts';
import { isAsGoodAsEqual, SAME_COST } from './verdict.ts';

/** A session under the baseline and under an arm, in the unit of both. */
export interface PairedSpend {
  /** The key of sessions that are not independent. */
  readonly cluster: string;
  readonly base: number;
  readonly arm: number;
  /** Anything at all came out different. */
  readonly differs: boolean;
}

/** An arm on the sessions that it and the baseline completed, and how many it did not. */
export interface JudgedArm {
  readonly pairs: readonly PairedSpend[];
  /** Sessions that the baseline completed and the arm did not. */
  readonly failed: number;
}

/** The state of an arm: shown, shown to be the same, or open. */
export type ArmState =
  | 'better'
  | 'worse'
  | 'no difference that matters'
  | 'does nothing'
  | 'no effect'
  | 'not enough data'
  | 'fails';

/** An arm's judgement with the numbers that it rests on. */
export interface ArmJudgement {
  readonly state: ArmState;
  readonly from: number;
  readonly to: number;
  /** Of `to`; `null` where too few sessions differ. */
  readonly interval: Interval | null;
  readonly sessions: number;
  readonly families: number;
  /** Sessions, and families of them, in which anything differs. */
  readonly differing: number;
  readonly differingFamilies: number;
  /** Unrelated sessions like these that would decide in four of five cases; `null` where it is decided. */
  readonly needed: number | 'too few to say' | null;
}

/** Totals of one family. */
interface Family {
  readonly base: number;
  readonly arm: number;
  readonly differs: boolean;
}

const CONFIDENCE_TAIL = 0.025;
/** Share of sessions below which a change does nothing. */
const NOTHING_SHARE = 0.05;
/** Families of which none differs, from which on that is shown. */
const FEWEST_FOR_NOTHING = 60;
/** Families that have to differ for a guess at how many would decide. */
const FEWEST_TO_GUESS = 3;
const POWER = 0.8;
const DRAWS = 100;
const MOST_NEEDED = 5_000;
const BOOTSTRAP = { seed: 1, resamples: 2_000 };

/** Judges arms that were tried together: the more there are that differ, the surer each has to be. */
export function judgeArms(arms: readonly JudgedArm[]): readonly ArmJudgement[] {
  const families = arms.map(({ pairs }) => toFamilies(pairs));
  const tests = Math.max(1, families.filter((own) => own.some(({ differs }) => differs)).length);
  return arms.map((arm, index) => judgeArm(arm, families[index] ?? [], tests));
}

function judgeArm(
  { pairs, failed }: JudgedArm,
  families: readonly Family[],
  tests: number,
): ArmJudgement {
  const from = sum(pairs.map(({ base }) => base));
  const to = sum(pairs.map(({ arm }) => arm));
  const differing = pairs.filter(({ differs }) => differs).length;
  const differingFamilies = families.filter(({ differs }) => differs).length;
  const ratio =
    differingFamilies >= FEW_CLUSTERS && from > 0
      ? ratioOfTotals(
          pairs.map(({ base: a, arm: b, cluster }) => ({ a, b, cluster })),
          BOOTSTRAP,
        )
      : undefined;
  const interval = ratio?.interval
    ? { low: ratio.interval.low * from, high: ratio.interval.high * from }
    : null;
  const state = failed > 0 ? 'fails' : stateOf(families, { interval, from, tests });
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

function stateOf(
  families: readonly Family[],
  { interval, from, tests }: { interval: Interval | null; from: number; tests: number },
): ArmState {
  const differing = families.filter(({ differs }) => differs).length;
  if (families.length === 0) return 'not enough data';
  if (differing === 0) return families.length >= FEWEST_FOR_NOTHING ? 'does nothing' : 'no effect';
  if (wilsonInterval({ hits: differing, of: families.length }).high < NOTHING_SHARE) {
    return 'does nothing';
  }
  if (interval === null || differing < FEW_CLUSTERS) return 'not enough data';
  return decide(widened({ low: interval.low / from, high: interval.high / from }, tests));
}

/** An interval of a ratio as wide as it has to be among so many tests. */
function widened({ low, high }: Interval, tests: number): Interval {
  const share = normalQuantile(1 - CONFIDENCE_TAIL / tests) / normalQuantile(1 - CONFIDENCE_TAIL);
  const centre = (low + high) / 2;
  return { low: centre - (centre - low) * share, high: centre + (high - centre) * share };
}

function decide({ low, high }: Interval): ArmState {
  const { low: least, high: most } = SAME_COST.region ?? { low: 1, high: 1 };
  if (low >= least && high <= most) return 'no difference that matters';
  if (high < 1) return 'better';
  return low > 1 ? 'worse' : 'not enough data';
}

function toFamilies(pairs: readonly PairedSpend[]): readonly Family[] {
  return [...groupBy(pairs, ({ cluster }) => cluster).values()].map((own) => ({
    base: sum(own.map(({ base }) => base)),
    arm: sum(own.map(({ base, arm }) => (isAsGoodAsEqual(base, arm) ? base : arm))),
    differs: own.some(({ differs }) => differs),
  }));
}

/** The smallest number of unrelated sessions, of which four of five draws of families decide. */
function sessionsNeeded(families: readonly Family[], tests: number): number | 'too few to say' {
  if (families.filter(({ differs }) => differs).length < FEWEST_TO_GUESS) return 'too few to say';
  const decides = (count: number) => shareDecided(families, count, tests) >= POWER;
  let enough = families.length + 1;
  while (!decides(enough)) {
    enough *= 2;
    if (enough > MOST_NEEDED) return 'too few to say';
  }
  let short = Math.max(families.length, Math.floor(enough / 2));
  while (enough - short > Math.max(1, enough / 50)) {
    const middle = Math.floor((short + enough) / 2);
    if (decides(middle)) enough = middle;
    else short = middle;
  }
  return enough;
}

/** The share of draws, with replacement, that would be decided; intervals by the spread of what a ratio leaves. */
function shareDecided(families: readonly Family[], count: number, tests: number): number {
  const random = createRandom(count);
  let decided = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn = Array.from(
      { length: count },
      () => families[Math.floor(random() * families.length)] as Family,
    );
    if (isDecided(drawn, tests)) decided += 1;
  }
  return decided / DRAWS;
}

function isDecided(drawn: readonly Family[], tests: number): boolean {
  const differing = drawn.filter(({ differs }) => differs).length;
  const base = sum(drawn.map((family) => family.base));
  if (differing < FEW_CLUSTERS || base <= 0) return false;
  const ratio = sum(drawn.map(({ arm }) => arm)) / base;
  const squares = sum(drawn.map((family) => (family.arm - ratio * family.base) ** 2));
  const { length } = drawn;
  const error = Math.sqrt((squares * length) / (length - 1)) / base;
  const reach = tQuantile(1 - CONFIDENCE_TAIL / tests, length - 1) * error;
  return decide({ low: ratio - reach, high: ratio + reach }) !== 'not enough data';
}
