import { isObject } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import { isTelling, parseMessage } from './message.ts';

/** What documents of other recorders have beside a list of messages. */
const FOREIGN_KEYS = ['agent', 'history', 'info', 'projectHash', 'schema_version', 'trajectory'];

/** The messages of a file, or `undefined` if they are not of this format: a bare list, or one in an object. */
export function findMessages(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (!isObject(document)) return isConversation(document) ? document : undefined;
  if (FOREIGN_KEYS.some((key) => key in document)) return undefined;
  const { messages } = document;
  return isConversation(messages) ? messages : undefined;
}

function isConversation(values: unknown): values is readonly unknown[] {
  if (!Array.isArray(values) || parseMessage(values[0]) === undefined) return false;
  return values.some(isTelling) && !values.some((value) => isObject(value) && 'ts' in value);
}
