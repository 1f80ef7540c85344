import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { messageOf } from '../../errors.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { systemClock } from '../../summarizer/ai-sdk.ts';
import { openSummarizers } from '../../summarizer/open.ts';
import { makesWait } from '../../summarizer/summarizers.ts';
import type { Cell } from '../grid/cell.ts';
import { runLiveTask } from '../live/run-live-task.ts';
import { createBench, type OpenBench, refusalOf } from '../run/create-bench.ts';
import type { SweepTask } from '../run/task.ts';
import { checkOwn, type OwnSettings, parseModels, type QueuedModels } from './queued-models.ts';
import { readModelsText } from './registry.ts';
import { createSharedBudget } from './shared-budget.ts';
import { createSharedLimiter } from './shared-limiter.ts';

/** What a worker asks real models with. */
export interface LiveHandOptions {
  /** Of the sweep's queue. */
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly redis: Redis;
  /** Where keys are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly own: OwnSettings;
  readonly cacheFolder?: string | undefined;
}

/** Runs the tasks of a sweep that ask real models. */
export interface LiveHand {
  /** Whether a task is one of those. */
  takes(task: SweepTask): boolean;
  /** A line for each run. Rejects, naming this machine, where nobody can be asked. */
  run(task: SweepTask, text: string | undefined): Promise<readonly string[]>;
  close(): void;
}

/** A bench with the settings that it was made with, as the queue has them. */
interface Place {
  readonly text: string;
  readonly models: QueuedModels;
  readonly bench: Promise<OpenBench>;
}

/** A hand in the calling thread, so that its requests are counted in one place. */
export function createLiveHand(options: LiveHandOptions): LiveHand {
  let place: Place | undefined;
  const takePlace = async () => {
    const text = await readModelsText(options.redis, options.name);
    if (text === undefined) throw new Error('the queue does not say how real models are asked');
    if (place?.text !== text) {
      const models = parseModels(text);
      place = { text, models, bench: openBench(models, options) };
    }
    return { bench: await place.bench, firstSeed: place.models.firstSeed };
  };
  const liveIds = new Set(
    options.cells.flatMap(({ id, summarizer }) => (makesWait(summarizer) ? [id] : [])),
  );
  return {
    takes: ({ runs }) => runs.some(({ cell }) => liveIds.has(cell)),
    run: async (task, text) => {
      try {
        const { bench, firstSeed } = await takePlace();
        if (text !== undefined) bench.give(task.session, text);
        const reason = refusalOf(task, bench);
        if (reason !== undefined) throw new Error(reason);
        const lines: string[] = [];
        for await (const { line } of runLiveTask(task, { ...bench, firstSeed })) lines.push(line);
        return lines;
      } catch (error) {
        // What is mended meanwhile is found mended by the next task.
        place = undefined;
        throw new Error(`worker on ${hostname()}: ${messageOf(error)}`, { cause: error });
      }
    },
    close: () => void place?.bench.then((bench) => bench.save()).catch(() => undefined),
  };
}

async function openBench(
  { settings }: QueuedModels,
  { name, cells, redis, environment, own, cacheFolder }: LiveHandOptions,
): Promise<OpenBench> {
  checkOwn(settings, own);
  const live = cells.filter(({ summarizer }) => makesWait(summarizer));
  const house = openSummarizers(settings, {
    environment,
    profiles: profilesOf(live),
    shared: {
      limiter: createSharedLimiter(redis, settings, systemClock),
      budget: createSharedBudget(redis, name, settings.budgetUsd),
    },
  });
  return createBench(live, {
    cacheFolder,
    checksContent: true,
    find: (summarizer) => house.find(summarizer),
  });
}

/** What the catalog of the sweep says of the models that write summaries. */
function profilesOf(cells: readonly Cell[]): ReadonlyMap<string, ModelProfile> {
  return new Map(
    cells.flatMap(({ summaryModel }) => (summaryModel ? [[summaryModel.id, summaryModel]] : [])),
  );
}
