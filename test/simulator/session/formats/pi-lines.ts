import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';

/** A line before it is written down. */
export type Line = Readonly<Record<string, unknown>>;

/** The line that a session begins with. */
export const header = { type: 'session', id: 'kettle', cwd: '/kitchen' };
/** A message as one line. */
export const entry = (message: Line, over: Line = {}): Line => ({
  type: 'message',
  message,
  ...over,
});
/** A prompt. */
export const user = (content: unknown, over?: Line) => entry({ role: 'user', content }, over);
/** A step that only says something. */
export const say = (content: string, over: Line = {}, at?: Line) =>
  entry({ role: 'assistant', content: [{ type: 'text', text: content }], ...over }, at);
/** A step that calls a tool under each of these ids. */
export const calling = (...ids: readonly string[]) =>
  entry({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: id } })),
  });
/** A tool result. */
export const result = (toolCallId: string, content: unknown = `output of ${toolCallId}`) =>
  entry({ role: 'toolResult', toolCallId, toolName: 'read', content });
/** The count of a step. */
export const usage = (over: Line) => ({
  usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, ...over },
});

/** A session of these lines. */
export function read(...lines: readonly Line[]): Session {
  const all = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`);
  return readSessions('kettle.jsonl', all.join(''))[0]!;
}

/** Where an entry stands in a tree. */
export const at = (id: string, parentId: string | null) => ({ id, parentId });
/** The calls of a session with their results. */
export const toolsOf = ({ messages }: Session) =>
  messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool');
/** The steps of a session. */
export const stepsOf = ({ messages }: Session) =>
  messages.filter(({ role }) => role === 'assistant');
