import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';

/** A line of a stream, or a piece of one. */
export type Line = Readonly<Record<string, unknown>>;

/** The text that replaces a summarised history. */
export const SUMMARY =
  'This session is being continued from a previous conversation. They want tea.';
/** The counts of a step. */
export const usage = (input: number, output: number) => ({
  input_tokens: input,
  cache_read_input_tokens: 50,
  cache_creation_input_tokens: 7,
  cache_creation: { ephemeral_5m_input_tokens: 7 },
  output_tokens: output,
});
/** The start of a run. */
export const init = (over: Line = {}): Line => ({
  type: 'system',
  subtype: 'init',
  session_id: 'kettle',
  model: 'claude-kettle-1',
  ...over,
});
/** A piece of a step. */
export const step = (id: string, block: Line, over: Line = {}): Line => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'claude-kettle-1', content: [block], ...over },
});
/** A message that the model is shown. */
export const user = (content: unknown, over: Line = {}): Line => ({
  type: 'user',
  message: { role: 'user', content },
  ...over,
});

/** A text. */
export const say = (text: string): Line => ({ type: 'text', text });
/** A status record. */
export const status = (value: string | null): Line => ({
  type: 'system',
  subtype: 'status',
  status: value,
  session_id: 'kettle',
});
/** Where a compaction happened. */
export const boundary: Line = {
  type: 'system',
  subtype: 'compact_boundary',
  session_id: 'kettle',
  compact_metadata: { trigger: 'auto', pre_tokens: 900 },
};
/** The end of a run. */
export const end: Line = {
  type: 'result',
  subtype: 'success',
  num_turns: 2,
  session_id: 'kettle',
  usage: usage(1_000, 900),
};

/** Lines as a file. */
export const toText = (lines: readonly Line[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');
/** The session of some lines. */
export const read = (...lines: readonly Line[]): Session =>
  readSessions('kettle.jsonl', toText(lines))[0]!;
