import { isAbsolute, join, resolve } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { Environment } from '../../simulator/environment.ts';
import { badOption } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import { checkOutFolder } from '../process/out-folder.ts';
import { statOf } from '../../simulator/stat-of.ts';

/** What the command line says of the folder; `false` where it wants none. */
export interface CacheOptions {
  readonly cache?: string | boolean | undefined;
}

const VARIABLE = 'COMPACTION_BENCH_CACHE';
const NAME = 'compaction-bench';
/** What a letter is, and with it where words end, depends on it. */
const COUNTS = `counts-unicode-${process.versions.unicode}`;

/** The option that names the folder for what is kept between runs. */
export function cacheOption() {
  return new Option(
    '--cache <folder>',
    `keep token counts there (default: ${VARIABLE}, else ~/.cache)`,
  );
}

/** The option that keeps nothing between runs. */
export function noCacheOption() {
  return new Option('--no-cache', 'keep no token counts between runs');
}

/** The folder of token counts; none where nobody wants it, or where there is no home. Throws for a path that is something else, or that was named and cannot be written. */
export function countsFolder({ cache }: CacheOptions, env: Environment): string | undefined {
  if (cache === false) return undefined;
  const given = typeof cache === 'string' ? cache : env[VARIABLE] || undefined;
  if (given === undefined) return ownFolder(env);
  const kind = statOf(given);
  if (kind !== undefined && !kind.isDirectory()) {
    throw badOption(`Expected the cache to be a folder, got the file ${quoted(given)}.`);
  }
  // One that the environment names may serve other machines; who names one here wants it used.
  if (typeof cache === 'string') checkOutFolder(given, "'--cache'");
  return join(resolve(given), COUNTS);
}

/** Where a user's caches lie. A relative path is invalid there and counts for nothing. */
function ownFolder(env: Environment): string | undefined {
  const homes = [env['HOME'], env['USERPROFILE']].map((home) => home && join(home, '.cache'));
  const folder = [env['XDG_CACHE_HOME'], ...homes].find((path) => path && isAbsolute(path));
  return folder ? join(folder, NAME, COUNTS) : undefined;
}
