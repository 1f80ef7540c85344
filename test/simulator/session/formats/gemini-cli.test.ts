import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import { sessionFormats } from '../../../../src/simulator/session/formats.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { findGrowingCopies, toCopyCandidate } from '../../../../src/simulator/session/repeats.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';
import {
  call,
  calling,
  chat,
  header,
  type Json,
  read,
  step,
  toDocument,
  tokens,
  toLines,
  user,
} from './gemini-cli-lines.ts';

const log = [
  { ...header, kind: 'main' },
  chat[0]!,
  { $set: { lastUpdated: 'now' } },
  step('m2', 'I will look.'),
  chat[1]!,
  chat[2]!,
  chat[3]!,
];

describeSessionFormat({ name: 'gemini-cli', text: toDocument(...chat) });
describeSessionFormat({ name: 'gemini-cli', text: toLines(...log) });

describe.each([
  ['a document', toDocument(...chat)],
  ['a log', toLines(...log)],
])('a chat in %s', (_, text) => {
  const session = readSessions('full.jsonl', text)[0]!;

  it('holds what was thought, said and called, but no notices', () => {
    expect(outline(session)).toEqual([
      'user: Is the kettle on?',
      'assistant: reasoning I will look. c1:completed c2:error',
      'assistant: It is off.',
    ]);
    expect(session.messages.map(({ id }) => id)).toEqual(['m1', 'm2', 'm4']);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
  });

  it('tells its id and model, and that outputs are final', () => {
    expect(session).toMatchObject({
      name: 'full.jsonl',
      sessionId: 'kettle',
      model: 'google/gemini-kettle',
      isSide: false,
      isPartial: false,
      isOutputFinal: true,
      recordedCompactions: [],
    });
    expect(session.messages[0]?.createdAt).toBe(Date.parse('2026-01-02T03:04:06.000Z'));
  });

  it('has the count of each step, with what is cached and what was thought apart', () => {
    expect(session.messages.map((each) => 'usage' in each && each.usage)).toEqual([
      false,
      { input: 40, output: 9, reasoning: 5, cacheRead: 60, cacheWrite: 0 },
      { input: 200, output: 9, reasoning: 5, cacheRead: 0, cacheWrite: 0 },
    ]);
  });
});

describe('counts', () => {
  it.each<[string, Json, unknown]>([
    ['of nothing are unknown', tokens({ input: 0, cached: 0, output: 0 }), undefined],
    ['may be missing', {}, undefined],
    ['may be empty', { tokens: null }, undefined],
    ['hold what tools added', tokens({ tool: 30 }), 70],
  ])('%s', (_, over, input) => {
    const [, answer] = read(user('m1', 'x'), step('m2', 'a', over)).messages;
    expect(answer?.role === 'assistant' && answer.usage?.input).toBe(input);
  });
});

describe('messages', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['a text', 'x', ['x']],
    ['parts', [{ text: 'x' }, { text: 'y' }], ['x', 'y']],
    ['one part', { text: 'x' }, ['x']],
    ['texts', ['x', 'y'], ['x', 'y']],
    [
      'a picture',
      [{ inlineData: { mimeType: 'image/png', data: 'AA' } }],
      ['data:image/png;base64,AA'],
    ],
    ['a file elsewhere', [{ fileData: { fileUri: 'https://kettle' } }], ['https://kettle']],
  ])('may hold %s', (_, content, expected) => {
    const [prompt] = read(user('m1', content), step('m2', 'a')).messages;
    expect(
      prompt?.parts.map((part) => ('url' in part ? part.url : 'text' in part && part.text)),
    ).toEqual(expected);
  });

  it('may have thoughts among their parts', () => {
    const thought = [{ text: 'Look.', thought: true }, { text: 'a' }];
    expect(outline(read(user('m1', 'x'), step('m2', thought)))[1]).toBe('assistant: reasoning a');
  });

  it('of early documents are turns', () => {
    const document = {
      history: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 'read_file', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c', response: { output: 'o' } } }] },
        { role: 'gemini', parts: [{ text: 'a' }] },
      ],
    };
    const [session] = readSessions('k', JSON.stringify(document));
    expect(outline(session!)).toEqual(['user: x', 'assistant: c:completed', 'assistant: a']);
  });

  it('of unknown types are counted by type', () => {
    const { report } = read(
      user('m1', 'x'),
      { id: 'm2', type: 'oracle' },
      { id: 'm3' },
      step('m4', 'a'),
    );
    expect(report.dropped).toEqual({ 'unknown record "oracle"': 1, 'unknown record': 1 });
  });

  it('that are none are counted, and so are parts of unknown kinds', () => {
    const { report } = read(user('m1', ['x', { video: 1 }]), 7 as unknown as Json, step('m2', 'a'));
    expect(report.dropped).toEqual({ 'message that is no object': 1, 'unknown content block': 1 });
  });

  it('of a program open no turn', () => {
    const context = user('m3', '<session_context> kitchen');
    const session = read(user('m1', 'x'), step('m2', 'a'), context, step('m4', 'b'));
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: a (<session_context> kitchen)',
      'assistant: b',
    ]);
  });

  it('that begin with an answer are partial', () => {
    expect(read(step('m2', 'a')).isPartial).toBe(true);
  });

  it('without a conversation are refused', () => {
    expect(() => read(user('m1', ''))).toThrow('without messages.');
  });
});

const stateOf = (each: Json) => {
  const [part] = read(user('m1', 'x'), step('m2', '', calling(each))).messages[1]!.parts;
  return part?.type === 'tool' ? part.state : undefined;
};

describe('calls', () => {
  it.each<[string, Json, Json]>([
    ['have an output', call('c', { output: 'o' }), { status: 'completed', output: 'o' }],
    ['may have failed', call('c', { error: 'e' }), { status: 'error', error: 'e' }],
    [
      'may be cancelled',
      call('c', { output: 'no' }, { status: 'cancelled' }),
      { status: 'error', error: 'no' },
    ],
    [
      'may be cancelled without a word',
      call('c', {}, { result: null, status: 'cancelled' }),
      { status: 'error', error: '' },
    ],
    ['may not have come back', call('c', {}, { result: null }), { status: 'running' }],
    [
      'may not have begun',
      call('c', {}, { result: [], status: 'executing' }),
      { status: 'running' },
    ],
    [
      'may give something else',
      call('c', { lines: 3 }),
      { status: 'completed', output: '{"lines":3}' },
    ],
    ['may give a plain text', call('c', {}, { result: 'o' }), { status: 'completed', output: 'o' }],
    [
      'may give pictures',
      call(
        'c',
        {},
        {
          result: [
            { functionResponse: { id: 'c', response: { output: 'o' } } },
            { inlineData: { mimeType: 'image/png', data: 'AA' } },
          ],
        },
      ),
      { status: 'completed', output: 'o', attachments: [{ mime: 'image/png' }] },
    ],
  ])('%s', (_, each, expected) => {
    expect(stateOf(each)).toMatchObject(expected);
  });

  it('have results in messages of their own, which are no turns', () => {
    const response = { functionResponse: { id: 'c', response: { output: 'o' } } };
    const stray = { functionResponse: { id: 'lost', response: { output: 'o' } } };
    const parts = [{ text: 'a' }, { functionCall: { id: 'c', name: 'f' } }];
    const session = read(
      user('m1', 'x'),
      step('m2', parts),
      user('m3', [response, stray]),
      step('m4', 'b'),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: a c:completed', 'assistant: b']);
    expect(session.report.dropped).toEqual({ 'tool result without a call': 1 });
  });

  it('count once', () => {
    const parts = [{ functionCall: { id: 'c', name: 'read_file' } }];
    const each = call('c', { output: 'o' });
    const session = read(
      user('m1', 'x'),
      step('m2', parts, calling(each)),
      step('m3', '', calling(each)),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: c:completed', 'assistant:']);
    expect(session.report.dropped).toEqual({ 'repeated tool call': 1 });
  });
});

it.each<[string, string]>([
  ['a header', toLines(header)],
  ['a chat without a word', toDocument({ id: 'm1', type: 'info', content: 'x' })],
  ['messages of no project', JSON.stringify({ sessionId: 's', messages: chat })],
  ['messages without a header', toLines(...chat)],
  ['a history of something else', JSON.stringify({ history: [{ role: 'user', content: 'x' }] })],
])('%s is no chat', (_, text) => {
  expect(sessionFormats['gemini-cli'].detect(createSourceFile('x', text))).toBe(false);
});

const set = (...messages: readonly Json[]): Json => ({ $set: { messages } });

const readLog = (...lines: readonly Json[]): Session =>
  readSessions('k', toLines(header, ...lines))[0]!;

describe('a log', () => {
  const start = [user('m1', 'x'), step('m2', 'a'), user('m3', 'y'), step('m4', 'b')];

  it.each<[string, string, readonly string[]]>([
    ['back to a message, which goes too', 'm3', ['user: x', 'assistant: a', 'user: z']],
    ['back to a message that is not there', 'm9', ['user: z']],
  ])('goes %s', (_, id, expected) => {
    const session = readLog(...start, { $rewindTo: id }, user('m5', 'z'));
    expect(outline(session)).toEqual(expected);
    expect(session.report.dropped).toEqual({
      'message that was taken back': expected.length === 3 ? 2 : 4,
    });
  });

  it('keeps what was replaced, and the summary apart', () => {
    const session = readLog(
      ...start,
      set(
        user('s1', '<state_snapshot> tea'),
        step('s2', 'Got it.'),
        user('m3', 'y'),
        step('m4', 'b'),
      ),
      user('m5', 'z'),
      set(
        user('s1', '<state_snapshot> tea'),
        step('s2', 'Got it.'),
        user('m3', 'y'),
        step('m4', '…'),
        user('m5', 'z'),
      ),
      step('m6', 'c'),
    );
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: a',
      'user: y',
      'assistant: b',
      'user: z',
      'assistant: c',
    ]);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 4, summary: '<state_snapshot> tea', firstKeptMessageIndex: 2 },
    ]);
  });

  it('keeps no tail where none stayed', () => {
    const { recordedCompactions } = readLog(...start, set(user('s1', 'tea')), user('m5', 'z'));
    expect(recordedCompactions).toEqual([{ kind: 'full', messageIndex: 4, summary: 'tea' }]);
  });

  it('takes back what is told no more, if nothing stands in its place', () => {
    const session = readLog(...start, set(user('m1', 'x'), step('m2', 'a')), user('m5', 'z'));
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: z']);
    expect(session.recordedCompactions).toEqual([]);
  });

  it('begins with an update where that is all', () => {
    expect(outline(readLog(set(...start.slice(0, 2))))).toEqual(['user: x', 'assistant: a']);
  });

  it('misses no notice', () => {
    const notice = { id: 'm2n', type: 'info', content: 'x' };
    const session = readLog(
      ...start.slice(0, 2),
      notice,
      set(...start.slice(0, 2), ...start.slice(2)),
    );
    expect(outline(session)).toHaveLength(4);
    expect(session.recordedCompactions).toEqual([]);
  });

  it('of a sub-agent is a side session', () => {
    const lines = toLines({ ...header, kind: 'subagent' }, ...start);
    expect(readSessions('k', lines)[0]).toMatchObject({ isSide: true });
  });
});

describe('growing copies', () => {
  it('are found by the session that they share', () => {
    const short = toCopyCandidate({ ...read(...chat.slice(0, 2)), name: 'short' });
    const long = toCopyCandidate({ ...read(...chat), name: 'long' });
    expect(findGrowingCopies([short, long])).toEqual([
      { name: 'short', copyOf: 'long', isShorter: true },
    ]);
  });
});

describe('a chat that goes on', () => {
  it('keeps its first forms and their usage, whatever the new start repeats', () => {
    const first = user('m1', 'Is the kettle on?');
    const session = readSessions(
      'k',
      toLines(
        header,
        first,
        step('m2', 'It is off.', tokens()),
        header,
        { $set: { messages: [first] } },
        { $set: { messages: [first, step('m2', [{ text: 'It is off.' }])] } },
        user('m3', 'And now?'),
        step('m4', 'It is on.', tokens()),
      ),
    )[0]!;
    expect(session.messages.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(usagesOf(session)).toMatchObject([{ input: 40 }, { input: 40 }]);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
  });
});
