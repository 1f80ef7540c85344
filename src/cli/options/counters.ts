import { type Counters, createCounters } from '../../simulator/tokens/counters.ts';
import { countsFolder } from './cache-folder.ts';
import type { CliIo } from '../process/io.ts';

/** Counters that keep their counts where the command line and the environment say. */
export function openCounters({ cache, env }: CliIo): Counters {
  return createCounters({ cacheFolder: countsFolder(cache ?? {}, env) });
}
