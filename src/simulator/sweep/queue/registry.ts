import { compareTexts } from '../../compare-texts.ts';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import { quoted } from '../../names.ts';
import { parseJson } from '../../parse-json.ts';
import { type Cell, isAsNamed } from '../grid/cell.ts';
import type { QueuedModels } from './queued-models.ts';
import { QUEUE_PREFIX } from './queue-name.ts';

/** What workers must know of a sweep before they take its tasks. */
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
export type QueuedCells =
  | { readonly state: 'read'; readonly cells: readonly Cell[] }
  | { readonly state: 'gone' }
  | { readonly state: 'unreadable'; readonly reason: string };

const SWEEPS_KEY = `${QUEUE_PREFIX}:sweeps`;
const CELLS_KEY = `${QUEUE_PREFIX}:cells`;
const MODELS_KEY = `${QUEUE_PREFIX}:models`;

/** What else a cell holds is told by its id. */
const Cells = z.array(z.looseObject({ id: z.string(), summarizer: z.string() })).min(1);

/** Writes what is there already: a server that takes nothing more lets everything be read, and only this tells of it. */
const ANNOUNCE_AGAIN = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
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
