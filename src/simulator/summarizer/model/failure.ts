import {
  composeErrorMessage,
  isContextOverflow,
  isContextOverflowEvent,
  overflowErrorRules,
  type ProviderError,
} from '../../../engine/index.ts';
import { findWording, saysWording } from '../../../engine/internal.ts';
import { known } from '../../lib/collections.ts';
import { parseJson } from '../../lib/json.ts';
import type { Failure } from '../../scenario/scenario.ts';
import type { FailedAnswer } from '../summarizer.ts';

export type ReadError = ReturnType<typeof readError>;

const REPEATS_ANSWER = /^(?:JSON parsing|Type validation) failed: (?:Text|Value):/;

/** An answer that did not come to its end. */
export class BrokenAnswerError extends Error {
  override readonly name = 'BrokenAnswerError';
}

const NEWEST_RULE = 'v1.18.4';
const OVERFLOW_CODE = 'context_length_exceeded';
const TOO_MANY_REQUESTS = 429;
const FIRST_REFUSAL = 400;
const UNREADABLE: ReadonlySet<unknown> = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_InvalidStreamPartError',
  'AI_EmptyResponseBodyError',
]);
const NOT_SET_UP: ReadonlySet<unknown> = new Set([
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
]);
const OVERFLOW_NAME = 'ContextOverflowError';
const MAX_CAUSES = 5;
const NETWORK_CODE = /^(?:ECONN|EPIPE|ETIMEDOUT|EAI_|UND_ERR)/;
const UNSENT_CODE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
const LONGEST_CHARS = 300;
/** Of a wording that has anything in its middle, at each end. */
const LONGEST_END_CHARS = 40;
const CODE = /^[\w.-]{1,60}$/;
const HALF_CHARACTER = /\p{Cs}$/u;
const { patterns, exclusions } = overflowErrorRules[NEWEST_RULE];
const WORDINGS = [...patterns, ...exclusions];

export function readError(thrown: unknown) {
  const cause = innermost(thrown);
  const error = toProviderError(cause);
  const isOverflow =
    isContextOverflow(error, NEWEST_RULE) ||
    isContextOverflowEvent(cause) ||
    field(cause, 'code') === OVERFLOW_CODE;
  return {
    error,
    isOverflow,
    /** True if no server was reached, so that nothing was sent. */
    isUnsent: isUnsent(cause),
    request: {
      name: isOverflow ? OVERFLOW_NAME : 'APIError',
      statusCode: error.statusCode,
      isRetryable: isRetryable(cause),
      headers: headersOf(cause),
    },
  };
}

/** The client's reason why nothing can be sent at all; undefined where there is none. */
export function whyNotSetUp(thrown: unknown) {
  const cause = innermost(thrown);
  return NOT_SET_UP.has(field(cause, 'name')) ? messageOf(cause).replace(/\.$/, '') : undefined;
}

/** The answer that an error makes, after so many tries. */
export function toFailedAnswer(read: ReadError, tries: number): FailedAnswer {
  const { error, isOverflow } = read;
  const reason = composeErrorMessage(error);
  return { state: 'failed', reason, isOverflow, failure: toFailure(read, reason), error, tries };
}

/** A failure as it may be shown: cleaned, short, and known for an overflow by the same rules. */
export function fileFailure(
  { reason, error, failure, ...rest }: FailedAnswer,
  clean: (text: string) => string,
): FailedAnswer {
  const kept = error && fileError(error, clean);
  const message = kept === undefined ? cut(clean(reason)) : composeErrorMessage(kept);
  const hasMessage = failure && 'message' in failure && failure.message !== undefined;
  const filed = hasMessage ? { ...failure, message } : failure;
  return { ...rest, reason: message, ...known({ failure: filed, error: kept }) };
}

function innermost(thrown: unknown) {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    const inner = field(error, 'lastError');
    if (inner === undefined) return error;
    error = inner;
  }
  return error;
}

/** Of an error also inherited ones. */
function field(value: unknown, name: string) {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) || value instanceof Error
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function toProviderError(error: unknown) {
  const statusCode = field(error, 'statusCode');
  const responseBody = field(error, 'responseBody');
  const body = typeof responseBody === 'string' ? responseBody : bodyOf(error);
  // A body that came with a good status is an answer, and no reason for anything.
  const isAnswer =
    isUnreadable(error) || (typeof statusCode === 'number' && statusCode < FIRST_REFUSAL);
  return {
    message: messageOf(error),
    ...known({
      statusCode: typeof statusCode === 'number' ? statusCode : undefined,
      body: isAnswer ? undefined : body,
    }),
  };
}

/** An event of a stream as the body that the same error has without a stream. */
function bodyOf(error: unknown) {
  const data = field(error, 'data') ?? (error instanceof Error ? undefined : error);
  if (typeof data !== 'object' || data === null) return undefined;
  return JSON.stringify(field(data, 'error') === undefined ? { error: data } : data);
}

function isUnreadable(error: unknown) {
  return UNREADABLE.has(field(error, 'name')) || REPEATS_ANSWER.test(String(ownMessage(error)));
}

function ownMessage(error: unknown) {
  if (typeof error === 'string') return error;
  return field(error, 'message') ?? field(field(error, 'error'), 'message');
}

function messageOf(error: unknown) {
  // Such messages repeat the answer.
  if (isUnreadable(error)) return 'The answer could not be made out.';
  const own = ownMessage(error);
  return typeof own === 'string' ? own : 'The model failed without saying why.';
}

function isUnsent(error: unknown) {
  const isRefused = causesOf(error).some((cause) => field(cause, 'message') === 'bad port');
  return isRefused || hasCode(error, UNSENT_CODE);
}

function causesOf(error: unknown) {
  const causes = [error];
  while (causes.length < MAX_CAUSES) causes.push(field(causes.at(-1), 'cause'));
  return causes;
}

function hasCode(error: unknown, pattern: RegExp) {
  return causesOf(error).some((cause) => {
    const code = field(cause, 'code');
    return typeof code === 'string' && pattern.test(code);
  });
}

function isRetryable(error: unknown) {
  if (error instanceof BrokenAnswerError || UNREADABLE.has(field(error, 'name'))) return true;
  const statusCode = field(error, 'statusCode');
  const isAnswered = typeof statusCode === 'number' && statusCode < FIRST_REFUSAL;
  if (field(error, 'isRetryable') === true || isAnswered) return true;
  // Sockets fail by a code of the platform, somewhere among the causes.
  const isCutOff = error instanceof TypeError && error.message === 'terminated';
  return isCutOff || hasCode(error, NETWORK_CODE);
}

function headersOf(error: unknown) {
  const headers = field(error, 'responseHeaders');
  if (typeof headers !== 'object' || headers === null) return undefined;
  const texts = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}

function toFailure({ error, isOverflow }: ReadError, message: string): Failure {
  const { statusCode } = error;
  if (isOverflow) return { type: 'overflow', message, ...(statusCode && { statusCode }) };
  return statusCode === TOO_MANY_REQUESTS ? { type: 'rate-limit' } : { type: 'fail', message };
}

function fileError(error: ProviderError, clean: (text: string) => string) {
  const { message, body } = error;
  const ownBody = body === undefined ? {} : { body: fileBody(body, clean) };
  const kept = { ...error, message: cut(clean(message)), ...ownBody };
  const [before, after] = [composeErrorMessage(error), composeErrorMessage(kept)];
  const told = WORDINGS.filter((wording) => saysWording(before, wording));
  if (told.every((wording) => saysWording(after, wording))) return kept;
  // A message of its own stands for the body, whose wordings it needs as well.
  const missing = told.filter((wording) => !saysWording(kept.message, wording));
  const wordings = missing.map((wording) => cutMiddle(findWording(before, wording) ?? ''));
  return { ...kept, message: `${kept.message} (${wordings.join('; ')})` };
}

function cut(text: string) {
  if (text.length <= LONGEST_CHARS) return text;
  return `${text.slice(0, LONGEST_CHARS - 1).replace(HALF_CHARACTER, '')}…`;
}

/** A body that is too long, or has lost its code, is kept as its message and its code. */
function fileBody(body: string, clean: (text: string) => string) {
  const cleaned = clean(body);
  const { code } = readDetail(body);
  const detail = readDetail(cleaned);
  if (cleaned.length <= LONGEST_CHARS && detail.code === code) return cleaned;
  const message = cut(detail.message ?? cleaned);
  return code === undefined ? message : JSON.stringify({ error: { message, code } });
}

function readDetail(body: string) {
  const error = field(parseJson(body), 'error');
  const [message, code] = [field(error, 'message'), field(error, 'code')];
  return {
    message: typeof message === 'string' ? message : undefined,
    code: typeof code === 'string' && CODE.test(code) ? code : undefined,
  };
}

function cutMiddle(text: string) {
  if (text.length <= 2 * LONGEST_END_CHARS) return text;
  return `${text.slice(0, LONGEST_END_CHARS)} … ${text.slice(-LONGEST_END_CHARS)}`;
}
