/** When a release retries a failed request, and how long it waits. */

import { readField } from '../values.ts';

/** One version of how failed requests are tried again. */
export interface RetryRule {
  /** Retries HTTP statuses of 500 and above even where the client does not suggest it. */
  readonly retriesServerErrors: boolean;
  /** Longest wait that a provider may ask for, in ms. */
  readonly maxHintMs: number;
}

/** A request that failed, as its client reports it. */
export interface FailedRequest {
  /** Kind of error; `ContextOverflowError` for a request that was too large for the window. */
  readonly name: string;
  readonly statusCode?: number | undefined;
  /** The client's own opinion. */
  readonly isRetryable: boolean;
  /** Of the response, by their names in lower case; absent where no response came. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Which try failed, by which rule the next one is planned, and when. */
export interface RetryOptions {
  readonly rule: RetryRuleName;
  /** The try that failed, from 1. */
  readonly attempt: number;
  /** For hints that are dates. */
  readonly nowMs: number;
}

/** The decision about a failed request, and the delay before the next try. */
export type RetryPlan =
  | { readonly state: 'retry'; readonly delayMs: number }
  | { readonly state: 'give-up' };

const OVERFLOW = 'ContextOverflowError';
const FIRST_SERVER_ERROR = 500;
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_WITHOUT_HEADERS_MS = 30_000;
const MAX_TIMER_MS = 2_147_483_647;
const MS_PER_SECOND = 1_000;
const from1216: RetryRule = { retriesServerErrors: false, maxHintMs: MAX_TIMER_MS };
const from11419: RetryRule = { ...from1216, retriesServerErrors: true };

/** Retry rules by the release from which each is known to hold. Sources: OpenCode release history (section 6), issues 20126 and 22511. */
export const retryRules = {
  /** Only what the client says may help; waits as long as the provider asks. */
  'v1.2.16': from1216,
  /** Server errors in any case. */
  'v1.14.19': from11419,
  /** Waits five minutes at most where the provider asks for more. */
  'v1.17.15': { ...from11419, maxHintMs: 300_000 },
} satisfies Record<string, RetryRule>;

/** The name of a retry rule. */
export type RetryRuleName = keyof typeof retryRules;

/** Plans what follows a failed request. No rule ever ends by itself: tries are not counted out. */
export function planRetry(error: FailedRequest, options: RetryOptions): RetryPlan {
  if (!isRetried(error, options.rule)) return { state: 'give-up' };
  return { state: 'retry', delayMs: retryDelayMs(error.headers, options) };
}

/** Tests if a failed request is made again; never one that was too large. */
export function isRetried(error: FailedRequest, ruleName: RetryRuleName): boolean {
  if (error.name === OVERFLOW) return false;
  const isServerError = (error.statusCode ?? 0) >= FIRST_SERVER_ERROR;
  return error.isRetryable || (isServerError && retryRules[ruleName].retriesServerErrors);
}

/**
 * How long to wait before the next try: as long as the provider asks, else twice as long as before. Without a response
 * that has an upper bound; with one that says nothing of it, it has none.
 */
export function retryDelayMs(
  headers: FailedRequest['headers'],
  { rule, attempt, nowMs }: RetryOptions,
): number {
  const hintMs = readHint(headers, nowMs);
  if (hintMs !== undefined) return Math.max(0, Math.min(hintMs, retryRules[rule].maxHintMs));
  const doubledMs = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return Math.min(doubledMs, headers === undefined ? MAX_DELAY_WITHOUT_HEADERS_MS : MAX_TIMER_MS);
}

/** The delay that a response asks for, as milliseconds, seconds or a date. */
function readHint(headers: FailedRequest['headers'], nowMs: number): number | undefined {
  const hintMs = Number.parseFloat(readHeader(headers, 'retry-after-ms'));
  if (!Number.isNaN(hintMs)) return hintMs;
  const after = readHeader(headers, 'retry-after');
  const hintSeconds = Number.parseFloat(after);
  if (!Number.isNaN(hintSeconds)) return Math.ceil(hintSeconds * MS_PER_SECOND);
  const untilMs = Date.parse(after) - nowMs;
  return untilMs > 0 ? Math.ceil(untilMs) : undefined;
}

function readHeader(headers: FailedRequest['headers'], name: string): string {
  const value = readField(headers, name);
  return typeof value === 'string' ? value : '';
}
