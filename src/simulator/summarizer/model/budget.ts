import { HarnessError } from '../../errors.ts';

/** Money set aside for a request that is on its way. */
export interface Hold {
  /** Ends it with what the request really cost. */
  settle(costNanoUsd: number): void;
}

/** Money that may be spent on one whole run of the program. */
export interface Budget {
  /** Sets aside the most that a request can cost. Throws where that would pass the limit. */
  hold(worstNanoUsd: number | undefined): Hold;
  spentNanoUsd(): number;
}

const NANO_USD_PER_USD = 1_000_000_000;
const SHOWN_DIGITS = 4;

/** A budget of which nothing is spent; without a limit it only counts. */
export function createBudget(limitUsd: number | undefined): Budget {
  const limitNanoUsd =
    limitUsd === undefined ? Number.POSITIVE_INFINITY : limitUsd * NANO_USD_PER_USD;
  let spent = 0;
  let held = 0;
  return {
    hold: (worstNanoUsd = 0) => {
      if (spent + held + worstNanoUsd > limitNanoUsd) {
        throw overBudget({ spent, held, worstNanoUsd, limitNanoUsd });
      }
      held += worstNanoUsd;
      return {
        settle: (costNanoUsd) => {
          held -= worstNanoUsd;
          spent += costNanoUsd;
        },
      };
    },
    spentNanoUsd: () => spent,
  };
}

function overBudget(money: {
  readonly spent: number;
  readonly held: number;
  readonly worstNanoUsd: number;
  readonly limitNanoUsd: number;
}): HarnessError {
  const { spent, held, worstNanoUsd, limitNanoUsd } = money;
  const underWay = held === 0 ? '' : ` and up to ${toUsd(held)} is under way`;
  return new HarnessError(
    'OVER_BUDGET',
    `The next request may cost ${toUsd(worstNanoUsd)}, which would pass the budget of ${toUsd(limitNanoUsd)}: ${toUsd(spent)} is spent${underWay}. It was not sent.`,
  );
}

function toUsd(nanoUsd: number): string {
  return `$${(nanoUsd / NANO_USD_PER_USD).toFixed(SHOWN_DIGITS)}`;
}
