import { type Fold, foldOver, type List } from './history.ts';
import {
  type AssistantMessage,
  isOpenCall,
  isSummary,
  markerOf,
  type Message,
  type Part,
  type UserMessage,
} from './message.ts';

/** The newest messages of each kind in a view, and the markers still to be worked off. */
export interface Latest {
  readonly user?: UserMessage | undefined;
  readonly assistant?: AssistantMessage | undefined;
  /** The newest assistant message that has a `finish`. */
  readonly finished?: AssistantMessage | undefined;
  /** The newest assistant message came after the newest user message. */
  readonly isAnswered: boolean;
  /** Markers newer than `finished`, oldest first. */
  readonly pendingMarkers: readonly UserMessage[];
}

const NO_MARKERS: readonly UserMessage[] = [];
const NOTHING: Latest = { isAnswered: false, pendingMarkers: NO_MARKERS };
const latest: Fold<Message, Latest> = { start: NOTHING, add: addLatest };

const latestOfSteps: Fold<Message, Latest> = {
  start: NOTHING,
  add: (value, message) =>
    isSummary(message) || markerOf(message) !== undefined ? value : addLatest(value, message),
};

const newest: Fold<Message, Message | undefined> = {
  start: undefined,
  add: (request, message) => (isRequest(message) ? message : request),
};

/** Reads off a view what the loop decides by. Source: OpenCode's prompt loop, 1.0.69 and later. */
export function readLatest(view: List<Message>): Latest {
  return foldOver(view, latest);
}

/** Reads off a history as if there had been no pivots. */
export function readLatestSteps(history: List<Message>): Latest {
  return foldOver(history, latestOfSteps);
}

/** Tests if a turn needs no further request; open calls and an unknown end need one. */
export function isTurnOver({ assistant, isAnswered }: Latest): boolean {
  if (!isAnswered || !assistant?.finish) return false;
  const { finish, parts } = assistant;
  return finish !== 'tool-calls' && finish !== 'unknown' && !parts.some(isOpenCall);
}

/** Tests if a person asked for something in a message, in words or by a file; markers and texts of programs do not count. */
export function isRequest(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined && message.parts.some(isAsked);
}

/** The newest message of a history in which a person asked for something. */
export function newestRequest(history: List<Message>): Message | undefined {
  return foldOver(history, newest);
}

/** The words of a person in a message; absent where there are none. */
export function wordsOf(message: Message): string | undefined {
  const texts = message.parts.flatMap((part) =>
    part.type === 'text' && isAsked(part) ? [part.text] : [],
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** Tests if a part is something that a person asked. */
export function isAsked(part: Part): boolean {
  if (part.type !== 'text') return part.type === 'file' || part.type === 'subtask';
  return !part.synthetic && !part.ignored && part.text.trim() !== '';
}

function addLatest({ user, assistant, finished, pendingMarkers }: Latest, message: Message) {
  if (message.role === 'user') {
    const markers = markerOf(message) === undefined ? pendingMarkers : [...pendingMarkers, message];
    return { user: message, assistant, finished, isAnswered: false, pendingMarkers: markers };
  }
  return message.finish
    ? { user, assistant: message, finished: message, isAnswered: true, pendingMarkers: NO_MARKERS }
    : { user, assistant: message, finished, isAnswered: true, pendingMarkers };
}
