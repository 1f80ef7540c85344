/** Scripted summarizers that fail. */

import { MS_PER_SECOND } from '../../lib/units.ts';
import type { Failure } from '../../scenario/scenario.ts';
import type { FailedAnswer, Summarizer } from '../summarizer.ts';
import { countHead, createRatio, DEFAULT_RATIO } from './sizes.ts';

const SERVER_ERROR = 500;
const BAD_REQUEST = 400;

/** A failure that is no overflow. */
export function createFail(name: string): Summarizer {
  const reason = 'The summarizer fails by its script.';
  return { name, summarise: () => ({ state: 'failed', reason, isOverflow: false }) };
}

/** Too many requests, each time; with the seconds that the provider asks to wait. */
export function createRateLimited(name: string, retryAfterSeconds?: number): Summarizer {
  const failure: Failure = {
    type: 'rate-limit',
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * MS_PER_SECOND }),
  };
  return { name, summarise: () => failed('429 Too Many Requests', failure) };
}

/** An error of the provider's own. */
export function createServerError(name: string, statusCode: number = SERVER_ERROR): Summarizer {
  const message = `${statusCode} The server had an error while processing your request.`;
  return {
    name,
    summarise: () => ({
      ...failed(message, { type: 'fail', message }),
      error: { message, statusCode },
    }),
  };
}

/** A good answer that takes that many seconds. */
export function createSlow(name: string, seconds: number): Summarizer {
  const quick = createRatio(name, DEFAULT_RATIO);
  return {
    name,
    summarise: (request, tools) => ({
      ...quick.summarise(request, tools),
      call: { latencyMs: Math.round(seconds * MS_PER_SECOND) },
    }),
  };
}

/** Cut off by the person after that many tokens, of which nothing is kept. */
export function createAborted(name: string, afterTokens: number): Summarizer {
  const failure: Failure = { type: 'abort', afterTokens };
  return { name, summarise: () => failed(`aborted after ${afterTokens} tokens`, failure) };
}

/** A model of that window: it refuses what is larger, and answers the rest. */
export function createSmallWindow(name: string, windowTokens: number): Summarizer {
  const able = createRatio(name, DEFAULT_RATIO);
  return {
    name,
    summarise: (request, tools) => {
      const tokens =
        countHead(request, tools) +
        tools.countTokens(request.system) +
        tools.countTokens(request.prompt);
      return tokens > windowTokens
        ? overflowed(tokens, windowTokens)
        : able.summarise(request, tools);
    },
  };
}

function overflowed(tokens: number, windowTokens: number): FailedAnswer {
  const message = `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens.`;
  return {
    ...failed(message, { type: 'overflow', statusCode: BAD_REQUEST, message }),
    isOverflow: true,
    error: { message, statusCode: BAD_REQUEST },
  };
}

function failed(reason: string, failure: Failure): FailedAnswer {
  return { state: 'failed', reason, isOverflow: false, failure };
}
