import type { Redis } from 'ioredis';
import * as z from 'zod';
import { badOption } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { quoted } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import { CASSETTE_MODES } from '../../summarizer/cassette.ts';
import { type Budget, overBudget, toNanoUsd } from '../../summarizer/model/call.ts';
import type { ModelSettings } from '../../summarizer/open.ts';
import { type Cell, isAsNamed } from '../grid.ts';
import type { SweepHeader } from '../store/header.ts';

/** A sweep as workers must know it before they take its tasks. */
export interface QueuedSweep {
  /** Name of its queue. */
  readonly name: string;
  /** Version of the package that plans it; a worker must have the same. */
  readonly version: string;
  readonly cells: readonly Cell[];
  /** Absent where no cell asks a real model. */
  readonly models?: QueuedModels | undefined;
}

/** The cells of a sweep, or why there are none. */
type QueuedCells =
  | { readonly state: 'read'; readonly cells: readonly Cell[] }
  | { readonly state: 'gone' }
  | { readonly state: 'unreadable'; readonly reason: string };

/** How the workers of a sweep ask real models: settings, and no key. */
export interface QueuedModels {
  readonly settings: ModelSettings;
  /** The seed of the first trial. */
  readonly firstSeed: number;
}

/** Settings that a queue may not decide for a worker: where its key goes, and which folder is written. */
export type OwnSettings = Pick<ModelSettings, 'baseUrl' | 'apiKeyEnv' | 'cassette'>;

/** Prefix of all keys in Redis. */
export const QUEUE_PREFIX = 'compaction-bench';

const SWEEPS_KEY = `${QUEUE_PREFIX}:sweeps`;
const CELLS_KEY = `${QUEUE_PREFIX}:cells`;
const MODELS_KEY = `${QUEUE_PREFIX}:models`;

/** Cells; their ids vouch for the rest of their contents. */
const Cells = z.array(z.looseObject({ id: z.string(), summarizer: z.string() })).min(1);

/** Writes what is there already: a server that takes nothing more lets everything be read, and only this tells of it. */
const ANNOUNCE_AGAIN = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end`;

/** Names of queues: the id of a sweep, and its shard. */
const NAME = /^[\da-f]{16}(?:-\d+-of-\d+)?$/;

const Count = z.int().nonnegative();
const Models = z.strictObject({
  settings: z.strictObject({
    baseUrl: z.string().optional(),
    apiKeyEnv: z.string().optional(),
    api: z.enum(['chat', 'responses']).optional(),
    streams: z.boolean(),
    outputCapTokens: Count.optional(),
    timeoutMs: z.number().positive(),
    retries: Count,
    concurrency: Count,
    requestsPerMinute: Count.optional(),
    tokensPerMinute: Count.optional(),
    budgetUsd: z.number().nonnegative().optional(),
    isDryRun: z.literal(false),
    cassette: z.string().optional(),
    cassetteMode: z.enum(CASSETTE_MODES),
    needsCassette: z.boolean().optional(),
    redactsCassette: z.boolean().optional(),
  }),
  firstSeed: Count,
}) satisfies z.ZodType<QueuedModels>;

const OWN = [
  ['baseUrl', '--base-url'],
  ['apiKeyEnv', '--api-key-env'],
  ['cassette', '--cassette'],
] as const satisfies readonly (readonly [keyof OwnSettings, string])[];

/** Key of the money spent and reserved by the workers of each sweep, in nano-dollars by queue. */
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

/** Lets workers find a sweep; nothing changes where they can. */
export async function announce(redis: Redis, sweep: QueuedSweep): Promise<void> {
  const { name, version, cells } = sweep;
  if ((await redis.hexists(SWEEPS_KEY, name)) === 1) return;
  await announceModels(redis, sweep);
  // Whoever sees the name finds the cells.
  await redis
    .multi()
    .hset(CELLS_KEY, name, JSON.stringify(cells))
    .hset(SWEEPS_KEY, name, version)
    .exec();
}

/** Rejects where a server takes nothing more; nothing changes otherwise. */
export async function checkRoom(
  redis: Redis,
  { name, version }: Pick<QueuedSweep, 'name' | 'version'>,
): Promise<void> {
  await redis.eval(ANNOUNCE_AGAIN, 1, SWEEPS_KEY, name, version);
}

/** Tells workers how a sweep asks real models from now on. */
export async function announceModels(
  redis: Redis,
  { name, models }: Pick<QueuedSweep, 'name' | 'models'>,
): Promise<void> {
  if (models !== undefined) await redis.hset(MODELS_KEY, name, JSON.stringify(models));
}

/** The opposite of announcing. */
export async function withdraw(redis: Redis, name: string): Promise<void> {
  await redis.multi().hdel(SWEEPS_KEY, name).hdel(CELLS_KEY, name).hdel(MODELS_KEY, name).exec();
}

/** How a sweep asks real models, as a text; `undefined` where it asks none. */
export async function readModelsText(redis: Redis, name: string): Promise<string | undefined> {
  return (await redis.hget(MODELS_KEY, name)) ?? undefined;
}

/** The versions of all sweeps by the names of their queues, in the order of these. */
export async function listSweeps(redis: Redis): Promise<ReadonlyMap<string, string>> {
  const versions = Object.entries(await redis.hgetall(SWEEPS_KEY));
  return new Map(versions.toSorted(([one], [other]) => compareTexts(one, other)));
}

/** The cells of a sweep, where they are what their ids say. */
export async function readCells(redis: Redis, name: string): Promise<QueuedCells> {
  const text = await redis.hget(CELLS_KEY, name);
  if (text !== null) return parseCells(text);
  const isThere = (await redis.hexists(SWEEPS_KEY, name)) === 1;
  return isThere ? { state: 'unreadable', reason: 'it has no cells' } : { state: 'gone' };
}

/** The queue of a sweep, or of its shard: the same whenever it is started, and no other sweep's. */
export function queueNameOf({ sweep, shard }: Pick<SweepHeader, 'sweep' | 'shard'>): string {
  return shard.count === 1 ? sweep : `${sweep}-${shard.index}-of-${shard.count}`;
}

/** Returns true if a queue may have that name; others may hold things that a queue cannot be opened with. */
export function isQueueName(name: string): boolean {
  return NAME.test(name);
}

/** How models are asked, from the text that a queue holds. Throws where it is something else. */
export function parseModels(text: string): QueuedModels {
  return Models.parse(JSON.parse(text));
}

/** Throws `HarnessError` where a sweep has another address, variable or folder than the worker was started with. */
export function checkOwn(settings: ModelSettings, own: OwnSettings): void {
  for (const [key, option] of OWN) {
    if (settings[key] === own[key]) continue;
    // The worker's own address or folder is none of the queue's business.
    const here = own[key] === undefined ? 'none' : 'another';
    const there = settings[key] === undefined ? 'none' : quoted(settings[key]);
    throw badOption(
      `Expected worker and sweep to have the same '${option}', got ${here} at the worker and ${there} at the sweep`,
    );
  }
}

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

/** The money spent so far by the workers of a sweep. */
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

function parseCells(text: string): QueuedCells {
  const value = parseJson(text);
  if (!Cells.safeParse(value).success) {
    return { state: 'unreadable', reason: 'its cells cannot be read' };
  }
  const cells = value as readonly Cell[];
  const other = cells.find((cell) => !isAsNamed(cell));
  if (other === undefined) return { state: 'read', cells };
  return { state: 'unreadable', reason: `it holds a cell that is not ${quoted(other.id)}` };
}
