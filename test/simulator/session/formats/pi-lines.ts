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
