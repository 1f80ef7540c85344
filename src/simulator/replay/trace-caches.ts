import type { RenderPolicy } from '../../engine/index.ts';
import { perKey } from '../../engine/internal.ts';
import { keepIn } from '../lib/collections.ts';
import type { CacheRules } from '../provider/cache/rules.ts';
import { type CachePath, startPath } from '../provider/cache/shared-cache.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';

type CountedTrace = Pick<Trace, 'basis' | 'count'>;

/** What a cache is sent, and by which rules it keeps it. */
export interface CacheUse {
  readonly rules: CacheRules;
  readonly render: RenderPolicy;
  /** A model that writes summaries only is sent no steps. */
  readonly of: 'steps' | 'summaries';
}

/** A path of some use; prompts are those of the ledger with the same way to render. */
interface UsedPath {
  readonly render: RenderPolicy;
  readonly key: string;
  readonly path: CachePath;
}

/** What runs of a trace have in common. */
interface TraceCaches {
  readonly ledgers: Map<RenderPolicy, Ledger>;
  /** The newest last. */
  readonly paths: UsedPath[];
}

/** Each path holds a whole run. Cells of a sweep that differ in more lie apart, so that few paths are gone again. */
const MOST_PATHS = 4;

/** Runs of a trace see the same parts, so that what one run looked up the next one knows. */
const cachesOf = perKey<CountedTrace, TraceCaches>(() => ({ ledgers: new Map(), paths: [] }));

/** Settings that differ in something else have rules of their own that say the same. */
const keyOf = perKey((rules: CacheRules) => JSON.stringify(rules));

/** The ledger of a trace under one way to render; it stays as long as the trace. */
export function ledgerOf(trace: CountedTrace, render: RenderPolicy): Ledger {
  const { ledgers } = cachesOf(trace);
  const { basis, count } = trace;
  return keepIn(ledgers, render, () => createLedger({ basis, count, render }));
}

/** Where caches of a trace's runs begin that are used alike; it stays as long as the trace, or until others were used. */
export function cachePathOf(trace: CountedTrace, { rules, render, of }: CacheUse): CachePath {
  const { paths } = cachesOf(trace);
  const key = `${of} ${keyOf(rules)}`;
  const index = paths.findIndex((one) => one.render === render && one.key === key);
  const [known] = index < 0 ? [] : paths.splice(index, 1);
  const used = known ?? { render, key, path: startPath() };
  paths.push(used);
  if (paths.length > MOST_PATHS) paths.shift();
  return used.path;
}
