import type { Policy, ProviderError } from '../../engine/index.ts';
import type { Billed, BilledPrices, RequestPrices, RunEvent } from '../events.ts';
import { known } from '../lib/collections.ts';
import type { CacheRules } from '../provider/behaviours.ts';
import { cacheForTtl, cacheOf, type ModelProfile } from '../provider/model-profile.ts';
import { createPrefixCache, type PrefixCache } from '../provider/prefix-cache.ts';
import { billRequest, latencyMs, type TokenPrices, writePricePicoUsd } from '../provider/prices.ts';
import type { CacheSplit, Prompt } from '../provider/prompt.ts';
import { type RefusalRules, refusals } from '../provider/refusals.ts';
import {
  createReporter,
  createReportReader,
  dialects,
  type ServedTokens,
} from '../provider/usage.ts';
import { windowTokensOf } from '../scenario/settings.ts';
import { type CacheFate, type Trace } from './trace.ts';

type RunStart = RunEvent & { readonly type: 'run-start' };

/** A provider as an agent uses it: replies, bills and reported usage. */
export type Service = ReturnType<typeof createService>;

/** A request on its way to a provider. */
export interface ProviderRequest {
  readonly prompt: Prompt;
  readonly tokens: number;
  readonly bytes: number;
  /** The fault of its form; undefined if a provider would accept it. */
  readonly fault: string | undefined;
}

/** The provider's reply to a request. */
export type Reply =
  | {
      readonly type: 'served';
      readonly split: CacheSplit;
      /** Tokens that the model was given; fewer than were sent where the provider cut the request silently. */
      readonly keptTokens: number;
    }
  | { readonly type: 'refused'; readonly error: ProviderError }
  | { readonly type: 'malformed'; readonly fault: string };

/** A service, with an empty cache by default. */
export function createService(
  profile: ModelProfile,
  { reading }: Policy,
  {
    ownFaults,
    recordedCache,
    cache = createPrefixCache(profile.cache),
  }: Pick<Trace, 'ownFaults' | 'recordedCache'> & { readonly cache?: PrefixCache | undefined },
) {
  const { behaviour, trueLimits } = profile;
  const rules: RefusalRules = refusals[behaviour.refusal];
  const windowTokens = windowTokensOf(trueLimits);
  const recordedTtlMs = cacheForTtl(
    { ...profile, cache: cacheOf(behaviour) },
    recordedCache.ttlMs,
  ).ttlMs;
  const dialect = dialects[behaviour.dialect];
  const reporter = createReporter(dialect);
  const read = createReportReader(dialect, reading.usage);
  return {
    profile,
    cache,
    /** 0 is without limit. */
    windowTokens,
    checks: behaviour.checks.filter((name) => !ownFaults.includes(name)),
    send: ({ prompt, tokens, bytes, fault }: ProviderRequest, startMs: number): Reply => {
      const size = { requestTokens: tokens, windowTokens };
      if (bytes > (behaviour.maxRequestBytes ?? Infinity))
        return { type: 'refused', error: refusals['request-too-large'].errorFor(size) };
      if (fault !== undefined) return { type: 'malformed', fault };
      if (windowTokens === 0 || tokens <= windowTokens)
        return { type: 'served', split: cache.send(prompt, startMs), keptTokens: tokens };
      if (rules.kind === 'refuses') return { type: 'refused', error: rules.errorFor(size) };
      // A request that was cut starts elsewhere, so no cache matches it.
      const freshTokens = rules.keptTokens(size);
      const split = { readTokens: 0, writeTokens: 0, freshTokens, lostTokens: 0, isCold: false };
      return { type: 'served', split, keptTokens: freshTokens };
    },
    follow: (fate: CacheFate, startMs: number) => {
      if (fate !== 'outlived') cache.keepUpTo(fate.keptTokens);
      else if (profile.cache.ttlMs === recordedTtlMs) cache.refresh(startMs);
    },
    bill: (split: CacheSplit, outputTokens: number) => billOf(profile, split, outputTokens),
    report: (served: ServedTokens) => {
      const report = reporter.report(served);
      return report === undefined ? undefined : read(report);
    },
  };
}

/** The first event of a run of a trace. */
export function runStart(
  trace: Trace,
  run: Pick<RunStart, 'policy' | 'summarizer' | 'seed' | 'mode' | 'usableTokens'>,
  model: ModelProfile,
): RunStart {
  return {
    type: 'run-start',
    session: trace.session,
    format: trace.format,
    isPartial: trace.isPartial,
    policy: run.policy,
    model: model.id,
    summarizer: run.summarizer,
    seed: run.seed,
    mode: run.mode === 'closed-loop' ? run.mode : undefined,
    limits: model.limits,
    usableTokens: run.usableTokens,
    prices: billedPrices(model),
    basis: trace.basis,
    ...countRecorded(trace),
  };
}

/** The event of a model that answers from a step on. */
export function modelChanged(step: number, model: ModelProfile, usableTokens?: number): RunEvent {
  const { id, limits } = model;
  const prices = billedPrices(model);
  return { type: 'model-changed', step, model: id, limits, ...known({ usableTokens }), prices };
}

/** The prices that a model's requests are billed with; absent where none are known. */
export function billedPrices({ prices, cache }: ModelProfile): BilledPrices | undefined {
  if (prices === undefined) return undefined;
  const tiers = prices.tiers.map((tier) => ({
    overTokens: tier.overTokens,
    ...requestPrices(tier, cache),
  }));
  return { ...requestPrices(prices, cache), ...(tiers.length > 0 && { tiers }) };
}

/** The bill of a request at a model's list prices; without a cost where none are known. */
export function billOf(
  { prices, cache }: ModelProfile,
  split: Pick<CacheSplit, 'readTokens' | 'writeTokens' | 'freshTokens'>,
  outputTokens: number,
): Billed {
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

/** How often the recording agent replaced its history, and how often it cleared outputs only. */
function countRecorded({ recordedCompactions }: Trace): {
  readonly recordedCompactions: number;
  readonly recordedMicrocompactions: number;
} {
  const full = recordedCompactions.filter(({ kind }) => kind === 'full').length;
  return { recordedCompactions: full, recordedMicrocompactions: recordedCompactions.length - full };
}
