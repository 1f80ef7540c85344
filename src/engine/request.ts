import { markerOf, type Message, type Part } from './message.ts';
import { type Fold, foldOver, type List } from './history.ts';

const newest: Fold<Message, Message | undefined> = {
  start: undefined,
  add: (request, message) => (isRequest(message) ? message : request),
};

/** Whether a person asked for something in a message, in words or by a file; a marker or a program's text is no request. */
export function isRequest(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined && message.parts.some(isAsked);
}

/** The newest message of a history in which a person asked for something. */
export function newestRequest(history: List<Message>): Message | undefined {
  return foldOver(history, newest);
}

/** What a person asked for in words; nothing where there are none. */
export function wordsOf(message: Message): string | undefined {
  const texts = message.parts.flatMap((part) =>
    part.type === 'text' && isAsked(part) ? [part.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** Whether a part says something that a person asked for. */
export function isAsked(part: Part): boolean {
  if (part.type !== 'text') return part.type === 'file' || part.type === 'subtask';
  return !part.synthetic && !part.ignored && part.text.trim() !== '';
}
