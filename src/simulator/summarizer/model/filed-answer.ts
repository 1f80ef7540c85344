import {
  composeErrorMessage,
  overflowErrorRules,
  type ProviderError,
} from '../../../engine/index.ts';
import { findWording, saysWording, type Wording } from '../../../engine/internal.ts';
import { parseJson } from '../../lib/json.ts';
import type { Failure } from '../../scenario/scenario.ts';
import type { FailedAnswer } from '../summarizer.ts';
import { field, NEWEST_RULE } from './failure.ts';

interface ErrorDetail {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
}

const LONGEST_CHARS = 300;
/** Of a wording that has anything in its middle, at each end. */
const LONGEST_END_CHARS = 40;
const CODE = /^[\w.-]{1,60}$/;
const HALF_CHARACTER = /\p{Cs}$/u;
/** What tells an overflow from anything else; the newest rule has all wordings of the others. */
const { patterns, exclusions } = overflowErrorRules[NEWEST_RULE];
const WORDINGS = [...patterns, ...exclusions];

/** A failure as it may be kept and shown: cleaned, short, and known for an overflow by the same rules as before. */
export function fileFailure(
  { reason, error, failure, ...rest }: FailedAnswer,
  clean: (text: string) => string,
): FailedAnswer {
  const kept = error && fileError(error, clean);
  const told = kept === undefined ? cut(clean(reason)) : composeErrorMessage(kept);
  return {
    ...rest,
    reason: told,
    ...(failure && { failure: withMessage(failure, told) }),
    ...(kept && { error: kept }),
  };
}

function fileError(error: ProviderError, clean: (text: string) => string): ProviderError {
  const { message, body } = error;
  const kept = {
    ...error,
    message: cut(clean(message)),
    ...(body !== undefined && { body: fileBody(body, clean) }),
  };
  const [before, after] = [composeErrorMessage(error), composeErrorMessage(kept)];
  const told = WORDINGS.filter((wording) => saysWording(before, wording));
  if (told.every((wording) => saysWording(after, wording))) return kept;
  // A message of its own stands for the body, whose wordings it needs as well.
  const missing = told.filter((wording) => !saysWording(kept.message, wording));
  return { ...kept, message: `${kept.message} (${wordingsOf(before, missing)})` };
}

/** What a message says of an overflow or against it. */
function wordingsOf(message: string, told: readonly Wording[]): string {
  return told.map((wording) => cutMiddle(findWording(message, wording) ?? '')).join('; ');
}

/** A body that is too long, or has lost its code, is kept as its message and its code. */
function fileBody(body: string, clean: (text: string) => string): string {
  const cleaned = clean(body);
  const { code } = readDetail(body);
  const detail = readDetail(cleaned);
  if (cleaned.length <= LONGEST_CHARS && detail.code === code) return cleaned;
  const message = cut(detail.message ?? cleaned);
  return code === undefined ? message : JSON.stringify({ error: { message, code } });
}

function readDetail(body: string): ErrorDetail {
  const error = field(parseJson(body), 'error');
  const [message, code] = [field(error, 'message'), field(error, 'code')];
  return {
    message: typeof message === 'string' ? message : undefined,
    code: typeof code === 'string' && CODE.test(code) ? code : undefined,
  };
}

function withMessage(failure: Failure, message: string): Failure {
  return 'message' in failure && failure.message !== undefined ? { ...failure, message } : failure;
}

function cut(text: string): string {
  if (text.length <= LONGEST_CHARS) return text;
  return `${text.slice(0, LONGEST_CHARS - 1).replace(HALF_CHARACTER, '')}…`;
}

function cutMiddle(text: string): string {
  if (text.length <= 2 * LONGEST_END_CHARS) return text;
  return `${text.slice(0, LONGEST_END_CHARS)} … ${text.slice(-LONGEST_END_CHARS)}`;
}
