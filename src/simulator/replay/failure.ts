import { planRetry, type ProviderError, type RetryOptions } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import { refusals } from '../provider/refusals.ts';
import type { Failure } from '../scenario/scenario.ts';
import type { Running } from './run-state.ts';
import type { Service } from './service.ts';

/** A failure that is no refusal for size. */
export type OtherFailure = Exclude<Failure, { readonly type: 'overflow' }>;

interface FailedTry {
  readonly of: 'step' | 'summary';
  readonly failure: Failure;
  readonly nth: number;
}

/** Refusals of one step after which a run ends. */
export const MAX_REFUSALS = 2;
/** Tries of a request that is told to wait, before it counts as failed. */
const MAX_TRIES = 10;
const TOO_MANY_REQUESTS = 429;

/** Reports a failure; returns true if the client sends the request again by itself. */
export function failRequest(
  { env, state, step, told }: Running,
  { of, failure, nth }: FailedTry,
): boolean {
  const nowMs = env.now();
  const waitMs = waitMsOf(failure, { rule: state.policy.reading.retries, attempt: nth, nowMs });
  told.push({ type: 'request-failed', of, step, failure: failure.type, ...known({ waitMs }) });
  env.advanceTo(nowMs + (failure.type === 'time-out' ? failure.afterMs : (waitMs ?? 0)));
  return waitMs !== undefined;
}

/** Describes a failure for the reason of a run. */
export function describeFailure(failure: OtherFailure): string {
  switch (failure.type) {
    case 'fail':
      return failure.message ?? 'the provider failed';
    case 'time-out':
      return `no answer within ${failure.afterMs} ms`;
    case 'rate-limit':
      return `${TOO_MANY_REQUESTS} too many requests, ${MAX_TRIES} times`;
    case 'abort':
      return `aborted after ${failure.afterTokens} tokens`;
  }
}

/** The error of a request that is refused for its size. */
export function errorOf(
  { statusCode, message }: Failure & { readonly type: 'overflow' },
  { profile, windowTokens }: Service,
): ProviderError {
  if (message !== undefined) return { message, ...known({ statusCode }) };
  const own = refusals[profile.behaviour.refusal].errorFor({
    requestTokens: windowTokens + 1,
    windowTokens,
  });
  return { ...own, ...known({ statusCode }) };
}

function waitMsOf(failure: Failure, options: RetryOptions): number | undefined {
  if (failure.type !== 'rate-limit' || options.attempt >= MAX_TRIES) return undefined;
  const { retryAfterMs } = failure;
  const plan = planRetry(
    {
      name: 'APIError',
      statusCode: TOO_MANY_REQUESTS,
      isRetryable: true,
      headers: retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) },
    },
    options,
  );
  return plan.state === 'retry' ? plan.delayMs : undefined;
}
