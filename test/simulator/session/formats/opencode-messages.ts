import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';

/** Any object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

let lastTime = 0;

/** A message, later than any other. */
export function message(role: string, info: Fields, parts: readonly Fields[]): Fields {
  lastTime += 10;
  return { info: { role, time: { created: lastTime }, ...info }, parts };
}

/** The time of the newest message. */
export const newestTime = () => lastTime;
/** A part with text. */
export const text = (value: string, over: Fields = {}) => ({ type: 'text', text: value, ...over });
/** A prompt. */
export const user = (id: string, ...parts: readonly Fields[]) => message('user', { id }, parts);
/** A step of the model. */
export const step = (id: string, info: Fields, ...parts: readonly Fields[]) =>
  message(
    'assistant',
    { id, providerID: 'acme', modelID: 'm-1', finish: 'tool-calls', ...info },
    parts,
  );
/** A part with a call. */
export const tool = (callID: string, state: Fields) => ({
  type: 'tool',
  tool: 'bash',
  callID,
  state,
});
/** A call that is complete. */
export const done = (over: Fields = {}) => ({
  status: 'completed',
  input: {},
  output: 'ok',
  ...over,
});

/** The counts of a step. */
export const tokens = (input: number, output: number, over: Fields = {}) => ({
  tokens: { input, output, reasoning: 2, cache: { read: 100, write: 30 }, ...over },
});

/** An export of these messages. */
export function exportOf(messages: readonly Fields[], info: Fields = {}): string {
  return JSON.stringify({ info: { id: 'ses_1', ...info }, messages });
}

/** The session of an export. */
export function read(...messages: readonly Fields[]): Session {
  return readSessions('kettle.json', exportOf(messages))[0]!;
}
