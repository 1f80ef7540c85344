import { HarnessError } from '../../lib/errors.ts';
import { formatDollars, NANO_USD_PER_USD } from '../../lib/units.ts';

/** Money set aside for a request that is on its way. */
export interface Hold {
  /** Ends it with what the request really cost. */
  settle(costNanoUsd: number): Promise<void>;
  /** Ends it where nobody will tell what the request cost: all that was set aside counts. */
  giveUp(): Promise<void>;
}

/** Money that may be spent on one whole run of the program, or on all that share it. */
export interface Budget {
  /** Sets aside the most that a request can cost. Rejects where that would pass the limit. */
  hold(worstNanoUsd: number | undefined): Promise<Hold>;
  /** What answers cost. */
  spentNanoUsd(): number;
  /** The most that requests may have cost which were never answered; none of it is in what is spent. */
  unansweredNanoUsd(): number;
}

/** Why a request cannot be paid for. */
export interface Shortage {
  /** What answers cost, and what requests may have cost that were never answered. */
  readonly spent: number;
  /** Set aside for requests that are on their way. */
  readonly held: number;
  readonly worstNanoUsd: number;
  readonly limitNanoUsd: number;
}

/** A budget of which nothing is spent; without a limit it only counts. */
export function createBudget(limitUsd: number | undefined): Budget {
  const limitNanoUsd = limitUsd === undefined ? Number.POSITIVE_INFINITY : toNanoUsd(limitUsd);
  let spent = 0;
  let unanswered = 0;
  let held = 0;
  return {
    hold: async (worstNanoUsd = 0) => {
      const gone = spent + unanswered;
      if (gone + held + worstNanoUsd > limitNanoUsd) {
        throw overBudget({ spent: gone, held, worstNanoUsd, limitNanoUsd });
      }
      held += worstNanoUsd;
      return {
        settle: async (costNanoUsd) => {
          held -= worstNanoUsd;
          spent += costNanoUsd;
        },
        giveUp: async () => {
          held -= worstNanoUsd;
          unanswered += worstNanoUsd;
        },
      };
    },
    spentNanoUsd: () => spent,
    unansweredNanoUsd: () => unanswered,
  };
}

/** Dollars as they are counted. */
export function toNanoUsd(usd: number): number {
  return usd * NANO_USD_PER_USD;
}

/** The error of a request that was not sent because it could not be paid for. */
export function overBudget({ spent, held, worstNanoUsd, limitNanoUsd }: Shortage): HarnessError {
  const underWay = held === 0 ? '' : ` and up to ${toUsd(held)} is under way`;
  return new HarnessError(
    'OVER_BUDGET',
    `The next request may cost ${toUsd(worstNanoUsd)}, which would pass the budget of ${toUsd(limitNanoUsd)}: ${toUsd(spent)} is spent${underWay}. It was not sent.`,
  );
}

function toUsd(nanoUsd: number): string {
  return formatDollars(nanoUsd / NANO_USD_PER_USD);
}
