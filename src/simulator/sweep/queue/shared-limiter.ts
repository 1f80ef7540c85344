import type { Redis } from 'ioredis';
import { type Clock, sleep, untilAborted } from '../../summarizer/model/clock.ts';
import {
  createLimiter,
  type Limiter,
  type LimiterOptions,
} from '../../summarizer/model/limiter.ts';
import { oneAtATime } from '../../summarizer/model/one-at-a-time.ts';
import { QUEUE_PREFIX } from './queue-name.ts';

/** Requests of the last minute, of all workers and sweeps of a server; gone a minute after the last one. */
const REQUESTS_KEY = `${QUEUE_PREFIX}:requests`;
/** A little more than a minute, for requests are not all on their way equally long. */
const WINDOW_MS = 60_500;
const NO_LIMIT = -1;
/** Whoever waits asks again after that, for the server may have forgotten what was sent. */
const LONGEST_SLEEP_MS = 1_000;

/** The server's own time in ms. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Enters a request of ARGV[1] tokens and gives its name, or gives the ms until there is room: going back from the
 * newest request, the first one with which there is none has to be a minute old.
 */
const ENTER = `${NOW}
local tokens, mostRequests, mostTokens = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local window = tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local sent = redis.call('ZREVRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local sum = tokens
for index = 1, #sent, 2 do
  sum = sum + tonumber(string.match(sent[index], '^%d+'))
  local isFull = mostRequests >= 0 and (index + 1) / 2 >= mostRequests
  if isFull or (mostTokens >= 0 and sum > mostTokens) then
    return math.max(1, tonumber(sent[index + 1]) + window - now)
  end
end
local name = ARGV[1] .. ' ' .. time[1] .. '.' .. time[2] .. ' ' .. #sent
redis.call('ZADD', KEYS[1], now, name)
redis.call('PEXPIRE', KEYS[1], window)
return name`;

/** A request that is sent later than it was let through: a worker may have had its hands full. */
const SEND = `${NOW}
redis.call('ZADD', KEYS[1], now, ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** A limiter whose minute all workers of a server share; how many ask at once each worker counts for itself. */
export function createSharedLimiter(redis: Redis, options: LimiterOptions, clock: Clock): Limiter {
  const { concurrency, requestsPerMinute, tokensPerMinute } = options;
  const places = createLimiter({ concurrency }, clock);
  const enter: Limiter['enter'] = (signal) => places.enter(signal);
  if (requestsPerMinute === undefined && tokensPerMinute === undefined) {
    return { enter, waitFor: async () => () => undefined };
  }
  const limits = [requestsPerMinute ?? NO_LIMIT, tokensPerMinute ?? NO_LIMIT, WINDOW_MS];
  // Where the server is gone by then, whoever waits for an answer is told.
  const send = (name: string) =>
    redis.eval(SEND, 1, REQUESTS_KEY, name, WINDOW_MS).catch(() => undefined);
  const pass = async (tokens: number, signal: AbortSignal | undefined) => {
    for (;;) {
      const entering = redis.eval(ENTER, 1, REQUESTS_KEY, tokens, ...limits);
      const entered = await untilAborted(entering, signal);
      if (typeof entered === 'string') return () => void send(entered);
      await sleep(clock, Math.min(Number(entered), LONGEST_SLEEP_MS), signal);
    }
  };
  return {
    enter,
    waitFor: oneAtATime(pass),
  };
}
