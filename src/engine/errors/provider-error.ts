import { readField } from '../read-field.ts';
import { statusText } from './status-text.ts';

/** A refused request as a provider's client reports it. */
export interface ProviderError {
  /** Empty where the client has nothing to say. */
  readonly message: string;
  readonly statusCode?: number | undefined;
  /** The response as it came. */
  readonly body?: string | undefined;
}

/**
 * What a person is told of a refused request: the message, or the body where the message is empty, or
 * both where the message says no more than the status does. A page of markup is left out.
 */
export function composeErrorMessage({ message, statusCode, body }: ProviderError): string {
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

/** The body's own message where it has one, else the body. */
function errorTextOf(body: string): string {
  const json = parseBody(body);
  const text = readField(json, 'message') || readField(json, 'error');
  return typeof text === 'string' && text !== '' ? text : body;
}

function isMarkup(body: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(body);
}
