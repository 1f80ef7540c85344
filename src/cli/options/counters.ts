import { type Counters, createCounters } from '../../simulator/tokens/counters.ts';
import { countsFolder } from './cache-folder.ts';
import type { CliIo } from '../process/io.ts';

/** Lets work count tokens; however it ends, its counts are kept where the command line and the environment say. */
export async function withCounters<Result>(
  { cache, env }: CliIo,
  work: (counters: Counters) => Promise<Result>,
): Promise<Result> {
  const counters = createCounters({ cacheFolder: countsFolder(cache ?? {}, env) });
  try {
    return await work(counters);
  } finally {
    counters.save();
  }
}
