import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { toolsOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const said = (type: 'user' | 'assistant', text: string) => ({
  type,
  message: { role: type, content: [{ type: 'text', text }] },
  session_id: 'kettle',
});
const call = (subtype: 'started' | 'completed', id: string, tool: Fields) => ({
  type: 'tool_call',
  subtype,
  call_id: id,
  tool_call: tool,
});
const shell = (id: string, result?: Fields) =>
  call(result === undefined ? 'started' : 'completed', id, {
    shellToolCall: { args: { command: id }, ...(result && { result }) },
  });
const init = { type: 'system', subtype: 'init', apiKeySource: 'login', session_id: 'kettle' };

const read = (...events: readonly Fields[]) =>
  readSessions('x', events.map((event) => `${JSON.stringify(event)}\n`).join(''))[0]!;

describe('a stream of Cursor', () => {
  it('has a step up to the last result of its calls', () => {
    const session = read(
      said('user', 'x'),
      said('assistant', 'a'),
      shell('c1'),
      shell('c2'),
      shell('c1', { success: { stdout: 'one', stderr: '', exitCode: 0 } }),
      shell('c2', { failure: { stdout: '', stderr: 'two', exitCode: 1 } }),
      said('assistant', 'b'),
    );
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: a c1:completed c2:error',
      'assistant: b',
    ]);
    expect(toolsOf(session)).toMatchObject([
      { tool: 'shell', state: { input: { command: 'c1' }, output: 'one' } },
      { state: { error: 'two' } },
    ]);
  });

  it('in small pieces is read once', () => {
    const thought = (text: string) => ({ type: 'thinking', subtype: 'delta', text });
    const session = read(
      init,
      said('user', 'x'),
      thought('H'),
      thought('m.'),
      { type: 'thinking', subtype: 'completed' },
      said('assistant', 'It '),
      said('assistant', 'boils.'),
      said('assistant', 'It boils.'),
    );
    expect(session.messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'It boils.' },
    ]);
    expect(session.report.dropped).toEqual({ 'repeated text': 1 });
  });

  it('tells calls of functions by their names, and results without texts as JSON', () => {
    const tool = { function: { name: 'boil', arguments: '{"a":1}' }, result: {} };
    const edit = { editToolCall: { args: {}, result: { success: { linesAdded: 1 } } } };
    const session = read(
      said('user', 'x'),
      call('started', 'c', tool),
      call('completed', 'd', edit),
    );
    expect(toolsOf(session)).toMatchObject([
      { tool: 'boil', state: { status: 'running', input: { a: 1 } } },
      { tool: 'edit', state: { output: '{"linesAdded":1}' } },
    ]);
  });

  it('counts what it does not know', () => {
    const session = read(init, said('user', 'x'), { type: 'dance' }, call('started', '', {}));
    expect(session.report.dropped).toEqual({
      'unknown record "dance"': 1,
      'tool call without an id': 1,
    });
  });
});
