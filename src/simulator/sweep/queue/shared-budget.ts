import type { Redis } from 'ioredis';
import { type Budget, overBudget, toNanoUsd } from '../../summarizer/model/budget.ts';
import { QUEUE_PREFIX } from './queue-name.ts';

/** What the workers of each sweep have spent and set aside, in nano-dollars by the name of its queue. */
const SPENT_KEY = `${QUEUE_PREFIX}:spent`;
const NO_LIMIT = -1;

/** Sets ARGV[2] aside and gives -1, or gives what is spent where that would pass ARGV[3]. */
const HOLD = `
local spent = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local limit = tonumber(ARGV[3])
if limit >= 0 and spent + tonumber(ARGV[2]) > limit then return spent end
redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2])
return -1`;
const HELD = -1;
/** Adds ARGV[2] to an account that is there: one that was forgotten never held what is given back. */
const SETTLE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2])
end`;

/**
 * The money of a sweep, which all its workers share. What a worker had set aside when it was killed stays spent:
 * its request may have been billed.
 */
export function createSharedBudget(
  redis: Redis,
  name: string,
  limitUsd: number | undefined,
): Budget {
  const limit = limitUsd === undefined ? NO_LIMIT : Math.floor(toNanoUsd(limitUsd));
  let own = 0;
  let unanswered = 0;
  return {
    hold: async (worstNanoUsd = 0) => {
      const worst = Math.ceil(worstNanoUsd);
      const spent = Number(await redis.eval(HOLD, 1, SPENT_KEY, name, worst, limit));
      if (spent !== HELD) {
        throw overBudget({ spent, held: 0, worstNanoUsd: worst, limitNanoUsd: limit });
      }
      return {
        settle: async (costNanoUsd) => {
          const cost = Math.ceil(costNanoUsd);
          own += cost;
          await redis.eval(SETTLE, 1, SPENT_KEY, name, cost - worst);
        },
        giveUp: async () => {
          unanswered += worst;
        },
      };
    },
    spentNanoUsd: () => own,
    unansweredNanoUsd: () => unanswered,
  };
}

/** What the workers of a sweep have spent so far. */
export async function readSpent(redis: Redis, name: string): Promise<number> {
  return Number((await redis.hget(SPENT_KEY, name)) ?? 0);
}

/** Tells a server that has forgotten it what was spent; nothing changes where it has not. */
export async function recallSpent(redis: Redis, name: string, nanoUsd: number): Promise<void> {
  if (nanoUsd > 0) await redis.hsetnx(SPENT_KEY, name, nanoUsd);
}

/** Forgets a sweep's account. */
export async function forgetSpent(redis: Redis, name: string): Promise<void> {
  await redis.hdel(SPENT_KEY, name);
}
