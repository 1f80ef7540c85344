import { type Message, markerOf, type Part } from './message.ts';
import { type Fold, foldOver } from './series/fold.ts';

/** Parts never change, and runs of one recording share them. */
const requests = new WeakMap<readonly Part[], boolean>();

/** Whether a person asked for something in a message, in words or by a file; a marker or a program's text is no request. */
export function isRequest(message: Message): boolean {
  if (message.role !== 'user') return false;
  const known = requests.get(message.parts);
  if (known !== undefined) return known;
  const found = markerOf(message) === undefined && message.parts.some(isAsked);
  requests.set(message.parts, found);
  return found;
}

const newest: Fold<Message, Message | undefined> = {
  start: undefined,
  add: (request, message) => (isRequest(message) ? message : request),
};

/** The newest message of a history in which a person asked for something. */
export function newestRequest(history: readonly Message[]): Message | undefined {
  return foldOver(history, newest);
}

/** Whether a part says something that a person asked for. */
export function isAsked(part: Part): boolean {
  if (part.type !== 'text') return part.type === 'file' || part.type === 'subtask';
  return !part.synthetic && !part.ignored && part.text.trim() !== '';
}
