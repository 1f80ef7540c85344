import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const thread = { type: 'thread.started', thread_id: 'kettle' };
const turn = { type: 'turn.started' };
const done = (input: number, cached: number, output: number) => ({
  type: 'turn.completed',
  usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output },
});
const item = (event: string, id: string, type: string, over: Fields = {}) => ({
  type: `item.${event}`,
  item: { id, type, ...over },
});
const say = (text: string) => item('completed', text, 'agent_message', { text });

const read = (...events: readonly Fields[]) =>
  readSessions('x', [thread, ...events].map((event) => `${JSON.stringify(event)}\n`).join(''))[0]!;

describe('a stream of codex exec', () => {
  it('has a step up to the last result of its calls', () => {
    const command = { command: 'ls', aggregated_output: 'a.py' };
    const session = read(
      turn,
      say('So.'),
      item('started', 'c1', 'command_execution', command),
      item('started', 'c2', 'mcp_tool_call', { server: 'tea', tool: 'boil', arguments: { a: 1 } }),
      item('completed', 'c1', 'command_execution', { ...command, status: 'failed' }),
      item('completed', 'c2', 'mcp_tool_call', { result: { content: [{ text: 'hot' }] } }),
      say('Done.'),
    );
    expect(outline(session)).toEqual([
      'user:',
      'assistant: So. c1:error c2:completed',
      'assistant: Done.',
    ]);
    expect(toolsOf(session)).toMatchObject([
      { tool: 'shell', state: { input: { command: 'ls' }, error: 'a.py' } },
      { tool: 'tea__boil', state: { input: { a: 1 }, output: 'hot' } },
    ]);
  });

  it('has the usage of a turn by how the count of the thread grew', () => {
    const session = read(turn, say('a'), done(900, 400, 20), turn, say('b'), done(2000, 1200, 50));
    const kinds = { reasoning: 0, cacheWrite: 0 };
    expect(usagesOf(session)).toEqual([
      { ...kinds, input: 500, cacheRead: 400, output: 20 },
      { ...kinds, input: 300, cacheRead: 800, output: 30 },
    ]);
    expect(session.report.repaired).toEqual({ 'prompt that was not recorded': 2 });
  });

  it('has a call for each change of a plan', () => {
    const plan = (...items: readonly string[]) => ({ items });
    const session = read(
      turn,
      item('started', 'p', 'todo_list', plan('a')),
      item('updated', 'p', 'todo_list', plan('a', 'b')),
      item('completed', 'p', 'todo_list', plan('a', 'b')),
    );
    expect(toolsOf(session)).toMatchObject([
      { tool: 'update_plan', state: { input: { items: ['a'] } } },
      { tool: 'update_plan', state: { input: { items: ['a', 'b'] } } },
    ]);
  });

  it('counts what it does not know', () => {
    const session = read(turn, say('a'), { type: 'dance' }, item('completed', 'd', 'dance'));
    expect(session.report.dropped).toEqual({ 'unknown record "dance"': 2 });
  });
});
