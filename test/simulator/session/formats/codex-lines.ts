import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';

/** A line of a rollout, or a piece of one. */
export type Line = Readonly<Record<string, unknown>>;

/** A line before it gets its time. */
export function line(type: string, payload: Line): Line {
  return { type, payload };
}

/** Something that the model saw or wrote. */
export function item(type: string, over: Line = {}): Line {
  return line('response_item', { type, ...over });
}

/** Something that the screen showed. */
export function event(type: string, over: Line = {}): Line {
  return line('event_msg', { type, ...over });
}

/** A message of somebody, in as many pieces as there are texts. */
export function message(role: string, ...texts: readonly string[]): Line {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return item('message', { role, content: texts.map((text) => ({ type, text })) });
}

/** A prompt. */
export const user = (...texts: readonly string[]) => message('user', ...texts);

/** An answer of the model. */
export const say = (...texts: readonly string[]) => message('assistant', ...texts);

/** A call of a shell. */
export function call(id: string, over: Line = {}): Line {
  const input = { name: 'exec_command', arguments: `{"cmd":"${id}"}` };
  return item('function_call', { ...input, call_id: id, ...over });
}

/** The output of a call. */
export function output(id: string, text: unknown = `output of ${id}`): Line {
  return item('function_call_output', { call_id: id, output: text });
}

/** The line that a rollout begins with. */
export function meta(over: Line = {}): Line {
  const payload = { id: 'kettle', model_provider: 'openai', cli_version: '0.125.0', ...over };
  return line('session_meta', payload);
}

/** The lines as they stand in a file. */
export function toText(lines: readonly Line[]): string {
  const timed = lines.map((each, index) => ({
    timestamp: `2026-01-02T03:04:${String(index).padStart(2, '0')}.000Z`,
    ...each,
  }));
  return timed.map((each) => `${JSON.stringify(each)}\n`).join('');
}

/** The session of a rollout. */
export function read(...lines: readonly Line[]): Session {
  return readSessions('kettle.jsonl', toText(lines))[0]!;
}
