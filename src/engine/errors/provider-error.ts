import { expectFields } from '../expect.ts';
import { readField } from '../values.ts';

/** A refused request as a provider's client reports it. */
export interface ProviderError {
  /** Empty where the client has nothing to say. */
  readonly message: string;
  readonly statusCode?: number | undefined;
  /** The response as it came. */
  readonly body?: string | undefined;
}

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

/** The error text for a person: the message, or the body, or both where the message only repeats the status. Throws a `TypeError` without a message. */
export function composeErrorMessage(error: ProviderError): string {
  expectFields('error', error, { message: 'text' });
  const { message, statusCode, body } = error;
  const phrase = statusText(statusCode);
  if (message === '') return (body || phrase || 'Unknown error').trim();
  if (!body || (statusCode && message !== phrase) || isMarkup(body)) return message.trim();
  return `${message}: ${errorTextOf(body)}`.trim();
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

function statusText(statusCode: number | undefined): string | undefined {
  return statusCode === undefined ? undefined : STATUS_TEXTS.get(statusCode);
}

function isMarkup(body: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(body);
}

function errorTextOf(body: string): string {
  const json = parseBody(body);
  const told = readField(json, 'message') || readField(json, 'error');
  return typeof told === 'string' && told !== '' ? told : body;
}
