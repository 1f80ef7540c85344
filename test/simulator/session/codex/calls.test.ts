import { describe, expect, it } from 'vitest';
import { call, item, type Line, meta, output, read, user } from './lines.ts';

const partOf = (...lines: readonly Line[]) =>
  read(meta(), user('x'), ...lines).messages[1]?.parts[0];

describe('calls', () => {
  it.each<[string, Line, Line]>([
    ['a function', call('c'), { tool: 'exec_command', state: { input: { cmd: 'c' } } }],
    [
      'free text',
      item('custom_tool_call', { call_id: 'c', name: 'apply_patch', input: '*** x' }),
      { tool: 'apply_patch', state: { input: '*** x' } },
    ],
    [
      'a shell',
      item('local_shell_call', { call_id: 'c', action: { command: ['ls'] } }),
      { tool: 'local_shell', state: { input: { command: ['ls'] } } },
    ],
    [
      'a search for tools',
      item('tool_search_call', { call_id: 'c', arguments: { query: 'q' } }),
      { tool: 'tool_search', state: { input: { query: 'q' } } },
    ],
    [
      'arguments that are no JSON',
      call('c', { arguments: '{"cmd"' }),
      { state: { input: '{"cmd"' } },
    ],
    [
      'a name elsewhere',
      item('function_call', { function: { name: 'f' } }),
      { tool: 'f', state: { input: {} } },
    ],
    ['nothing', item('function_call'), { tool: 'unknown' }],
  ])('of %s wait for their output', (_, each, expected) => {
    const part = {
      type: 'tool',
      ...expected,
      state: { status: 'running', ...(expected['state'] as Line) },
    };
    expect(partOf(each)).toMatchObject(part);
  });

  it.each<[string, Line, Line]>([
    ['a text', output('c', 'Process exited with code 1'), { output: 'Process exited with code 1' }],
    ['pieces', output('c', [{ text: 'a' }, { text: 'b' }]), { output: 'a\nb' }],
    ['one piece', output('c', { type: 'input_text', text: 'a' }), { output: 'a' }],
    [
      'a picture',
      output('c', [{ image_url: 'data:image/png;base64,AA' }]),
      { output: '', attachments: [{ mime: 'image/png' }] },
    ],
    ['something else', output('c', { content: 7 }), { output: '{"content":7}' }],
    ['nothing', output('c', null), { output: '' }],
    [
      'tools',
      item('tool_search_output', { call_id: 'c', tools: [{ name: 'f' }] }),
      { output: '[{"name":"f"}]' },
    ],
    [
      'another kind',
      item('custom_tool_call_output', { call_id: 'c', output: 'a' }),
      { output: 'a' },
    ],
  ])('have %s for an output', (_, each, expected) => {
    expect(partOf(call('c'), each)).toMatchObject({ state: { status: 'completed', ...expected } });
  });

  it.each<[string, Line, Line]>([
    [
      'search',
      item('web_search_call', { action: { query: 'q' } }),
      { input: { query: 'q' }, output: '' },
    ],
    [
      'draw',
      item('image_generation_call', { result: 'AA' }),
      { attachments: [{ url: 'data:image/png;base64,AA' }] },
    ],
  ])('by which the provider itself may %s are complete', (_, each, expected) => {
    expect(partOf(each)).toMatchObject({
      type: 'tool',
      state: { status: 'completed', ...expected },
    });
  });

  it('and outputs count once, and outputs without a call not at all', () => {
    const { messages, report } = read(
      meta(),
      user('x'),
      call('c'),
      call('c'),
      output('c', 'first'),
      output('c', 'second'),
      output('lost'),
      item('function_call_output', { output: 'whose?' }),
    );
    expect(messages[1]?.parts).toMatchObject([{ callId: 'c', state: { output: 'first' } }]);
    expect(report.dropped).toEqual({
      'repeated tool call': 1,
      'repeated tool result': 1,
      'tool result without a call': 2,
    });
  });
});
