import { expectForm, having, text } from '../form/check.ts';
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

const providerErrorForm = having<ProviderError>({ message: text });

/**
 * What a person is told of a refused request: the message, or the body where the message is empty, or
 * both where the message says no more than the status does. A page of markup is left out. Throws a
 * `TypeError` where there is no message.
 */
export function composeErrorMessage(error: ProviderError): string {
  const { message, statusCode, body } = expectForm('error', error, providerErrorForm);
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
  const told = readField(json, 'message') || readField(json, 'error');
  return typeof told === 'string' && told !== '' ? told : body;
}

function isMarkup(body: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(body);
}
