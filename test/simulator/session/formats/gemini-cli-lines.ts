import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';

/** Any object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** The first line of a file. */
export const header = {
  sessionId: 'kettle',
  projectHash: 'beef',
  startTime: '2026-01-02T03:04:05.000Z',
};
/** The counts of a step. */
export const tokens = (over: Json = {}) => ({
  tokens: { input: 100, output: 9, cached: 60, thoughts: 5, tool: 0, total: 114, ...over },
});
/** A prompt. */
export const user = (id: string, content: unknown): Json => ({ id, type: 'user', content });
/** A step of the model. */
export const step = (id: string, content: unknown = '', over: Json = {}): Json => ({
  id,
  type: 'gemini',
  content,
  model: 'gemini-kettle',
  ...over,
});
/** A call with what came of it. */
export const call = (id: string, response: unknown, over: Json = {}): Json => ({
  id,
  name: 'read_file',
  args: { path: id },
  status: 'success',
  result: [{ functionResponse: { id, name: 'read_file', response } }],
  resultDisplay: 'for the screen',
  ...over,
});
/** The calls of a step. */
export const calling = (...toolCalls: readonly Json[]) => ({ toolCalls });

/** A chat with a call that failed and a notice. */
export const chat = [
  { ...user('m1', 'Is the kettle on?'), timestamp: '2026-01-02T03:04:06.000Z' },
  step('m2', 'I will look.', {
    thoughts: [{ subject: 'Kettle', description: 'Look at it.' }],
    ...tokens(),
    ...calling(call('c1', { output: 'cup' }), call('c2', { error: 'no lid' }, { status: 'error' })),
  }),
  { id: 'm3', type: 'info', content: 'Update available' },
  step('m4', 'It is off.', tokens({ input: 200, cached: 0 })),
];

/** Messages as a document. */
export const toDocument = (...messages: readonly Json[]) =>
  JSON.stringify({ ...header, messages }, null, 2);
/** Lines as a log. */
export const toLines = (...lines: readonly Json[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');
/** The session of a document. */
export const read = (...messages: readonly Json[]): Session =>
  readSessions('k', toDocument(...messages))[0]!;
