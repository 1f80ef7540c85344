import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';

type Fields = Readonly<Record<string, unknown>>;

const message = (role: string, content: unknown, over: Fields = {}): Fields => ({
  role,
  content,
  agent: 'main',
  ...over,
});
const system = message('system', 'You fix kettles.');
const task = message('user', 'The kettle whistles too late.', { message_type: 'observation' });
const demo = (role: string, content: string) => message(role, content, { is_demo: true });
const run = (thought: string, action: string) =>
  message('assistant', `${thought}\n\`\`\`\n${action}\n\`\`\``, { thought, action });
const output = (content: string, over?: Fields) => message('user', content, over);
const call = (id: string, args = '{"path":"a"}') =>
  message('assistant', 'I look.', {
    thought: 'I look.',
    action: 'open a',
    tool_calls: [{ id, type: 'function', function: { name: 'open', arguments: args } }],
  });
const result = (id: string, content: unknown) =>
  message('tool', content, { tool_call_ids: [id], message_type: 'observation' });

function trajectory(...history: readonly Fields[]): string {
  const steps = [{ action: 'ls', observation: 'o', messages: history, query: history }];
  const stats = { tokens_sent: 9, tokens_received: 9, instance_cost: 1.5 };
  const info = { model_stats: stats, exit_status: 'submitted' };
  return JSON.stringify({ environment: 'kitchen', trajectory: steps, history, info });
}

const read = (...history: readonly Fields[]): Session =>
  readSessions('kettle.traj', trajectory(...history))[0]!;

describeSessionFormat({
  name: 'swe-agent',
  text: trajectory(
    system,
    task,
    run('Look.', 'ls\n'),
    output('cup'),
    call('c1'),
    result('c1', 'x'),
  ),
});

describe('a trajectory', () => {
  it('keeps the system prompt apart and holds nothing of what its steps repeat', () => {
    const session = read(system, task, run('Look.', 'ls'), output('cup'));
    expect(session.system).toBe('You fix kettles.');
    expect(session.ownCostUsd).toBe(1.5);
    expect(outline(session)).toEqual([
      'user: The kettle whistles too late.',
      'assistant: Look. message-2-2-call:completed',
    ]);
  });

  it('tells no usage of a step, no model and no time', () => {
    const session = read(task, run('Look.', 'ls'));
    expect(usagesOf(session)).toEqual([undefined]);
    expect(session).not.toHaveProperty('model');
    expect(session).toMatchObject({ isOutputFinal: false, isPartial: false });
  });

  it('takes what a user brings for the output of the command that waits', () => {
    const session = read(task, run('Look.', 'ls\n'), output('cup'));
    expect(toolsOf(session)).toMatchObject([
      { tool: 'bash', state: { status: 'completed', input: { command: 'ls\n' }, output: 'cup' } },
    ]);
  });

  it('keeps a command running that nothing came of', () => {
    expect(toolsOf(read(task, run('Bye.', 'submit')))).toMatchObject([
      { state: { status: 'running' } },
    ]);
  });

  it('pairs calls and results by id, one id used twice included', () => {
    const pictures = [{ type: 'text', text: 'two' }];
    const session = read(task, call('c'), result('c', 'one'), call('c'), result('c', pictures));
    expect(toolsOf(session)).toMatchObject([
      { callId: 'c', tool: 'open', state: { input: { path: 'a' }, output: 'one' } },
      { callId: 'c-2', state: { output: 'two' } },
    ]);
    expect(session.messages[1]?.parts[0]).toMatchObject({ text: 'I look.' });
  });

  it('makes no steps and no turns of demonstrations', () => {
    const session = read(demo('user', 'Example:'), demo('assistant', 'ls'), task, run('Go.', 'ls'));
    expect(outline(session)).toEqual([
      'user: (Example:) (ls) The kettle whistles too late.',
      'assistant: Go. message-2-2-call:running',
    ]);
  });

  it('opens no turn with a complaint about an answer without a command', () => {
    const session = read(
      task,
      message('assistant', 'Hm.'),
      output('No command!'),
      run('Ah.', 'ls'),
    );
    expect(outline(session)).toEqual([
      'user: The kettle whistles too late.',
      'assistant: Hm. (No command!)',
      'assistant: Ah. message-3-2-call:running',
    ]);
  });

  it('keeps what the model thought', () => {
    const blocks = [{ type: 'thinking', thinking: 'Steam.' }, { type: 'signature' }];
    const session = read(task, message('assistant', 'Hm.', { thinking_blocks: blocks }));
    expect(session.messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Steam.' },
      { type: 'text', text: 'Hm.' },
    ]);
  });

  it('counts what it leaves out', () => {
    const other = message('assistant', 'x', { agent: 'critic' });
    const session = read(task, other, { role: 'oracle' }, result('lost', 'x'), call('c', '{"a'));
    expect(session.report).toEqual({
      dropped: {
        'message of another agent': 1,
        'message without a role': 1,
        'tool result without a call': 1,
      },
      repaired: { 'tool arguments that are no JSON': 1 },
    });
  });

  it('is refused without messages', () => {
    expect(() => read(system)).toThrow(/got a trajectory without messages\.$/);
  });
});
