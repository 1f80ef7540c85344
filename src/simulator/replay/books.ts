import { perKey, type RenderPolicy } from '../../engine/index.ts';
import { type CachePath, startPath } from '../provider/cache/shared-cache.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';

type BookedTrace = Pick<Trace, 'basis' | 'count'>;
type CachedModel = Pick<ModelProfile, 'id' | 'cache'>;

/** What runs of a trace have in common. */
interface Books {
  readonly ledgers: Map<RenderPolicy, Ledger>;
  /** By what their models are called, and what the rules of these say. */
  readonly paths: Map<string, CachePath>;
}

/** Runs of a trace see the same parts, so that what one run looked up the next one knows. */
const booksOf = perKey<BookedTrace, Books>(() => ({ ledgers: new Map(), paths: new Map() }));

/** Settings that differ in something else have models of their own that say the same of this. */
const keyOf = perKey(({ id, cache }: CachedModel) => JSON.stringify([id, cache]));

/** The ledger of a trace under one way to render; it stays as long as the trace. */
export function ledgerOf(trace: BookedTrace, render: RenderPolicy): Ledger {
  const { ledgers } = booksOf(trace);
  const { basis, count } = trace;
  const ledger = ledgers.get(render) ?? createLedger({ basis, count, render });
  ledgers.set(render, ledger);
  return ledger;
}

/** Where a model's caches of a trace's runs begin; it stays as long as the trace. */
export function pathOf(trace: BookedTrace, model: CachedModel): CachePath {
  const { paths } = booksOf(trace);
  const key = keyOf(model);
  const path = paths.get(key) ?? startPath();
  paths.set(key, path);
  return path;
}
