import { badValue } from '../../simulator/bad-value.ts';
import { badOption } from '../../simulator/errors.ts';
import { splitAtCommas } from '../../simulator/split-at-commas.ts';
import { parseWhole } from '../options/parse-whole.ts';

/** How often and where sessions are compacted. */
export interface PivotPlan {
  readonly pivots: number;
  /** Shares of the steps, in order; absent where the policy decides. */
  readonly compactAt?: readonly number[] | undefined;
}

const MOST_PIVOTS = 50;
const USUAL_PIVOTS = 2;
const SHARE = /^(?:\d+\.?\d*|\.\d+)$/;
const BY_POLICY = 'policy';

/** How often and where sessions are compacted; by default twice, and evenly over the steps. */
export function parsePivots(
  pivotsText: string | undefined,
  compactAtText: string | undefined,
): PivotPlan {
  const pivots =
    pivotsText === undefined
      ? undefined
      : parseWhole('--pivots', pivotsText, { most: MOST_PIVOTS });
  if (compactAtText === BY_POLICY) return { pivots: pivots ?? USUAL_PIVOTS };
  if (compactAtText === undefined) return evenly(pivots ?? USUAL_PIVOTS);
  const compactAt = parseShares(compactAtText);
  if (pivots !== undefined && pivots !== compactAt.length) {
    throw badOption(
      `Expected '--compact-at' to have ${pivots} shares, as many as '--pivots', got ${compactAt.length}.`,
    );
  }
  return { pivots: compactAt.length, compactAt };
}

function evenly(pivots: number): PivotPlan {
  return { pivots, compactAt: Array.from({ length: pivots }, (_, index) => (index + 1) / pivots) };
}

function parseShares(text: string): readonly number[] {
  const shares = splitAtCommas([text]).map((share) => (SHARE.test(share) ? Number(share) : -1));
  const isRising = shares.every((share, index) => share > (shares[index - 1] ?? 0) && share <= 1);
  if (isRising && shares.length <= MOST_PIVOTS) return shares;
  throw badValue(
    '--compact-at',
    "increasing shares of the steps, such as '0.5,1', or 'policy'",
    text,
  );
}
