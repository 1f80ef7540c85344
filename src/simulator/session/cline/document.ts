import { isObject } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import { parseMessage } from './message.ts';

/** The messages of a file with what stands around them. */
export interface ClineDocument {
  readonly messages: readonly unknown[];
  readonly sessionId?: string;
  readonly system?: string;
}

/** The session of a file, or `undefined` if it holds none: messages with their session, or a bare history of them. */
export function findSession(file: SourceFile): ClineDocument | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isHistory(document) ? { messages: document } : undefined;
  if (!isObject(document)) return undefined;
  const { messages, sessionId, agent, system_prompt: system } = document;
  if (typeof sessionId !== 'string' || typeof agent !== 'string') return undefined;
  if (!Array.isArray(messages) || 'projectHash' in document) return undefined;
  if (messages.length > 0 && parseMessage(messages[0]) === undefined) return undefined;
  return { messages, sessionId, ...(typeof system === 'string' && { system }) };
}

/** Messages of other recorders say in other ways when they were sent. */
function isHistory(values: readonly unknown[]): boolean {
  const [first] = values;
  const isTimed = isObject(first) && typeof first['ts'] === 'number' && !('parts' in first);
  return isTimed && parseMessage(first) !== undefined;
}
