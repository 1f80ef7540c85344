import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import type { Environment } from '../../environment.ts';
import { messageOf } from '../../errors.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { systemClock } from '../../summarizer/ai-sdk.ts';
import { openSummarizers } from '../../summarizer/open.ts';
import { makesWait } from '../../summarizer/summarizers.ts';
import type { Cell } from '../grid/cell.ts';
import { type LiveContext, startLiveTask } from '../live/run-live-task.ts';
import { createTaskContext, type OpenTaskContext, refusalOf } from '../run/task-context.ts';
import type { FinishedRun, SweepTask } from '../run/task.ts';
import type { JobData } from './job.ts';
import { checkOwn, type OwnSettings, parseModels, type QueuedModels } from './queued-models.ts';
import { readModelsText } from './registry.ts';
import { createSharedBudget } from './shared-budget.ts';
import { createSharedLimiter } from './shared-limiter.ts';

/** What a worker asks real models with. */
export interface LiveRunnerOptions {
  /** Of the sweep's queue. */
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly redis: Redis;
  /** Where keys are. */
  readonly environment: Environment;
  readonly own: OwnSettings;
  readonly cacheFolder?: string | undefined;
}

/** Runs the tasks of a sweep that ask real models. */
export interface LiveRunner {
  /** Whether a task is one of those. */
  takes(task: SweepTask): boolean;
  /** A line for each run. Rejects, naming this machine, where nobody can be asked. */
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
        if (reason !== undefined) throw new Error(reason);
        return await runAll(job, { ...context, firstSeed });
      } catch (error) {
        // What is mended meanwhile is found mended by the next task.
        place = undefined;
        throw new Error(`worker on ${hostname()}: ${messageOf(error)}`, { cause: error });
      }
    },
    close: async () => {
      // One that could not be opened was told to who asked for it, and has nothing to keep.
      const [opened] = await Promise.allSettled(place === undefined ? [] : [place.context]);
      if (opened?.status === 'fulfilled') opened.value.save();
    },
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

async function openContext(
  { settings }: QueuedModels,
  { name, cells, redis, environment, own, cacheFolder }: LiveRunnerOptions,
): Promise<OpenTaskContext> {
  checkOwn(settings, own);
  const live = cells.filter(({ summarizer }) => makesWait(summarizer));
  const registry = openSummarizers(settings, {
    environment,
    profiles: profilesOf(live),
    shared: {
      limiter: createSharedLimiter(redis, settings, systemClock),
      budget: createSharedBudget(redis, name, settings.budgetUsd),
    },
  });
  return createTaskContext(live, {
    cacheFolder,
    checksContent: true,
    find: (summarizer) => registry.find(summarizer),
  });
}

/** What the catalog of the sweep says of the models that write summaries. */
function profilesOf(cells: readonly Cell[]): ReadonlyMap<string, ModelProfile> {
  return new Map(
    cells.flatMap(({ summaryModel }) => (summaryModel ? [[summaryModel.id, summaryModel]] : [])),
  );
}
