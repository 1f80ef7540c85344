import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { toolsOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const header = { id: 'kettle', working_dir: '/kitchen', description: 'Tea', message_count: 3 };
const message = (role: string, content: readonly unknown[], over: Fields = {}) => ({
  role,
  created: 1_700_000_000,
  content,
  ...over,
});
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string) => ({
  type: 'toolRequest',
  id,
  toolCall: { status: 'success', value: { name: 'developer__shell', arguments: { id } } },
});
const result = (id: string, toolResult: Fields) => ({ type: 'toolResponse', id, toolResult });
const hot = { status: 'success', value: [text('hot')] };

const lines = (...records: readonly Fields[]) =>
  records.map((each) => `${JSON.stringify(each)}\n`).join('');
const read = (...records: readonly Fields[]) => readSessions('x', lines(...records))[0]!;

describeSessionFormat({
  name: 'goose',
  text: lines(
    header,
    message('user', [text('Boil it.')]),
    message('assistant', [text('So be it.'), call('c')]),
    message('user', [result('c', hot)]),
  ),
});

describe('a session of Goose', () => {
  const messages = [
    message('user', [text('x')]),
    message('assistant', [{ type: 'thinking', thinking: 'Hm.' }, call('a'), call('b'), call('c')]),
    message('user', [
      result('a', hot),
      result('b', { status: 'success', value: { content: [text('cold')], isError: true } }),
      result('c', { status: 'error', error: 'none' }),
    ]),
    message('assistant', [text('Done.')]),
  ];

  it.each<[string, string]>([
    ['line by line', lines(header, ...messages)],
    ['in an export', JSON.stringify({ ...header, conversation: messages })],
  ])('%s has calls and results', (_, written) => {
    const session = readSessions('x', written)[0]!;
    expect(toolsOf(session)).toMatchObject([
      { tool: 'developer__shell', state: { input: { id: 'a' }, output: 'hot' } },
      { state: { status: 'error', error: 'cold' } },
      { state: { status: 'error', error: 'none' } },
    ]);
    expect(outline(session).length).toBe(3);
    expect(session).toMatchObject({ sessionId: 'kettle', report: { dropped: {} } });
    expect(session.messages[1]?.createdAt).toBe(1_700_000_000_000);
  });

  it('tells compactions by what only the model sees', () => {
    const metadata = { userVisible: false, agentVisible: true };
    const session = read(
      ...messages,
      message('user', [text('A cup.')], { metadata }),
      message('assistant', [text('I go on.')], { metadata }),
      message('assistant', [text('b')]),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 3, summary: 'A cup.' },
    ]);
    expect(outline(session).at(-1)).toBe('assistant: b');
  });

  it('takes model and window from the head of an export', () => {
    const model_config = { model_name: 'kettle', context_limit: 128_000 };
    const told = { id: 's', provider_name: 'tea', model_config, conversation: messages };
    const [session] = readSessions('kettle.json', JSON.stringify(told));
    expect(session).toMatchObject({
      model: 'tea/kettle',
      recordedWindows: [{ messageIndex: 0, contextTokens: 128_000 }],
    });
  });

  it('counts what it does not know', () => {
    const session = read(
      message('user', [text('x'), { type: 'dance' }]),
      message('assistant', [call('a')]),
      message('user', [result('lost', hot)]),
      { role: 'oracle' },
    );
    expect(session.report.dropped).toEqual({
      'unknown content part': 1,
      'tool result without a call': 1,
      'message without a role': 1,
    });
  });
});
