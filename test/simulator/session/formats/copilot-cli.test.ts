import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const event = (type: string, data: Fields) => ({ type, data, timestamp: '2026-01-01T00:00:00Z' });
const start = event('session.start', { sessionId: 'kettle', selectedModel: 'tea-1' });
const user = (content: string, over: Fields = {}) => event('user.message', { content, ...over });
const say = (content: string, over: Fields = {}) =>
  event('assistant.message', { content, ...over });
const calling = (toolCallId: string, over: Fields = {}, input: Fields = {}) =>
  say('', { toolRequests: [{ toolCallId, name: 'boil', arguments: input }], ...over });
const result = (toolCallId: string, content: string, over: Fields = {}) =>
  event('tool.execution_complete', { toolCallId, success: true, result: { content }, ...over });
const counts = (count: number, usage: Fields) =>
  event('session.shutdown', { modelMetrics: { 'tea-1': { requests: { count }, usage } } });

const readAll = (...events: readonly Fields[]) =>
  readSessions('x', [start, ...events].map((each) => `${JSON.stringify(each)}\n`).join(''));
const read = (...events: readonly Fields[]) => readAll(...events)[0]!;

describe('events of Copilot CLI', () => {
  it('keep apart what the program put around a prompt', () => {
    const session = read(user('x', { transformedContent: '<now>1</now>\nx\n<files/>' }), say('a'));
    expect(session.messages[0]?.parts).toMatchObject([
      { text: '<now>1</now>\n', synthetic: true },
      { text: 'x' },
      { text: '\n<files/>', synthetic: true },
    ]);
    expect(session).toMatchObject({ sessionId: 'kettle', model: 'github-copilot/tea-1' });
  });

  it('of a sub-agent are a session of its own', () => {
    const side = { parentToolCallId: 'c1' };
    const sessions = readAll(
      user('x'),
      calling('c1', {}, { prompt: 'Look.' }),
      calling('c2', side),
      result('c2', 'cold', side),
      result('c1', 'hot'),
      say('a'),
    );
    expect(sessions.map(outline)).toEqual([
      ['user: x', 'assistant: c1:completed', 'assistant: a'],
      ['user: Look.', 'assistant: c2:completed'],
    ]);
    expect(sessions.map(({ isSide }) => isSide)).toEqual([false, true]);
    expect(sessions[0]?.sideSessions).toEqual([{ callId: 'c1', sessionId: 'c1' }]);
    expect(sessions[1]).toMatchObject({ sessionId: 'c1', parentSessionId: 'kettle' });
  });

  it('tell compactions with their summaries', () => {
    const session = read(
      user('x'),
      say('a'),
      event('session.compaction_complete', {
        success: true,
        preCompactionTokens: 900,
        postCompactionTokens: 90,
        summaryContent: 'A cup.',
      }),
      event('session.compaction_complete', { success: false }),
      say('b'),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, tokensBefore: 900, tokensAfter: 90, summary: 'A cup.' },
    ]);
  });

  it('give the usage of a run to its steps only if there was a request for each', () => {
    const usage = { inputTokens: 50, outputTokens: 7, cacheReadTokens: 20, cacheWriteTokens: 0 };
    const one = read(user('x'), say('a'), counts(1, usage));
    expect(usagesOf(one)).toMatchObject([{ input: 30, cacheRead: 20, output: 7 }]);
    expect(one.report).toEqual({ dropped: {}, repaired: {} });
    const other = read(user('x'), say('a'), counts(2, usage));
    expect(usagesOf(other)).toEqual([undefined]);
    expect(other.report.dropped).toEqual({ 'usage of other requests': 1 });
  });

  it('count what is not recorded', () => {
    const session = read(
      user('x', { attachments: [{ type: 'file', path: 'a.txt' }] }),
      say('a'),
      event('session.truncation', { tokensRemovedDuringTruncation: 9, tokenLimit: 128_000 }),
      event('session.truncation', { tokensRemovedDuringTruncation: 0 }),
      event('session.dance', {}),
      result('lost', 'x'),
    );
    expect(session.recordedWindows).toEqual([{ messageIndex: 2, contextTokens: 128_000 }]);
    expect(session.report.dropped).toEqual({
      'attachment without content': 1,
      truncation: 1,
      'unknown record "session.dance"': 1,
      'tool result without a call': 1,
    });
  });
});
