import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions, readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { outline } from './claude-code-lines.ts';
import { partIdsOf, toolsOf, usagesOf } from '../tools-of.ts';

type Fields = Readonly<Record<string, unknown>>;

const text = (content: string) => ({ type: 'text', text: content });
const user = (...content: readonly unknown[]) => ({ role: 'user', content, ts: 1_700_000_000_005 });
const say = (content: unknown, over: Fields = {}) => ({
  role: 'assistant',
  content,
  ts: 1_700_000_000_006,
  ...over,
});
const calling = (...ids: readonly string[]) =>
  say(ids.map((id) => ({ type: 'tool_use', id, name: 'boil', input: { id } })));
const result = (id: string, content: unknown, over: Fields = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...over,
});
const metrics = (inputTokens: number, cacheReadTokens = 0) => ({
  metrics: { inputTokens, outputTokens: 7, cacheReadTokens, cacheWriteTokens: 4, cost: 0.1 },
});
const modelInfo = { id: 'anthropic/kettle-1', provider: 'cline' };

const document = (...messages: readonly Fields[]) => ({
  version: 1,
  agent: 'lead',
  sessionId: 'kettle',
  system_prompt: 'Be kind.',
  messages: messages.map((message, index) => ({ id: `m${index + 1}`, ...message })),
});
const readAny = (value: unknown): Session => readSessions('kettle.json', JSON.stringify(value))[0]!;
const read = (...messages: readonly Fields[]) => readAny(document(...messages));

describeSessionFormat({
  name: 'cline',
  text: JSON.stringify(
    document(
      user(text('Boil.'), { type: 'file', path: 'a.txt', content: 'cup' }),
      say([text('So.'), { type: 'tool_use', id: 'c', name: 'boil', input: {} }], metrics(50, 20)),
      user(result('c', 'hot')),
    ),
  ),
});
describeSessionFormat({
  name: 'cline',
  text: JSON.stringify([user(text('Boil.')), say('Done.')]),
});

describe('a session', () => {
  it('tells its id, its model and its system prompt', () => {
    const session = read(user(text('x')), say('a', { modelInfo }));
    expect(session).toMatchObject({
      sessionId: 'kettle',
      model: 'cline/anthropic/kettle-1',
      system: 'Be kind.',
      isPartial: false,
      isOutputFinal: true,
    });
    expect(session.messages.map(({ id, createdAt }) => [id, createdAt])).toEqual([
      ['m1', 1_700_000_000_005],
      ['m2', 1_700_000_000_006],
    ]);
  });

  it('pairs results by id; what stands beside them opens no turn', () => {
    const results = [
      result('b', [{ query: 'q', result: 'r' }]),
      result('a', [text('x'), text('y')], { is_error: true }),
    ];
    const session = read(
      user(text('x')),
      calling('a', 'b'),
      user(...results, text('Note.')),
      say('z'),
    );
    expect(toolsOf(session)).toMatchObject([
      { callId: 'a', tool: 'boil', state: { status: 'error', error: 'x\ny' } },
      { callId: 'b', state: { output: '[{"query":"q","result":"r"}]', input: { id: 'b' } } },
    ]);
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: a:error b:completed (Note.)',
      'assistant: z',
    ]);
  });

  it.each<[string, Fields, Fields]>([
    ['holds what was cached', metrics(50, 20), { input: 26, cacheRead: 20, cacheWrite: 4 }],
    ['leaves it out', metrics(5, 20), { input: 5, cacheRead: 20, cacheWrite: 4 }],
    [
      'is of the older kind',
      { metrics: { tokens: { prompt: 9, completion: 7, cached: 3 } } },
      { input: 6, cacheRead: 3, cacheWrite: 0 },
    ],
  ])('counts a step by kinds where the input %s', (_, over, expected) => {
    const session = read(user(text('x')), say('a', over), say('b'));
    expect(usagesOf(session)).toEqual([{ output: 7, reasoning: 0, ...expected }, undefined]);
  });

  it('may hold thoughts, pictures and files', () => {
    const file = { type: 'file', path: 'a.txt', content: 'cup' };
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'A' } };
    const session = read(
      user(text('x'), file, image, image),
      say([{ type: 'thinking', thinking: 'Hm.' }]),
    );
    expect(session.messages.map(({ parts }) => parts)).toMatchObject([
      [
        { text: 'x' },
        { text: 'a.txt\ncup', synthetic: true },
        { mime: 'image/gif', url: 'data:image/gif;base64,A' },
        { mime: 'image/gif', url: 'data:image/gif;base64,A' },
      ],
      [{ type: 'reasoning', text: 'Hm.' }],
    ]);
    expect(partIdsOf(session)[0]).toEqual([1, 2, 3, 4].map((place) => `m1-${place}`));
    expect(session.report.repaired).toEqual({});
  });

  it('counts what it leaves out', () => {
    const odd = [{ type: 'dance' }, { type: 'redacted_thinking', data: 'x' }];
    const session = read(user(text('x')), say(odd), user(result('lost', 'x')), { role: 'oracle' });
    expect(session.report.dropped).toEqual({
      'unknown content block': 1,
      'tool result without a call': 1,
      'message without a role': 1,
    });
  });

  it('is refused without messages', () => {
    expect(() => read()).toThrow(/got a Cline session without messages\.$/);
  });
});

describe('a history of the older kind', () => {
  it('may have its results in texts', () => {
    const output = user(text("[read_file for 'a.txt'] Result:"), text('cup'));
    const session = readAny([user(text('x')), say([text('<read_file/>')]), output, say('z')]);
    expect(toolsOf(session)).toMatchObject([
      { tool: 'read_file', state: { status: 'completed', output: 'cup' } },
    ]);
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(session).not.toHaveProperty('sessionId');
  });

  it('pairs results in texts with the calls of their tools', () => {
    const editor = text('<environment_details>\nNo files.\n</environment_details>');
    const image = { type: 'image', source: { media_type: 'image/gif', data: 'A' } };
    const answers = user(
      text('[boil] Result:\nhot'),
      text("[boil for 'a [b]'] Result:\ncold"),
      image,
      text('[pour] Result:\nlost'),
      editor,
    );
    const session = readAny([user(text('x'), editor), calling('a', 'b'), answers, say('z')]);
    expect(toolsOf(session)).toMatchObject([
      { callId: 'a', state: { status: 'completed', output: 'hot' } },
      { callId: 'b', state: { output: 'cold', attachments: [{ mime: 'image/gif' }] } },
    ]);
    expect(outline(session)[0]).toMatch(/^user: x \(<environment_details>/);
    expect(session.messages[1]?.parts.at(-1)).toMatchObject({ synthetic: true });
    expect(session.report.dropped).toEqual({ 'tool result without a call': 1 });
  });
});

describe('a compaction', () => {
  const summary = { kind: 'compaction_summary', summary: 'A cup.', tokensBefore: 900 };
  const summed = { role: 'user', content: [text('Summary: A cup.')], metadata: summary };

  it('that nothing precedes is where the session starts', () => {
    const session = read(summed, user(text('x')), say('a'));
    expect(outline(session)).toEqual(['user: (Summary: A cup.) x', 'assistant: a']);
    expect(session).toMatchObject({ isPartial: true, recordedCompactions: [] });
  });

  it('between messages is kept aside with its summary', () => {
    const session = read(user(text('x')), say('a'), summed, user(text('y')), say('b'));
    expect(session.messages).toHaveLength(4);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, summary: 'A cup.', tokensBefore: 900 },
    ]);
  });

  it('that keeps prompts and answers happened after the last that it kept', () => {
    const notice = text('<SYSTEM_NOTICE>\nEarlier context was compacted.');
    const metadata = { kind: 'compaction', reason: 'manual_compaction' };
    const kept = { metadata: { compaction: 'preserved' } };
    const session = read(
      { ...user(text('x'), notice), metadata },
      say('a', kept),
      user(text('y')),
      say('b'),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', trigger: 'manual', messageIndex: 2 },
    ]);
    expect(session.isPartial).toBe(true);
    expect(session.messages[0]?.parts[1]).toMatchObject({ synthetic: true });
  });
});

describe('a condensation of Roo Code', () => {
  const over = { isSummary: true, condenseId: 'c' };
  const condensed = { condenseParent: 'c' };

  it('by the user keeps nothing behind it', () => {
    const editor = text('<environment_details>No files.</environment_details>');
    const session = readAny([
      { ...user(text('x')), ...condensed },
      say('a', condensed),
      { ...user(text('A cup.'), editor), ...over },
      say('b'),
    ]);
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'assistant: b']);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, summary: 'A cup.' },
    ]);
  });

  it('by the assistant keeps the three messages behind it', () => {
    const reasoning = { type: 'reasoning', text: 'Condensing.' };
    const session = readAny([
      user(text('x')),
      say('a', condensed),
      say([reasoning, text('A cup.')], over),
      user(text('y')),
      calling('t'),
      user(result('t', 'hot')),
      say('b'),
    ]);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 4, summary: 'A cup.', firstKeptMessageIndex: 2 },
    ]);
    expect(toolsOf(session)).toMatchObject([{ state: { output: 'hot' } }]);
    expect(session.isPartial).toBe(false);
  });

  it('whose messages are gone stands in for them', () => {
    const session = readAny([user(text('x')), say('A cup.', { isSummary: true }), say('b')]);
    expect(outline(session)).toEqual(['user: x (A cup.)', 'assistant: b']);
    expect(session).toMatchObject({ isPartial: true, recordedCompactions: [] });
  });

  it('is not the mark of a truncation, which is counted', () => {
    const marker = { ...user(text('2 messages hidden')), isTruncationMarker: true };
    const session = readAny([user(text('x')), say('a'), marker, say('b')]);
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'assistant: b']);
    expect(session.report.dropped).toEqual({ 'truncation marker': 1 });
  });
});

describe('a compaction in the file beside the messages', () => {
  const messages = [
    user(text('x')),
    calling('a'),
    user(result('a', 'hot')),
    calling('b'),
    user(result('b', 'cold')),
    say('z'),
  ];
  const metadata = { kind: 'compaction_summary', summary: 'A cup.', tokensBefore: 900 };
  const summed = { role: 'user', content: [text('Summary: A cup.')], metadata };
  const load = (compaction: Fields) => {
    const folder = createFolder();
    writeFile(folder, '1.messages.json', JSON.stringify(document(...messages)));
    writeFile(folder, '1.compaction.json', JSON.stringify(compaction));
    const loaded = [...loadSessions(discoverSessionFiles([folder]).files)];
    expect(loaded.map(({ state }) => state)).toEqual(['read']);
    return loaded.flatMap((one) => (one.state === 'read' ? one.session : []))[0]!;
  };

  it('stands where it was made, with what stayed', () => {
    const session = load({
      source_message_count: 5,
      messages: [summed, { id: 'm4', ...messages[3] }],
    });
    expect(session).toMatchObject({ isPartial: false, messages: { length: 4 } });
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'full',
        messageIndex: 3,
        summary: 'A cup.',
        tokensBefore: 900,
        firstKeptMessageIndex: 2,
      },
    ]);
  });

  it.each([
    ['without a summary', { source_message_count: 5, messages: [] }],
    ['of more messages than there are', { source_message_count: 9, messages: [summed] }],
  ])('is none %s', (_, compaction) => {
    expect(load(compaction).recordedCompactions).toEqual([]);
  });
});

describe('a truncation by Roo Code', () => {
  const at = (ts: number, message: Fields) => ({ ...message, ts });
  const hidden = { truncationParent: 't' };
  const marker = {
    ...user(text('2 messages hidden')),
    isTruncationMarker: true,
    truncationId: 't',
  };
  const messages = [
    at(1, user(text('x'))),
    at(2, { ...say('a'), ...hidden }),
    at(3, { ...user(text('y')), ...hidden }),
    at(3, marker),
    at(4, say('b')),
    at(5, user(text('z'))),
    at(9, say('c')),
  ];

  it('is a compaction that keeps what stands behind its mark', () => {
    const session = readAny(messages);
    expect(session.messages).toHaveLength(6);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', trigger: 'auto', messageIndex: 5, firstKeptMessageIndex: 3 },
    ]);
    expect(session.report.dropped).toEqual({});
  });
});

describe('a folder of a task', () => {
  const startMs = 1_764_000_000_000;
  const history = [
    { ...user(text('<task>x</task>')), ts: startMs },
    { ...say('a'), ts: startMs + 20 },
    { ...user(text('y')), ts: startMs + 30 },
    { ...say('b'), ts: startMs + 50 },
  ];
  const request = (ts: number, tokensIn: number, over: Fields = {}) => ({
    ts: startMs + ts,
    type: 'say',
    say: 'api_req_started',
    text: JSON.stringify({ tokensIn, tokensOut: 7, cacheReads: 1000, cacheWrites: 0 }),
    ...over,
  });
  const load = (screen: readonly Fields[]) => {
    const folder = createFolder();
    const files = { api_conversation_history: history, ui_messages: screen, task_metadata: {} };
    for (const [name, value] of Object.entries(files)) {
      writeFile(folder, `${name}.json`, JSON.stringify(value));
    }
    const loaded = [...loadSessions(discoverSessionFiles([folder]).files)];
    expect(loaded.map(({ state }) => state)).toEqual(['read']);
    return loaded.flatMap((one) => (one.state === 'read' ? one.session : []))[0]!;
  };

  it('is one session, with the usage that the screen shows', () => {
    const session = load([request(10, 50), request(40, 80)]);
    expect(session.format).toBe('cline');
    expect(usagesOf(session)).toMatchObject([
      { input: 50, cacheRead: 1000, output: 7 },
      { input: 80, cacheRead: 1000, output: 7 },
    ]);
  });

  it('gives a usage to the step that follows the request, where some were answered twice', () => {
    const session = load([request(5, 40), request(10, 50), request(40, 80)]);
    expect(usagesOf(session)).toMatchObject([{ input: 50 }, { input: 80 }]);
  });

  it('tells when messages were left out, and the tokens around it', () => {
    const cut = { conversationHistoryIndex: 2, conversationHistoryDeletedRange: [1, 1] };
    const session = load([request(10, 50), request(40, 80, cut)]);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 3, firstKeptMessageIndex: 2 },
    ]);
  });
});
