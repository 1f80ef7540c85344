import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
import { event, exportedFixture, type Fields, toEvents, toLines } from './opencode-forms.ts';

const exported = exportedFixture();

describeSessionFormat({
  name: 'opencode-events',
  text: toLines(toEvents(exported)),
});

const created = (id = 'ses_1', over: Fields = {}) =>
  event('session.created', { info: { id, ...over } });
const message = (id: string, role: string, over: Fields = {}) =>
  event('message.updated', { info: { id, role, sessionID: 'ses_1', ...over } });
const prompt = message('u1', 'user', { time: { created: 1 } });
const step = (id = 'a1', over: Fields = {}) =>
  message(id, 'assistant', { modelID: 'm', parentID: 'u1', time: { created: 2 }, ...over });
const part = (id: string, messageID: string, over: Fields) =>
  event('message.part.updated', { part: { id, messageID, sessionID: 'ses_1', ...over } });
const text = (id: string, messageID: string, value: string) =>
  part(id, messageID, { type: 'text', text: value });
const piece = (partID: string, delta: string, over: Fields = {}) =>
  event('message.part.delta', {
    sessionID: 'ses_1',
    messageID: 'a1',
    partID,
    field: 'text',
    delta,
    ...over,
  });
const failed = (name: string, sessionID = 'ses_1') =>
  event('session.error', { sessionID, error: { name, data: { message: 'no' } } });
const readAll = (...events: readonly unknown[]) => readSessions('kettle.jsonl', toLines(events));
const read = (...events: readonly unknown[]) => readAll(created(), ...events)[0]!;
const textsOf = ({ messages }: Session) =>
  messages.map(({ parts }) =>
    parts.map((each) => ('text' in each ? each.text : each.type)).join('|'),
  );

const task = (sessionId: string, tool = 'task') =>
  part('t1', 'a1', {
    type: 'tool',
    tool,
    callID: 'c',
    state: { status: 'running', metadata: { sessionId } },
  });
const errorsOf = ({ messages }: Session) =>
  messages.map((each) => (each.role === 'assistant' ? each.error?.name : ''));
const shownOf = (sessions: readonly Session[]) =>
  sessions.map(({ name, sessionId, isSide, parentSessionId }) => [
    name,
    sessionId,
    isSide,
    parentSessionId,
  ]);

describe('an event stream', () => {
  it('gives the session that an export of it gives', () => {
    const [whole] = readSessions('x', JSON.stringify(exported));
    const sessions = readAll(...toEvents(exported));
    expect(sessions).toEqual([{ ...whole, name: 'kettle.jsonl', format: 'opencode-events' }]);
  });

  it('shows each message and part as it was last, parts in the order in which they began', () => {
    const session = read(
      prompt,
      text('p1', 'u1', 'x'),
      step(),
      text('p2', 'a1', ''),
      part('p3', 'a1', { type: 'tool', callID: 'c', state: { status: 'running', input: {} } }),
      text('p2', 'a1', 'all of it'),
      part('p3', 'a1', { type: 'tool', callID: 'c', state: { status: 'completed', output: 'ok' } }),
      step('a1', { finish: 'stop', tokens: { input: 7, output: 1 } }),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: all of it c:completed']);
    expect(session.messages[1]).toMatchObject({ usage: { input: 7, output: 1 } });
    expect(session).toMatchObject({ sessionId: 'ses_1', isPartial: false, isSide: false });
  });

  it('stands in order of time, then of ids, whatever came first', () => {
    const later = { time: { created: 5 } };
    const session = read(message('b', 'user', later), message('a', 'user', later), step(), prompt);
    expect(session.messages.map(({ id }) => id)).toEqual(['u1', 'a1', 'a', 'b']);
  });

  it('is partial where it begins with a step, though its beginning is told of', () => {
    expect(read(step(), text('p1', 'a1', 'x')).isPartial).toBe(true);
  });

  it('leaves out what was taken back', () => {
    const session = read(
      prompt,
      text('p1', 'u1', 'x'),
      text('p2', 'u1', 'y'),
      step(),
      event('message.part.removed', { sessionID: 'ses_1', messageID: 'u1', partID: 'p2' }),
      event('message.removed', { sessionID: 'ses_1', messageID: 'a1' }),
    );
    expect(outline(session)).toEqual(['user: x']);
    expect(session.report.dropped).toEqual({});
  });

  it('leaves out what was undone in the end, and keeps what was brought back', () => {
    const later = message('u2', 'user', { time: { created: 3 } });
    const undo = event('session.updated', { info: { id: 'ses_1', revert: { messageID: 'u2' } } });
    const redo = event('session.updated', { info: { id: 'ses_1' } });
    expect(read(prompt, step(), later, undo).messages).toHaveLength(2);
    expect(read(prompt, step(), later, undo, redo).messages).toHaveLength(3);
  });

  it.each<[string, readonly unknown[], string, Readonly<Record<string, number>>]>([
    [
      'count for nothing where the part follows',
      [piece('p', 'a'), piece('p', 'b'), text('p', 'a1', 'ab!')],
      'ab!',
      {},
    ],
    [
      'go on from the part where no other follows',
      [text('p', 'a1', 'a'), piece('p', 'b'), piece('p', 'c')],
      'abc',
      { 'text put together from pieces': 1 },
    ],
    [
      'of a part that was never shown are a text',
      [piece('p', 'a'), piece('p', 'b')],
      'ab',
      { 'text put together from pieces': 1 },
    ],
    [
      'of a reasoning stay one',
      [part('p', 'a1', { type: 'reasoning', text: '' }), piece('p', 'hm')],
      'hm',
      { 'text put together from pieces': 1 },
    ],
  ])('pieces of text %s', (_, events, expected, repaired) => {
    const session = read(prompt, text('p0', 'u1', 'x'), step(), ...events);
    expect(textsOf(session)).toEqual(['x', expected]);
    expect(session.report).toEqual({ dropped: {}, repaired });
  });
});

describe('an error of a session', () => {
  it('befalls the step that is under way', () => {
    const next = step('a2', { time: { created: 3 } });
    const session = read(prompt, step('a1', { finish: 'tool-calls' }), next, failed('APIError'));
    expect(errorsOf(session)).toEqual(['', undefined, 'APIError']);
  });

  it('does not befall a step that comes later', () => {
    const next = step('a2', { time: { created: 3 } });
    expect(errorsOf(read(prompt, step(), failed('APIError'), next))).toEqual([
      '',
      'APIError',
      undefined,
    ]);
  });

  it('gives way to what the step itself tells', () => {
    const error = { name: 'MessageAbortedError' };
    const session = read(prompt, step(), failed('APIError'), step('a1', { error }));
    expect(errorsOf(session)).toEqual(['', 'MessageAbortedError']);
  });

  it('of a request that was too large takes the step with it', () => {
    const session = read(prompt, step(), failed('ContextOverflowError'));
    expect(session.messages).toHaveLength(1);
    expect(session.report.dropped).toEqual({ 'refused request': 1 });
  });

  it.each<[string, readonly unknown[]]>([
    ['before any step', [failed('APIError'), prompt]],
    ['after the last step', [prompt, step('a1', { finish: 'stop' }), failed('APIError')]],
    ['of another session', [prompt, step(), failed('APIError', 'ses_2')]],
  ])('%s is counted', (_, events) => {
    const session = read(...events);
    expect(errorsOf(session).filter(Boolean)).toEqual([]);
    expect(session.report.dropped).toEqual({ 'error of no step': 1 });
  });
});

describe('several sessions in one stream', () => {
  const inner = (over: Fields = {}) => [
    message('u9', 'user', { sessionID: 'ses_2', time: { created: 0 } }),
    message('a9', 'assistant', { sessionID: 'ses_2', time: { created: 3 } }),
    text('p9', 'a9', 'inner'),
    created('ses_2', over),
  ];
  const outer = [created(), prompt, step(), text('p1', 'a1', 'outer')];

  it.each<[string, readonly unknown[]]>([
    ['the session tells', [...inner({ parentID: 'ses_1' }), ...outer]],
    ['the call tells', [...inner(), ...outer, task('ses_2')]],
  ])('are apart, the task behind the session that started it, as %s', (_, events) => {
    const sessions = readAll(...events);
    expect(shownOf(sessions)).toEqual([
      ['kettle.jsonl#0', 'ses_1', false, undefined],
      ['kettle.jsonl#1', 'ses_2', true, 'ses_1'],
    ]);
    expect(textsOf(sessions[1]!)).toEqual(['', 'inner']);
  });

  it('stand in the order in which they began where neither is a task', () => {
    const sessions = readAll(...outer, ...inner(), task('ses_2', 'other'));
    expect(shownOf(sessions)).toEqual([
      ['kettle.jsonl#0', 'ses_2', false, undefined],
      ['kettle.jsonl#1', 'ses_1', false, undefined],
    ]);
  });

  it('tell of what the stream has lost in the first', () => {
    const sessions = readAll(...outer, ...inner(), event('oracle.spoke', {}));
    expect(sessions.map(({ report }) => report.dropped)).toEqual([
      { 'event of unknown type': 1 },
      {},
    ]);
  });

  it('leave out a session without messages', () => {
    const nobody = message('o1', 'oracle', { sessionID: 'ses_0', time: { created: 0 } });
    const sessions = readAll(nobody, ...outer);
    expect(sessions.map(({ name, sessionId }) => [name, sessionId])).toEqual([
      ['kettle.jsonl', 'ses_1'],
    ]);
    expect(sessions[0]!.report.dropped).toEqual({ 'message without a role': 1 });
  });

  it('are partial where the stream has not their beginning', () => {
    const sessions = readAll(...outer, ...inner().slice(0, 3));
    expect(sessions.map(({ sessionId, isPartial }) => [sessionId, isPartial])).toEqual([
      ['ses_2', true],
      ['ses_1', false],
    ]);
  });
});

describe('lines of a stream', () => {
  it.each<[string, (each: Fields) => unknown]>([
    ['bare', ({ event: each }) => each],
    ['in the envelope of a server', ({ event: payload }) => ({ directory: '/tea', payload })],
  ])('may hold their events %s', (_, unwrap) => {
    const lines = toLines([created(), prompt, text('p1', 'u1', 'x')].map(unwrap));
    expect(outline(readSessions('x', lines)[0]!)).toEqual(['user: x']);
  });

  it('that are broken or none are counted, and so are events that nobody knows', () => {
    const good = toLines([created(), prompt, text('p1', 'u1', 'x')]);
    const strays = toLines([
      { hello: 1 },
      event('oracle.spoke', {}),
      event('server.connected', {}),
      event('session.status', { sessionID: 'ses_1', status: { type: 'idle' } }),
      event('message.updated', { info: { id: 'u2', role: 'user' } }),
      event('message.updated', { info: { sessionID: 'ses_1', role: 'user' } }),
      text('p2', 'lost', 'y'),
      piece('p3', 'z', { field: 'raw' }),
      piece('p3', 'z', { delta: 1 }),
    ]);
    const glued = `${JSON.stringify(event('file.edited', {}))}${JSON.stringify(event('file.edited', {}))}\n`;
    const [session] = readSessions('x', `${good}${strays}${glued}{"event":{"type":"message.upd`);
    expect(outline(session!)).toEqual(['user: x']);
    expect(session!.report).toEqual({
      dropped: {
        'broken line': 1,
        'line that is no event': 1,
        'event of unknown type': 1,
        'message of no session': 2,
        'piece of no text': 2,
        'part without a message': 1,
      },
      repaired: { 'record on the line of another': 1 },
    });
  });

  it.each<[string, Fields]>([
    ['sessions only', created()],
    [
      'messages in events of another kind',
      event('oracle.spoke', { info: { id: 'u1', sessionID: 's' } }),
    ],
  ])('are of another format where they tell of %s', (_, line) => {
    expect(() => readSessions('x', toLines([line]))).toThrow(/ to be a recorded session /);
  });

  it('without anything to read are refused', () => {
    const lost = event('message.removed', { messageID: 'u1' });
    expect(() => read(prompt, lost)).toThrow(/^Expected .*, got events without messages\.$/);
  });
});
