import type { Policy, RenderPolicy } from '../../engine/index.ts';
import { perKey } from '../../engine/internal.ts';
import type { CacheRules } from '../provider/cache/rules.ts';
import { type CachePath, startPath } from '../provider/cache/shared-cache.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import type { Prices } from '../provider/prices.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';

type CountedTrace = Pick<Trace, 'basis' | 'count'>;

/** What a cache is sent, and by which rules that is kept, billed and reported. */
export interface CacheUse {
  readonly profile: ModelProfile;
  readonly policy: Pick<Policy, 'render' | 'reading'>;
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

/** Settings that differ in something else have rules and prices of their own that say the same. */
const keyOf = perKey((terms: CacheRules | Prices) => JSON.stringify(terms));

/** The ledger of a trace under one way to render; it stays as long as the trace. */
export function ledgerOf(trace: CountedTrace, render: RenderPolicy): Ledger {
  const { ledgers } = cachesOf(trace);
  const { basis, count } = trace;
  const ledger = ledgers.get(render) ?? createLedger({ basis, count, render });
  ledgers.set(render, ledger);
  return ledger;
}

/** Where caches of a trace's runs begin that are used alike; it stays as long as the trace, or until others were used. */
export function cachePathOf(trace: CountedTrace, { profile, policy, of }: CacheUse): CachePath {
  const { paths } = cachesOf(trace);
  const { cache, prices, behaviour } = profile;
  const { render, reading } = policy;
  const billed = prices === undefined ? '' : keyOf(prices);
  const key = `${of} ${keyOf(cache)} ${billed} ${behaviour.dialect} ${reading.usage}`;
  const index = paths.findIndex((one) => one.render === render && one.key === key);
  const [known] = index < 0 ? [] : paths.splice(index, 1);
  const used = known ?? { render, key, path: startPath() };
  paths.push(used);
  if (paths.length > MOST_PATHS) paths.shift();
  return used.path;
}
