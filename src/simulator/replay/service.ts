import type { Policy, RenderPolicy, Usage } from '../../engine/index.ts';
import { perKey } from '../lib/collections.ts';
import type { Billed, BilledPrices, RequestPrices } from '../events.ts';
import { keepIn } from '../lib/collections.ts';
import { billRequest, latencyMs, writePricePicoUsd } from '../provider/bill.ts';
import type { CacheRules } from '../provider/cache-rules.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { createPrefixCache, type PrefixCache } from '../provider/prefix-cache.ts';
import type { TokenPrices } from '../provider/prices.ts';
import type { CacheSplit, Prompt } from '../provider/prompt.ts';
import {
  createProvider,
  type Provider,
  type ProviderRequest,
  type Reply,
} from '../provider/provider.ts';
import {
  createReporter,
  createReportReader,
  dialects,
  type Reporter,
  type ServedTokens,
} from '../provider/usage.ts';
import { createFormChecker, createLedger, type FormChecker, type Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';

/** A provider as an agent uses it: what it answers, what it bills and what it tells. */
export interface Service {
  readonly profile: ModelProfile;
  /** The window that it enforces; 0 is without limit. */
  readonly windowTokens: number;
  readonly form: FormChecker;
  send(request: ProviderRequest, startMs: number): Reply;
  /** What a served request cost. */
  bill(split: CacheSplit, outputTokens: number): Billed;
  /** The usage that the policy stores of a request; nothing where the provider reports none. */
  report(served: ServedTokens): Usage | undefined;
}

type ServedTrace = Pick<Trace, 'ownFaults' | 'basis' | 'count'>;

/** What a service is made of besides its cache. */
interface ServiceParts {
  readonly profile: ModelProfile;
  readonly policy: Policy;
  readonly trace: ServedTrace;
}

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

/** Where caches with the same rules begin that may be sent the same: what was sent first, last time. */
interface CachePath {
  next: Sent | undefined;
}

/** A request with what came of it, behind all requests before it. */
interface Sent extends CachePath {
  readonly prompt: Prompt;
  readonly startMs: number;
  readonly split: CacheSplit;
  readonly before: Sent | undefined;
}

/** A cache that was sent all requests up to one of them. */
interface Worked {
  readonly cache: PrefixCache;
  newest: Sent | undefined;
}

/** Each path holds a whole run. Cells of a sweep that differ in more lie apart, so that few paths are gone again. */
const MOST_PATHS = 4;

/** Runs of a trace see the same parts, so that what one run looked up the next one knows. */
const cachesOf = perKey<CountedTrace, TraceCaches>(() => ({ ledgers: new Map(), paths: [] }));

/** Settings that differ in something else have rules of their own that say the same. */
const keyOf = perKey((rules: CacheRules) => JSON.stringify(rules));

/** A service that nobody has used yet, whose cache goes along the path of earlier runs of the trace. */
export function createService(
  profile: ModelProfile,
  policy: Policy,
  { trace, of }: { readonly trace: ServedTrace; readonly of: CacheUse['of'] },
): Service {
  const { cache: rules } = profile;
  const cache = createSharedCache(rules, cachePathOf(trace, { rules, render: policy.render, of }));
  return createServiceWith(cache, { profile, policy, trace });
}

/** A service with a cache that is still empty. What a recording does not pass by itself is not held against a policy. */
export function createServiceWith(
  cache: PrefixCache,
  { profile, policy: { reading, render }, trace }: ServiceParts,
): Service {
  const provider: Provider = createProvider(profile, cache);
  const dialect = dialects[profile.behaviour.dialect];
  const reporter: Reporter = createReporter(dialect);
  const read = createReportReader(dialect, reading.usage);
  const checks = profile.behaviour.checks.filter((name) => !trace.ownFaults.includes(name));
  return {
    profile,
    windowTokens: provider.windowTokens,
    form: createFormChecker(checks, ledgerOf(trace, render).pageOf),
    send: (request, startMs) => provider.send(request, startMs),
    bill: (split, outputTokens) => billOf(profile, split, outputTokens),
    report: (served) => {
      const report = reporter.report(served);
      return report === undefined ? undefined : read(report);
    },
  };
}

/** The prices that a model's requests are billed with, by what its provider caches; absent where none are known. */
export function billedPrices({ prices, cache }: ModelProfile): BilledPrices | undefined {
  if (prices === undefined) return undefined;
  const tiers = prices.tiers.map((tier) => ({
    overTokens: tier.overTokens,
    ...requestPrices(tier, cache),
  }));
  return { ...requestPrices(prices, cache), ...(tiers.length > 0 && { tiers }) };
}

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

/** A path that nobody has gone yet. */
export function startPath(): CachePath {
  return { next: undefined };
}

/**
 * A cache, still empty, that shares with others what the same requests came to. What is sent as it was sent along the
 * path last time, from the beginning on, is not worked out again; where it turns off, the path goes its way from then on.
 */
export function createSharedCache(rules: CacheRules, path: CachePath): PrefixCache {
  let newest: Sent | undefined;
  let worked: Worked | undefined;
  return {
    send(prompt, startMs) {
      const end = newest ?? path;
      const known = end.next;
      if (known !== undefined && known.prompt === prompt && known.startMs === startMs) {
        newest = known;
        return known.split;
      }
      worked ??= { cache: createPrefixCache(rules), newest: undefined };
      if (worked.newest !== newest) catchUp(worked, newest);
      const split = worked.cache.send(prompt, startMs);
      newest = end.next = { prompt, startMs, split, before: newest, next: undefined };
      worked.newest = newest;
      return split;
    },
  };
}

function billOf({ prices, cache }: ModelProfile, split: CacheSplit, outputTokens: number): Billed {
  const billed = { split, outputTokens };
  return {
    cacheReadTokens: split.readTokens,
    cacheWriteTokens: split.writeTokens,
    freshTokens: split.freshTokens,
    costNanoUsd: prices && billRequest(billed, prices, cache).totalNanoUsd,
    latencyMs: latencyMs(billed),
  };
}

function requestPrices(prices: TokenPrices, cache: CacheRules): RequestPrices {
  const { inputPicoUsd, outputPicoUsd, cacheReadPicoUsd } = prices;
  const written = writePricePicoUsd(prices, cache) ?? inputPicoUsd;
  return {
    inputPicoUsd,
    outputPicoUsd,
    cacheReadPicoUsd: cache.kind === 'none' ? inputPicoUsd : (cacheReadPicoUsd ?? inputPicoUsd),
    cacheWritePicoUsd: cache.billsWrites ? written : inputPicoUsd,
  };
}

/** Sends what was found along the path since then, up to a request. */
function catchUp({ cache, newest: last }: Worked, newest: Sent | undefined): void {
  const missing: Sent[] = [];
  for (let sent = newest; sent !== undefined && sent !== last; sent = sent.before) {
    missing.push(sent);
  }
  for (const { prompt, startMs } of missing.toReversed()) cache.send(prompt, startMs);
}
