import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { outline } from './claude-code-lines.ts';
import {
  done,
  exportOf,
  type Fields,
  message,
  read as readOfMessages,
  step,
  text,
  tokens,
  tool,
  user,
} from './opencode-messages.ts';

const one = (info: Fields, ...words: readonly string[]) =>
  exportOf(
    words.map((word, index) => user(`${word}${index}`, text(word))),
    info,
  );
const indented = (document: string) => JSON.stringify(JSON.parse(document), undefined, 1);
const read = (content: string) => readSessions('all.json', content);
const [first, second, third] = [
  one({ id: 'ses_1' }, 'x'),
  one({ id: 'ses_2' }, 'y'),
  one({ id: 'ses_3' }, 'z'),
];

describe('several exports in one file', () => {
  it.each<[string, string, number]>([
    ['one on each line', `${first}\n${second}\n${third}\n`, 0],
    ['over many lines each', [first, second, third].map(indented).join('\n'), 0],
    ['without anything between', `${first}${second}${third}`, 0],
    ['with Windows line ends', `${first}\r\n\r\n${second}\r\n${third}\r\n`, 0],
    ['among lines of a log', `INFO {a\n${first}\n\n{"b":1}\n${second}\nWARN {c\n${third}\nend`, 4],
    [
      'with one that was cut off',
      `${first}\n${one({ id: 'ses_4' }, 'w').slice(0, -20)}\n${second}\n${third}`,
      1,
    ],
    [
      'with a last one that was cut off',
      `${first}\n${second}\n${third}\n${indented(first).slice(0, 30)}`,
      3,
    ],
  ])('are all read, %s', (_, content, otherLines) => {
    const sessions = read(content);
    expect(sessions.map(outline)).toEqual([['user: x'], ['user: y'], ['user: z']]);
    expect(sessions.map(({ name, sessionId }) => [name, sessionId])).toEqual([
      ['all.json#0', 'ses_1'],
      ['all.json#1', 'ses_2'],
      ['all.json#2', 'ses_3'],
    ]);
    expect(sessions.map(({ report }) => report.dropped)).toEqual([
      otherLines === 0 ? {} : { 'line that is no export': otherLines },
      {},
      {},
    ]);
  });

  it('may have any number of braces between them', () => {
    const log = 'WARN {a\n'.repeat(12);
    expect(read(`${log}${first}\n${log}${second}\n${log}${third}`)).toHaveLength(3);
  });

  it('of one session are the last one', () => {
    const grown = one({ id: 'ses_1' }, 'x', 'y');
    const [session, ...others] = read(`${first}\n${grown}\n`);
    expect(outline(session!)).toEqual(['user: x', 'user: y']);
    expect(session).toMatchObject({ name: 'all.json', sessionId: 'ses_1' });
    expect(session!.report.dropped).toEqual({ 'earlier export of a session': 1 });
    expect(others).toEqual([]);
  });

  it('of sessions without an id all stay', () => {
    const unnamed = one({ id: undefined }, 'x');
    expect(read(`${unnamed}\n${unnamed}\n`)).toHaveLength(2);
  });

  it('begin with the one that is no task of another', () => {
    const task = one({ id: 'ses_2', parentID: 'ses_1' }, 'look');
    expect(read(`${task}\n${first}\n`).map(({ sessionId }) => sessionId)).toEqual([
      'ses_1',
      'ses_2',
    ]);
  });

  it('are those with messages', () => {
    const sessions = read(`${one({ id: 'ses_0' })}\nstarted\n${first}\n`);
    expect(sessions.map(({ name }) => name)).toEqual(['all.json']);
    expect(sessions[0]?.report.dropped).toEqual({ 'line that is no export': 1 });
    const silent = exportOf([{ info: {}, parts: [] }]);
    expect(() => read(silent + silent)).toThrow(/got an export without messages\.$/);
  });

  it('tell of what was not understood each for itself', () => {
    const odd = exportOf([user('u1', text('y')), step('a1', {}, { type: 'hologram' })], {
      id: 'ses_2',
    });
    expect(read(`${first}\n${odd}`).map(({ report }) => report.dropped)).toEqual([
      {},
      { 'part of unknown type': 1 },
    ]);
  });
});

const usageOf = (info: Fields, ...parts: readonly Fields[]) => {
  const { messages, report } = readOfMessages(user('u1', text('x')), step('a1', info, ...parts));
  const [, answer] = messages;
  return { usage: answer?.role === 'assistant' ? answer.usage : undefined, ...report.repaired };
};
const finish = (over: Fields) => ({ type: 'step-finish', reason: 'stop', ...over });

describe('usage', () => {
  const kinds = { input: 5, output: 7, reasoning: 2, cacheRead: 100, cacheWrite: 30 };

  it.each<[string, Fields, readonly Fields[], Fields]>([
    ['is split by kind', tokens(5, 7), [], { usage: kinds }],
    [
      'has the total of the provider',
      tokens(5, 7, { total: 144 }),
      [],
      { usage: { ...kinds, total: 144 } },
    ],
    [
      'is that of the last finished part where the message has none',
      {},
      [finish(tokens(9, 9)), finish(tokens(5, 7))],
      { usage: kinds },
    ],
    [
      'is absent where all is zero',
      tokens(0, 0, { reasoning: 0, cache: {} }),
      [],
      { usage: undefined },
    ],
    ['is absent where there is none', {}, [], { usage: undefined }],
    [
      'has the total also where nothing was cached',
      tokens(5, 7, { reasoning: 0, cache: {}, total: 12 }),
      [],
      { usage: { ...kinds, reasoning: 0, cacheRead: 0, cacheWrite: 0, total: 12 } },
    ],
    [
      'has the total also where as much was thought as was cached',
      tokens(5, 7, { reasoning: 130, total: 272 }),
      [],
      { usage: { ...kinds, reasoning: 130, total: 272 } },
    ],
    [
      'is never negative',
      tokens(-42, 7),
      [],
      { usage: { ...kinds, input: 0 }, 'negative token count': 1 },
    ],
    [
      'has no total that counts what was cached twice',
      tokens(5, 7, { total: 272 }),
      [],
      { usage: { ...kinds, total: 144 }, 'total that counts cached tokens twice': 1 },
    ],
  ])('%s', (_, info, ...[parts, expected]) => {
    expect(usageOf(info, ...parts)).toEqual(expected);
  });
});

describe('parts', () => {
  it('of a tool keep its state, also where it never ended', () => {
    const { messages, report } = readOfMessages(
      user('u1', text('x')),
      step(
        'a1',
        {},
        tool('c1', done({ attachments: [{ id: 'f1', mime: 'image/png', url: 'data:,' }] })),
        tool('c2', { status: 'error', input: {}, error: 'no', metadata: { output: 'half' } }),
        tool('c3', {
          status: 'error',
          input: {},
          error: 'no',
          metadata: { interrupted: true, output: 'half' },
        }),
        tool('c4', { status: 'running', input: { a: 1 } }),
        tool('c5', { status: 'pending', input: {}, raw: '' }),
        tool('c6', { status: 'success', input: {}, output: 'ok' }),
        tool('c7', done({ output: { redacted: 'gone' } })),
        tool('c8', done({ output: undefined })),
        tool('c9', { status: 'lost' }),
      ),
    );
    const states = messages[1]?.parts.map((part) => part.type === 'tool' && part.state);
    expect(states).toEqual([
      done({ attachments: [{ type: 'file', id: 'f1', mime: 'image/png', url: 'data:,' }] }),
      { status: 'error', input: {}, error: 'no' },
      { status: 'error', input: {}, error: 'no', partialOutput: 'half' },
      { status: 'running', input: { a: 1 } },
      { status: 'pending', input: {} },
      done(),
      done({ output: 'gone' }),
      done({ output: '' }),
      { status: 'running', input: {} },
    ]);
    expect(report.repaired).toEqual({
      'tool state of unknown status': 2,
      'tool output that is no text': 2,
    });
  });

  it('keep what the recorder noted about them', () => {
    const { messages } = readOfMessages(
      user(
        'u1',
        text('x', { id: 'p1', ignored: true }),
        { type: 'file', mime: 'text/plain', filename: 'a.ts', url: 'file:///a.ts' },
        { type: 'subtask', prompt: 'look', description: 'd', agent: 'general' },
      ),
      step(
        'a1',
        {},
        { type: 'step-start', snapshot: 's1' },
        { type: 'reasoning', text: '' },
        { type: 'step-finish' },
      ),
    );
    expect(messages.flatMap(({ parts }) => parts)).toEqual([
      { type: 'text', id: 'p1', text: 'x', ignored: true },
      { type: 'file', id: 'u1-2', mime: 'text/plain', filename: 'a.ts', url: 'file:///a.ts' },
      { type: 'subtask', id: 'u1-3', prompt: 'look' },
      { type: 'step-start', id: 'a1-1', snapshot: 's1' },
      { type: 'step-finish', id: 'a1-2', reason: 'stop' },
    ]);
  });

  it('of types that no model sees are left out, unknown ones counted', () => {
    const kinds = ['patch', 'agent', 'retry', 'snapshot', 'hologram'].map((type) => ({ type }));
    const { messages, report } = readOfMessages(user('u1', text('x'), ...kinds));
    expect(messages[0]?.parts).toHaveLength(1);
    expect(report.dropped).toEqual({ 'part of unknown type': 1 });
  });

  it('with an id that another one has get a new one', () => {
    const { messages, report } = readOfMessages(
      user('u1', text('x', { id: 'p' }), text('y', { id: 'p' })),
      step('u1', {}, tool('c', done()), tool('c', done())),
    );
    expect(messages.map(({ id }) => id)).toEqual(['u1', 'u1-2']);
    expect(messages[0]?.parts.map(({ id }) => id)).toEqual(['p', 'p-2']);
    expect(messages[1]?.parts).toMatchObject([{ callId: 'c' }, { callId: 'c-2' }]);
    expect(report.repaired).toEqual({ 'repeated id': 3 });
  });
});

describe('messages', () => {
  it('keep the error of a step that was cut off', () => {
    const error = { name: 'MessageAbortedError', data: { message: 'stopped' } };
    const { messages } = readOfMessages(
      user('u1', text('x')),
      step('a1', { error, finish: undefined }),
    );
    expect(messages[1]).toMatchObject({
      finish: 'stop',
      error: { name: 'MessageAbortedError', message: 'stopped' },
    });
    expect(messages[1]).not.toHaveProperty('usage');
  });

  it('without answer that were refused for their size are left out', () => {
    const error = { name: 'ContextOverflowError', data: { message: 'too long' } };
    const session = readOfMessages(
      user('u1', text('x')),
      step('a1', { error }, { type: 'step-start' }),
    );
    expect(outline(session)).toEqual(['user: x']);
    expect(session.report.dropped).toEqual({ 'refused request': 1 });
  });

  it('with an answer stay, though a longer one was refused', () => {
    const error = { name: 'ContextOverflowError', data: { message: 'too long' } };
    const session = readOfMessages(user('u1', text('x')), step('a1', { error }, text('a')));
    expect(outline(session)).toEqual(['user: x', 'assistant: a']);
  });

  it('answer the recorded prompt, or the one before them', () => {
    const { messages } = readOfMessages(
      user('u1', text('x')),
      user('u2', text('y')),
      step('a1', { parentID: 'u1' }),
      step('a2', {}),
      step('a3', { parentID: 'lost' }),
      step('a4', { parentID: 'a1' }),
    );
    const parents = messages.map((each) => each.role === 'assistant' && each.parentId);
    expect(parents).toEqual([false, false, 'u1', 'u2', 'u2', 'u2']);
  });

  it('are no summaries for having an object of that name', () => {
    const { messages } = readOfMessages(
      user('u1', text('x')),
      step('a1', { summary: { title: 't' } }, text('a')),
    );
    expect(messages).toHaveLength(2);
  });

  it('without a role are counted', () => {
    const session = readOfMessages(
      user('u1', text('x')),
      { info: {}, parts: [] },
      message('oracle', {}, []),
    );
    expect(session.report.dropped).toEqual({ 'message without a role': 2 });
  });
});

describe('the session', () => {
  it('is named, and known by its id, its parent and the model of its first step', () => {
    const messages = [user('u1', text('x')), step('a0', { modelID: undefined }), step('a1', {})];
    const [session] = readSessions('kettle.json', exportOf(messages, { parentID: 'ses_0' }));
    expect(session).toMatchObject({
      name: 'kettle.json',
      sessionId: 'ses_1',
      isSide: true,
      isPartial: false,
      model: 'acme/m-1',
      isOutputFinal: true,
    });
  });

  it('is partial where it begins with a step', () => {
    expect(readOfMessages(step('a1', {}, text('a'))).isPartial).toBe(true);
  });

  it.each<[string, (document: string) => string]>([
    ['a byte order mark', (document) => `\uFEFF${document}`],
    ['lines of a log', (document) => `INFO started\nWARN {odd "brace\n${document}\n`],
    ['lines of a log in JSON', (document) => `{"level":"info"}\n{"level":"warn"}\n${document}`],
    ['a line of a log after it', (document) => `started\n${document}\ndone\n`],
  ])('is found behind %s', (_, wrap) => {
    const [session] = readSessions('kettle.json', wrap(exportOf([user('u1', text('x'))])));
    expect(outline(session!)).toEqual(['user: x']);
  });

  it.each<[string, unknown, number]>([
    ['a time', 1_767_323_045_000, 1_767_323_045_000],
    ['a time that no date can name', 1e308, 0],
    ['a time before 1970', -1, 0],
  ])('has of %s what can be one', (_, created, expected) => {
    expect(
      readOfMessages(user('u1', text('x')), step('a1', { time: { created } })).messages[1],
    ).toMatchObject({
      createdAt: expected,
    });
  });

  it('without messages is refused', () => {
    expect(() => readOfMessages()).toThrow(/got an export without messages\.$/);
  });

  it('that was redacted says so', () => {
    const redacted = text('[redacted:text:prt_1]');
    expect(readOfMessages(user('u1', redacted)).report.repaired).toEqual({
      'text redacted by the recorder': 1,
      'session redacted to its usage by the recorder': 1,
    });
  });
});
