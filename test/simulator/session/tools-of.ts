import type { ToolPart } from '../../../src/engine/index.ts';
import type { Session } from '../../../src/simulator/session/session.ts';

/** The calls of a session, in order. */
export function toolsOf({ messages }: Session): readonly ToolPart[] {
  return messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool');
}

/** Usage of each step; `undefined` where none was recorded. */
export function usagesOf({ messages }: Session): readonly unknown[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? [message.usage] : []));
}
