import type { Redis } from 'ioredis';
import type { Environment } from '../../env.ts';
import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { systemClock } from '../../summarizer/ai-sdk.ts';
import { isCassetteName } from '../../summarizer/cassette.ts';
import {
  type Clock,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  oneAtATime,
  sleep,
  untilAborted,
} from '../../summarizer/model/limiter.ts';
import { openSummarizers } from '../../summarizer/open.ts';
import { makesWait } from '../../summarizer/summarizers.ts';
import type { Cell } from '../grid.ts';
import { type LiveContext, startLiveTask } from '../live.ts';
import { createTaskContext, type OpenTaskContext, refusalOf } from '../run/run-task.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';
import { RefusedTask } from './failure.ts';
import type { JobData } from './job.ts';
import {
  checkOwn,
  createSharedBudget,
  type OwnSettings,
  parseModels,
  QUEUE_PREFIX,
  type QueuedModels,
  readModelsText,
} from './registry.ts';

/** A worker's means of asking real models. */
interface LiveRunnerOptions {
  /** Of the sweep's queue. */
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly redis: Redis;
  /** Where keys are. */
  readonly environment: Environment;
  readonly own: OwnSettings;
  readonly cacheFolder?: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs the tasks of a sweep that ask real models. */
export interface LiveRunner {
  /** Returns true for tasks that ask real models. */
  takes(task: SweepTask): boolean;
  /** A line for each run. Rejects where nobody can be asked. */
  run(job: LiveJob): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A task for somebody who asks real models. */
export interface LiveJob extends JobData {
  /** The session, where the queue has it. */
  readonly text: string | undefined;
  /** Told of all rows that are there whenever there is one more, for they have been paid for. */
  readonly keep: (done: readonly FinishedRun[]) => Promise<void>;
}

/** A context with the settings that it was made with, as the queue has them. */
interface Place {
  readonly text: string;
  readonly models: QueuedModels;
  readonly context: Promise<OpenTaskContext>;
}

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

/** A runner in the calling thread, so that its requests are counted in one place. */
export function createLiveRunner(options: LiveRunnerOptions): LiveRunner {
  let place: Place | undefined;
  const takePlace = async () => {
    const text = await readModelsText(options.redis, options.name);
    if (text === undefined) throw new Error('the queue does not say how real models are asked');
    if (place?.text !== text) {
      const models = parseModels(text);
      place = { text, models, context: openContext(models, options) };
    }
    // Another task may end what is shared while this one waits for it.
    const { context, models } = place;
    return { context: await context, firstSeed: models.firstSeed };
  };
  const liveIds = new Set(
    options.cells.flatMap(({ id, summarizer }) => (makesWait(summarizer) ? [id] : [])),
  );
  return {
    takes: ({ runs }) => runs.some(({ cell }) => liveIds.has(cell)),
    run: async (job) => {
      const { task, text } = job;
      try {
        const { context, firstSeed } = await takePlace();
        if (text !== undefined) context.give(task.session, text);
        const reason = refusalOf(task, context);
        if (reason !== undefined) throw new RefusedTask(reason);
        return await runAll(job, { ...context, firstSeed });
      } catch (error) {
        // A fault that is mended meanwhile is found mended by the next task.
        place = undefined;
        throw error;
      }
    },
    close: async () => {
      // One that could not be opened was told to who asked for it, and has nothing to keep.
      const [opened] = await Promise.allSettled(place === undefined ? [] : [place.context]);
      if (opened?.status === 'fulfilled') opened.value.save();
    },
  };
}

async function openContext(
  { settings }: QueuedModels,
  { name, cells, redis, environment, own, cacheFolder, signal }: LiveRunnerOptions,
): Promise<OpenTaskContext> {
  checkOwn(settings, own);
  const live = cells.filter(({ summarizer }) => makesWait(summarizer));
  checkFolders(live);
  const registry = openSummarizers(settings, {
    environment,
    profiles: profilesOf(live),
    shared: {
      limiter: createSharedLimiter(redis, settings, systemClock),
      budget: createSharedBudget(redis, name, settings.budgetUsd),
    },
  });
  await registry.reach(
    live.map(({ summarizer }) => summarizer),
    signal,
  );
  return createTaskContext(live, {
    cacheFolder,
    checksContent: true,
    find: (summarizer) => registry.find(summarizer),
  });
}

/** A queue names no folder that a worker reads. */
function checkFolders(cells: readonly Cell[]): void {
  const named = cells.find(({ summarizer }) => isCassetteName(summarizer));
  if (named === undefined) return;
  throw badOption(`Expected '--cassette' at the workers, got ${quoted(named.summarizer)}`);
}

function profilesOf(cells: readonly Cell[]): ReadonlyMap<string, ModelProfile> {
  return new Map(
    cells.flatMap(({ summaryModel }) => (summaryModel ? [[summaryModel.id, summaryModel]] : [])),
  );
}

/** A limiter whose minute all workers of a server share; how many ask at once each worker counts for itself. */
function createSharedLimiter(redis: Redis, options: LimiterOptions, clock: Clock): Limiter {
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

/** Where one run cannot be had, the others of its task are waited for all the same. */
async function runAll(
  { task, done, keep }: LiveJob,
  context: LiveContext,
): Promise<readonly string[]> {
  const lines = new Map(done.map(({ place, line }) => [place, line]));
  const runs = task.runs.filter(({ place }) => !lines.has(place));
  const take = async (finished: Promise<FinishedRun>) => {
    const { place, line } = await finished;
    lines.set(place, line);
    await keep([...lines].map(([at, text]) => ({ place: at, line: text })));
  };
  const ended = await Promise.allSettled(startLiveTask({ ...task, runs }, context).map(take));
  const broken = ended.find(({ status }) => status === 'rejected');
  if (broken?.status === 'rejected') throw broken.reason;
  return task.runs.map(({ place }) => lines.get(place) ?? '');
}
