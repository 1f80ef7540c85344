/** Tells from a failed request if it was too large, and if it is made again, by release. */

import { expectFields } from './expect.ts';
import { readField } from './values.ts';

/** A refused request as a provider's client reports it. */
export interface ProviderError {
  /** Empty where the client has nothing to say. */
  readonly message: string;
  readonly statusCode?: number | undefined;
  /** The response as it came. */
  readonly body?: string | undefined;
}

/** One version of the recognition of context overflow. */
export interface OverflowErrorRule {
  /** Wordings of providers, looked for in the composed message. */
  readonly patterns: readonly Wording[];
  /** Wordings that make a message none, whatever else it says. */
  readonly exclusions: readonly Wording[];
  /** HTTP statuses that are enough. */
  readonly statusCodes: readonly number[];
  /** Error codes in the body that are enough. */
  readonly bodyCodes: readonly string[];
}

type Wording = RegExp | readonly RegExp[];

/** The name of an overflow-error rule. */
export type OverflowErrorRuleName = keyof typeof overflowErrorRules;

/** One version of how failed requests are tried again. */
export interface RetryRule {
  /** Retries HTTP statuses of 500 and above even where the client does not suggest it. */
  readonly retriesServerErrors: boolean;
  /** Longest wait that a provider may ask for, in ms. */
  readonly maxHintMs: number;
  /** Statuses that are retried or not, whatever the client suggests. */
  readonly statuses?: Readonly<Record<number, boolean>>;
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

/** The name of a retry rule. */
export type RetryRuleName = keyof typeof retryRules;

/** The standard phrases of HTTP error statuses. Source: IANA, HTTP status code registry. */
const STATUS_TEXTS: ReadonlyMap<number, string> = new Map(
  [
    '400 Bad Request|401 Unauthorized|402 Payment Required|403 Forbidden|404 Not Found',
    '405 Method Not Allowed|406 Not Acceptable|407 Proxy Authentication Required',
    '408 Request Timeout|409 Conflict|410 Gone|411 Length Required|412 Precondition Failed',
    '413 Payload Too Large|414 URI Too Long|415 Unsupported Media Type|416 Range Not Satisfiable',
    "417 Expectation Failed|418 I'm a Teapot|421 Misdirected Request|422 Unprocessable Entity",
    '423 Locked|424 Failed Dependency|425 Too Early|426 Upgrade Required|428 Precondition Required',
    '429 Too Many Requests|431 Request Header Fields Too Large|451 Unavailable For Legal Reasons',
    '500 Internal Server Error|501 Not Implemented|502 Bad Gateway|503 Service Unavailable',
    '504 Gateway Timeout|505 HTTP Version Not Supported|506 Variant Also Negotiates',
    '507 Insufficient Storage|508 Loop Detected|509 Bandwidth Limit Exceeded|510 Not Extended',
    '511 Network Authentication Required',
  ]
    .flatMap((line) => line.split('|'))
    .map((status) => [Number(status.slice(0, 3)), status.slice(4)]),
);

const OVERFLOW_CODE = 'context_length_exceeded';

const firstWordings: readonly Wording[] = [
  /prompt is too long/i, // Anthropic
  /input is too long for requested model/i, // Bedrock
  /exceeds the context window/i, // OpenAI
  [/input token count/i, /exceeds the maximum/i], // Gemini
  /maximum prompt length is \d+/i, // xAI
  /reduce the length of the messages/i, // Groq
  /maximum context length is \d+ tokens/i, // OpenRouter, DeepSeek, vLLM
  /exceeds the limit of \d+/i, // Copilot
  /exceeds the available context size/i, // llama.cpp
  /greater than the context length/i, // LM Studio
  /context window exceeds limit/i, // MiniMax
  /exceeded model token limit/i, // Kimi, Moonshot
  /context[_ ]length[_ ]exceeded/i, // generic
  /^4(?:00|13)\s*(?:status code)?\s*\(no body\)/i, // Cerebras, Mistral
];

const genericWordings = [/too many tokens/i, /token limit exceeded/i];
const largeRequestWordings = [/request entity too large/i];

const vllmWordings: readonly Wording[] = [
  /context length is only \d+ tokens/i,
  [/input length/i, /exceeds/i, /context length/i],
];

const localWordings = [
  /prompt too long; exceeded (?:max )?context length/i, // Ollama
  /too large for model with \d+ maximum context length/i, // Mistral
  /model_context_window_exceeded/i, // Z.AI
];

const proxyWordings = [
  /request_too_large/i, // Anthropic
  /exceeds (?:the )?(?:model'?s )?maximum context length(?: of [\d,]+ tokens?|\s*\([\d,]+\))/i,
  /exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?/i, // OpenRouter
  /input \(\d+ tokens\) is longer than the model'?s context length \(\d+ tokens\)/i, // Together
  /prompt has [\d,]+ tokens?, but the configured context size is [\d,]+ tokens?/i,
];

const rateLimitWordings = [
  /^(?:throttling error|service unavailable):/i,
  /rate limit/i,
  /too many requests/i,
];

const from1157: OverflowErrorRule = {
  patterns: firstWordings,
  exclusions: [],
  statusCodes: [],
  bodyCodes: [],
};

const from1216 = withWordings({ ...from1157, statusCodes: [413] }, largeRequestWordings);
const from130 = withWordings({ ...from1216, bodyCodes: [OVERFLOW_CODE] }, vllmWordings);
const from134 = withWordings(from130, localWordings);
const from11715 = withWordings(from134, [/tokens in request more than max tokens allowed/i]);

const from1184 = {
  ...withWordings(from11715, [...proxyWordings, ...genericWordings]),
  exclusions: rateLimitWordings,
};

/** Overflow-error rules by the release from which each holds. Source: OpenCode release history (section 8). */
export const overflowErrorRules = {
  /** Shown to the person, not handled. */
  'v1.1.54': withWordings(from1157, genericWordings),
  /** Without the generic wordings. */
  'v1.1.57': from1157,
  /** Handled by compaction; with requests too large by their bytes. */
  'v1.2.16': from1216,
  /** With vLLM, and the code in the body. */
  'v1.3.0': from130,
  /** With Ollama, Mistral and Z.AI's finish. */
  'v1.3.4': from134,
  /** With Z.AI's text. */
  'v1.17.15': from11715,
  /** With five more wordings and the generic ones; never for a rate limit. */
  'v1.18.4': from1184,
  /** The wordings of 1.18.4; a status alone tells nothing. */
  'v2.0': { ...from1184, statusCodes: [] },
  /** Gemini CLI takes it for any other error. Source: records of 0.24 to 0.61. */
  none: { patterns: [], exclusions: [], statusCodes: [], bodyCodes: [] },
  /** HTTP 413 is another error, whatever it says. Source: runs of Kimi Code 0.30.0 and Cline 3.0.65. */
  'without-413': {
    ...from1184,
    exclusions: [
      ...rateLimitWordings,
      ...largeRequestWordings,
      /^413|payload too large|request_too_large/i,
    ],
    statusCodes: [],
  },
  /** Codex goes by the code alone. Source: records of 0.171. */
  codex: { patterns: [], exclusions: [], statusCodes: [], bodyCodes: [OVERFLOW_CODE] },
} satisfies Record<string, OverflowErrorRule>;

const NEWEST_RULE: OverflowErrorRuleName = 'v1.18.4';
const LINE_ENDS = /[\n\r\u2028\u2029]/;
const OVERFLOW = 'ContextOverflowError';
const FIRST_SERVER_ERROR = 500;
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_WITHOUT_HEADERS_MS = 30_000;
const MAX_TIMER_MS = 2_147_483_647;
const MS_PER_SECOND = 1_000;

/** Retry rules by the release from which each is known to hold. Sources: OpenCode release history (section 6), issues 20126 and 22511. */
export const retryRules = {
  /** Only what the client says may help; waits as long as the provider asks. */
  'v1.2.16': { retriesServerErrors: false, maxHintMs: MAX_TIMER_MS },
  /** Server errors in any case. */
  'v1.14.19': { retriesServerErrors: true, maxHintMs: MAX_TIMER_MS },
  /** Waits five minutes at most where the provider asks for more. */
  'v1.17.15': { retriesServerErrors: true, maxHintMs: 300_000 },
  /** Also a request of too many bytes, as it is. Source: runs of 0.30.0. */
  'kimi-code': { retriesServerErrors: true, maxHintMs: 300_000, statuses: { 413: true } },
  /** A rate limit ends the turn. Source: runs of 0.72.0 to 0.171.0. */
  codex: { retriesServerErrors: true, maxHintMs: 300_000, statuses: { 429: false } },
} satisfies Record<string, RetryRule>;

/** The error text for a person: the message, or the body, or both where the message only repeats the status. Throws a `TypeError` without a message. */
export function composeErrorMessage(error: ProviderError): string {
  expectFields('error', error, { message: 'text' });
  const { message, statusCode, body } = error;
  const phrase = statusCode === undefined ? undefined : STATUS_TEXTS.get(statusCode);
  if (message === '') return (body || phrase || 'Unknown error').trim();
  const isMarkup = /^\s*<(?:!doctype|html)/i.test(body ?? '');
  if (!body || (statusCode && message !== phrase) || isMarkup) return message.trim();
  const json = parseBody(body);
  const told = readField(json, 'message') || readField(json, 'error');
  return `${message}: ${typeof told === 'string' && told !== '' ? told : body}`.trim();
}

/** A response body as JSON; `undefined` where it is none. */
export function parseBody(body: string | undefined): unknown {
  if (!body) return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Tests if a provider refused a request because it was larger than the context window. */
export function isContextOverflow(error: ProviderError, ruleName: OverflowErrorRuleName): boolean {
  const rule: OverflowErrorRule = overflowErrorRules[ruleName];
  const message = composeErrorMessage(error);
  const says = (wording: Wording) => saysWording(message, wording);
  if (!rule.exclusions.some(says) && rule.patterns.some(says)) return true;
  if (error.statusCode !== undefined && rule.statusCodes.includes(error.statusCode)) return true;
  return rule.bodyCodes.includes(errorCodeOf(parseBody(error.body)) ?? '');
}

/** Tests if a policy takes an error for a request that was too large; the guard that shrinks summary requests brings the newest rule with it. */
export function knowsOverflow(
  policy: {
    readonly reading: { readonly overflowErrors?: OverflowErrorRuleName };
    readonly guards: { readonly shrinkSummaryRequest: boolean };
  },
  error: ProviderError,
): boolean {
  const own = policy.reading.overflowErrors;
  const ruleName = own ?? (policy.guards.shrinkSummaryRequest ? NEWEST_RULE : undefined);
  return ruleName !== undefined && isContextOverflow(error, ruleName);
}

/** Tests if an event in the middle of a stream reports an overflow. Every release goes by its code alone. */
export function isContextOverflowEvent(event: unknown): boolean {
  const body = typeof event === 'string' ? parseBody(event) : event;
  return readField(body, 'type') === 'error' && errorCodeOf(body) === OVERFLOW_CODE;
}

/** A wording in a message; one pattern with gaps would restart at each phrase. */
export function findWording(message: string, wording: Wording): string | undefined {
  if (wording instanceof RegExp) return wording.exec(message)?.[0];
  for (const line of message.split(LINE_ENDS)) {
    const found = findInLine(line, wording);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Tests if a message contains a wording. */
export function saysWording(message: string, wording: Wording): boolean {
  return findWording(message, wording) !== undefined;
}

/** Plans what follows a failed request. No rule ever ends by itself: tries are not counted out. */
export function planRetry(error: FailedRequest, options: RetryOptions): RetryPlan {
  if (!isRetried(error, options.rule)) return { state: 'give-up' };
  return { state: 'retry', delayMs: retryDelayMs(error.headers, options) };
}

/** Tests if a failed request is made again; never one that was too large. */
export function isRetried(error: FailedRequest, ruleName: RetryRuleName): boolean {
  if (error.name === OVERFLOW) return false;
  const { statusCode = 0, isRetryable } = error;
  const { retriesServerErrors, statuses = {} }: RetryRule = retryRules[ruleName];
  const isServerError = retriesServerErrors && statusCode >= FIRST_SERVER_ERROR;
  return statuses[statusCode] ?? (isRetryable || isServerError);
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

function errorCodeOf(body: unknown): string | undefined {
  const code = readField(readField(body, 'error'), 'code');
  return typeof code === 'string' ? code : undefined;
}

function findInLine(line: string, phrases: readonly RegExp[]): string | undefined {
  let start: number | undefined;
  let end = 0;
  for (const phrase of phrases) {
    const found = phrase.exec(line.slice(end));
    if (found === null) return undefined;
    start ??= found.index;
    end += found.index + found[0].length;
  }
  return line.slice(start ?? 0, end);
}

function withWordings(rule: OverflowErrorRule, wordings: readonly Wording[]): OverflowErrorRule {
  return { ...rule, patterns: [...rule.patterns, ...wordings] };
}

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
