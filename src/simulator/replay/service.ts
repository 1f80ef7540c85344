import type { Policy, Usage } from '../../engine/index.ts';
import type { Billed } from '../events.ts';
import { billRequest } from '../provider/bill.ts';
import type { PrefixCache } from '../provider/cache/prefix-cache.ts';
import { createSharedCache } from '../provider/cache/shared-cache.ts';
import type { CacheSplit } from '../provider/cache/prompt.ts';
import { latencyMs } from '../provider/latency.ts';
import {
  createProvider,
  type Provider,
  type ProviderRequest,
  type Reply,
} from '../provider/provider.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import { dialects } from '../provider/usage/dialects.ts';
import { createReporter, type Reporter } from '../provider/usage/reporter.ts';
import { createReportReader } from '../provider/usage/sdk.ts';
import type { ServedTokens } from '../provider/usage/served.ts';
import { type CacheUse, ledgerOf, cachePathOf } from './trace-caches.ts';
import { createFormChecker, type FormChecker } from './form.ts';
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
