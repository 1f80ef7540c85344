import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { toolsOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const item = (role: string, content: unknown, over: Fields = {}, message: Fields = {}) => ({
  message: { role, content, ...message },
  contextItems: [],
  ...over,
});
const called = { toolCalls: [{ id: 'c', function: { name: 'boil', arguments: '{"a":1}' } }] };
const read = (...history: readonly Fields[]) =>
  readSessions('x', JSON.stringify({ sessionId: 's', history }))[0]!;

describe('a session of Continue', () => {
  it('has results in messages of their own, too', () => {
    const session = read(
      item('user', 'x'),
      item('thinking', 'Hm.'),
      item('assistant', '', {}, called),
      item('tool', 'hot', {}, { toolCallId: 'c' }),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: reasoning c:completed']);
    expect(toolsOf(session)).toMatchObject([{ state: { input: { a: 1 }, output: 'hot' } }]);
    expect(session.report.dropped).toEqual({});
  });

  it('was compacted where an item has a summary beside its message', () => {
    const session = read(
      item('user', 'x'),
      item('assistant', 'a', { conversationSummary: 'A cup.' }),
      item('user', 'y'),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, summary: 'A cup.' },
    ]);
  });

  it('is partial where a summary stands in the place of all before it', () => {
    const summary = item('assistant', 'A cup.', { conversationSummary: 'A cup.' });
    const session = read(summary, item('user', 'x'), item('assistant', 'a'));
    expect(session).toMatchObject({ isPartial: true, recordedCompactions: [] });
    expect(outline(session)).toEqual(['user: (A cup.) x', 'assistant: a']);
  });

  it.each([
    ['generated', 'running'],
    ['done', 'completed'],
    ['errored', 'error'],
  ])('has a call in state %s as %s', (status, wanted) => {
    const state = { toolCallId: 'c', status, output: [{ content: 'hot' }] };
    const session = read(
      item('user', 'x'),
      item('assistant', '', { toolCallStates: [state] }, called),
    );
    expect(toolsOf(session)[0]?.state.status).toBe(wanted);
  });
});
