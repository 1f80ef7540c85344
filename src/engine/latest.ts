import { type AssistantMessage, type Message, markerOf, type UserMessage } from './message.ts';

/** The newest messages of each kind in a view, and the markers still to be worked off. */
export interface Latest {
  readonly user?: UserMessage;
  readonly assistant?: AssistantMessage;
  /** The newest assistant message that has a `finish`. */
  readonly finished?: AssistantMessage;
  /** Whether the newest assistant message came after the newest user message. */
  readonly isAnswered: boolean;
  /** Markers newer than `finished`, oldest first. */
  readonly pendingMarkers: readonly UserMessage[];
}
/** Reads off a view what the loop decides by. Source: OpenCode's prompt loop, 1.0.69 and later. */
export function readLatest(view: readonly Message[]): Latest {
  const userIndex = view.findLastIndex((message) => message.role === 'user');
  const assistantIndex = view.findLastIndex((message) => message.role === 'assistant');
  const finishedIndex = view.findLastIndex(
    (message) => message.role === 'assistant' && Boolean(message.finish),
  );
  return {
    ...pick('user', view[userIndex]),
    ...pick('assistant', view[assistantIndex]),
    ...pick('finished', view[finishedIndex]),
    isAnswered: assistantIndex > userIndex,
    pendingMarkers: view.slice(finishedIndex + 1).filter(isMarker),
  };
}

function isMarker(message: Message): message is UserMessage {
  return markerOf(message) !== undefined;
}

/** Leaves a key out where there is no message, so that it stays absent rather than undefined. */
function pick(key: keyof Latest, message: Message | undefined): Partial<Latest> {
  return message === undefined ? {} : { [key]: message };
}
