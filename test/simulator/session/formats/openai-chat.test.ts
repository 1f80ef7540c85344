import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const system = (content: string) => ({ role: 'system', content });
const user = (content: unknown) => ({ role: 'user', content });
const answer = (content: unknown, over: Fields = {}) => ({ role: 'assistant', content, ...over });
const calling = (...ids: readonly string[]) =>
  answer(null, {
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: `run_${id}`, arguments: '{"a":1}' },
    })),
  });
const result = (id: string, content: unknown = `output of ${id}`) => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

const readAll = (document: unknown) => readSessions('kettle.json', JSON.stringify(document));
const read = (...messages: readonly Fields[]): Session => readAll(messages)[0]!;

const linesOf = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));
const readLines = (...lines: readonly string[]) => readSessions('kettle.jsonl', lines.join('\n'));

function toolsOf({ messages }: Session) {
  return messages.flatMap(({ parts }) => parts).filter((part) => part.type === 'tool');
}

describe('documents', () => {
  const chat = [user('x'), answer('a')];

  it.each<[string, unknown, readonly string[]]>([
    ['a list of messages', chat, ['kettle.json']],
    ['an object with messages', { model: 'gpt', messages: chat }, ['kettle.json']],
    ['a list of one run', [{ task_id: 7, traj: chat }], ['kettle.json']],
    ['a list of runs', [{ traj: chat }, { messages: chat }], ['kettle.json#0', 'kettle.json#1']],
    ['a list with empty runs', [{ traj: [] }, { traj: chat }], ['kettle.json#1']],
  ])('that are %s give sessions', (_, document, names) => {
    const sessions = readAll(document);
    expect(sessions.map(({ name }) => name)).toEqual(names);
    for (const session of sessions) expect(outline(session)).toEqual(['user: x', 'assistant: a']);
  });

  it('with runs that cannot be read say how many', () => {
    const [session] = readAll([{ traj: chat }, { traj: 'lost' }, 7]);
    expect(session?.report.dropped).toEqual({ 'run without messages': 2 });
  });

  it('that hold a system prompt only are refused', () => {
    expect(() => read(system('x'))).toThrow(/got chats without messages\.$/);
  });
});

describe('lines', () => {
  const chat = [system('Be brief.'), user('x'), answer('a')];

  it.each<[string, readonly string[], readonly string[]]>([
    ['a message each', linesOf(chat), ['kettle.jsonl']],
    [
      'a message each, with Windows ends',
      linesOf(chat).map((line) => `${line}\r`),
      ['kettle.jsonl'],
    ],
    ['a conversation', linesOf([{ messages: chat }]), ['kettle.jsonl']],
    [
      'a conversation each',
      linesOf([{ messages: chat }, { id: 7, messages: chat }]),
      ['kettle.jsonl#0', 'kettle.jsonl#1'],
    ],
  ])('that have %s give sessions', (_, lines, names) => {
    const sessions = readLines(...lines);
    expect(sessions.map(({ name }) => name)).toEqual(names);
    for (const session of sessions) {
      expect(session.system).toBe('Be brief.');
      expect(outline(session)).toEqual(['user: x', 'assistant: a']);
    }
  });

  it('that are broken or on the line of another are told', () => {
    const [, ...rest] = linesOf(chat);
    const [session] = readLines('{"role":"user","con', rest.join(''), '{"role":');
    expect(outline(session!)).toEqual(['user: x', 'assistant: a']);
    expect(session!.report.dropped).toEqual({ 'broken line': 2 });
    expect(session!.report.repaired).toEqual({ 'record on the line of another': 1 });
  });

  it.each<[string, readonly unknown[]]>([
    ['another record first', [{ type: 'session', id: 's' }, { messages: chat }]],
    ['events among the messages', [...chat, { type: 'function_result', result: 'x' }]],
    ['times of another kind', chat.map((message) => ({ ...message, ts: 1 }))],
    ['messages inside of records', chat.map((message) => ({ type: 'message', message }))],
  ])('that have %s are of no chat', (_, values) => {
    expect(() => readLines(...linesOf(values))).toThrow('to be a recorded session');
  });
});

describe('messages', () => {
  it('of the system are kept apart', () => {
    const session = read(system('Be brief.'), user('x'), {
      role: 'developer',
      content: 'Be kind.',
    });
    expect(outline(session)).toEqual(['user: x']);
    expect(session.system).toBe('Be brief.\n\nBe kind.');
  });

  it('have no usage, no time and no model', () => {
    const session = read(user('x'), answer('a'));
    expect(session).not.toHaveProperty('model');
    expect(session).not.toHaveProperty('system');
    expect(session.messages[1]).toEqual({
      id: 'message-2',
      role: 'assistant',
      createdAt: 0,
      parentId: 'message-1',
      finish: 'stop',
      parts: [{ type: 'text', id: 'message-2-1', text: 'a' }],
    });
  });

  it.each<[string, unknown, readonly Fields[]]>([
    ['nothing', null, []],
    ['an empty text', '', []],
    [
      'texts',
      [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'y' },
      ],
      [{ text: 'x' }, { text: 'y' }],
    ],
    [
      'an image',
      [{ type: 'image_url', image_url: { url: 'data:image/gif;base64,A' } }],
      [{ mime: 'image/gif' }],
    ],
    [
      'a linked image',
      [{ type: 'image_url', image_url: { url: 'https://x/a' } }],
      [{ mime: 'image/*' }],
    ],
    [
      'a document',
      [{ type: 'file', file: { file_data: 'data:application/pdf;base64,A', filename: 'a.pdf' } }],
      [{ mime: 'application/pdf', filename: 'a.pdf' }],
    ],
    [
      'a sound',
      [{ type: 'input_audio', input_audio: { data: 'A', format: 'wav' } }],
      [{ mime: 'audio/wav', url: 'data:audio/wav;base64,A' }],
    ],
  ])('may hold %s', (_, content, expected) => {
    const [message] = read(user(content), answer('a')).messages;
    expect(message?.parts).toHaveLength(expected.length);
    expect(message?.parts).toMatchObject(expected);
  });

  it('may hold parts of an unknown type, which are counted', () => {
    const unknown = [{ type: 'video_url', video_url: { url: 'https://x/a' } }, 7];
    const session = read(
      user([{ type: 'text', text: 'x' }, ...unknown]),
      calling('c'),
      result('c', [{ type: 'text', text: 'hot' }, { type: 'resource' }]),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: c:completed']);
    expect(session.report.dropped).toEqual({ 'unknown content part': 3 });
  });

  it('may tell what the model thought, and that it refused', () => {
    const { messages } = read(
      user('x'),
      answer(null, { reasoning_content: 'Hm.', refusal: 'No.' }),
    );
    expect(messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'No.' },
    ]);
  });
});

describe('tools', () => {
  it('pair calls with results by id, in whatever order they came', () => {
    const session = read(
      user('x'),
      calling('c1', 'c2', 'c3'),
      result('c2'),
      result('c1', [{ type: 'text', text: 'b' }]),
    );
    expect(toolsOf(session)).toMatchObject([
      {
        callId: 'c1',
        tool: 'run_c1',
        state: { status: 'completed', input: { a: 1 }, output: 'b' },
      },
      { callId: 'c2', state: { status: 'completed', output: 'output of c2' } },
      { callId: 'c3', state: { status: 'running', input: { a: 1 } } },
    ]);
  });

  it('return images beside their texts', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/gif;base64,A' } };
    const session = read(
      user('x'),
      calling('c'),
      result('c', [{ type: 'text', text: 'y' }, image]),
    );
    expect(toolsOf(session)).toMatchObject([
      { state: { output: 'y', attachments: [{ mime: 'image/gif' }] } },
    ]);
  });

  it('pair calls of the older kind by name', () => {
    const old = answer(null, { function_call: { name: 'boil', arguments: '{}' } });
    const lost = { role: 'function', name: 'other', content: 'no' };
    const found = { role: 'function', name: 'boil', content: 'hot' };
    const session = read(user('x'), old, lost, found);
    expect(toolsOf(session)).toMatchObject([
      { callId: 'message-2-1-call', tool: 'boil', state: { status: 'completed', output: 'hot' } },
    ]);
    expect(session.report.dropped).toEqual({ 'tool result without a call': 1 });
  });

  it('keep arguments that are no JSON as they are', () => {
    const broken = { id: 'c', function: { name: 'boil', arguments: '{"a":' } };
    const session = read(user('x'), answer(null, { tool_calls: [broken] }));
    expect(toolsOf(session)).toMatchObject([{ state: { input: '{"a":' } }]);
    expect(session.report.repaired).toEqual({ 'tool arguments that are no JSON': 1 });
  });
});
