import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const record = (uuid: string, type: string, over: Fields) => ({
  uuid,
  sessionId: 'kettle',
  type,
  timestamp: '2026-01-01T00:00:00Z',
  ...over,
});
const user = (uuid: string, text: string, over: Fields = {}) =>
  record(uuid, 'user', { message: { role: 'user', parts: [{ text }] }, ...over });
const say = (uuid: string, parts: readonly Fields[], over: Fields = {}) =>
  record(uuid, 'assistant', { message: { role: 'model', parts }, model: 'tea', ...over });
const call = (id: string) => ({ functionCall: { id, name: 'boil', args: { id } } });
const result = (uuid: string, id: string) => {
  const functionResponse = { id, name: 'boil', response: { output: 'hot' } };
  return record(uuid, 'tool_result', { message: { role: 'user', parts: [{ functionResponse }] } });
};

/** Records, each the child of the one before unless it names another parent. */
const lines = (...records: readonly Fields[]) =>
  records
    .map((each, index) => ({ parentUuid: records[index - 1]?.['uuid'] ?? null, ...each }))
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('');
const read = (...records: readonly Fields[]) => readSessions('x', lines(...records))[0]!;

describeSessionFormat({
  name: 'qwen-code',
  text: lines(user('u', 'x'), say('a', [{ text: 'So.' }, call('c')]), result('r', 'c')),
});

describe('a session of Qwen Code', () => {
  it('names the newest release that wrote it', () => {
    const { release } = read(
      user('u', 'x', { version: '0.15.1' }),
      say('a', [], { version: '0.24.4' }),
    );
    expect(release).toEqual([0, 24, 4]);
  });

  it('has the window of each answer, and its model', () => {
    const session = read(
      user('u', 'x'),
      say('a', [{ text: 'So.' }], { contextWindowSize: 1_000_000 }),
      user('v', 'y'),
      say('b', [{ text: 'Now.' }], { contextWindowSize: 200_000, model: 'cup' }),
    );
    expect(session.recordedWindows).toEqual([
      { messageIndex: 1, contextTokens: 1_000_000 },
      { messageIndex: 3, contextTokens: 200_000 },
    ]);
    expect(session.messages[3]).toMatchObject({ model: 'qwen-code/cup' });
  });

  it('pairs calls with results, and records of one id are one step', () => {
    const usageMetadata = {
      promptTokenCount: 90,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 5,
      cachedContentTokenCount: 30,
      totalTokenCount: 110,
    };
    const session = read(
      user('u', 'x'),
      say('a', [{ text: 'Hm.', thought: true }]),
      { ...say('a', [call('c')], { usageMetadata }), parentUuid: 'u' },
      result('r', 'c'),
      say('b', [{ text: 'Done.' }]),
    );
    expect(toolsOf(session)).toMatchObject([{ tool: 'boil', state: { output: 'hot' } }]);
    expect(outline(session).length).toBe(3);
    expect(session.messages[1]?.parts[0]).toMatchObject({ type: 'reasoning', text: 'Hm.' });
    expect(usagesOf(session)).toMatchObject([
      { input: 60, cacheRead: 30, output: 15, reasoning: 5 },
      undefined,
    ]);
    expect(session).toMatchObject({ sessionId: 'kettle', model: 'qwen-code/tea' });
  });

  it('leaves out branches that were taken back', () => {
    const session = read(
      user('u', 'x'),
      say('a', [{ text: 'a' }]),
      { ...record('s', 'system', { subtype: 'rewind' }), parentUuid: 'u' },
      user('v', 'y'),
    );
    expect(outline(session)).toEqual(['user: x', 'user: y']);
    expect(session.report.dropped).toEqual({ 'message that was taken back': 1 });
  });

  it('keeps apart what a program wrote', () => {
    const session = read(
      user('u', 'x'),
      say('a', [{ text: 'a' }]),
      user('n', 'It boils.', { subtype: 'notification' }),
      say('b', [{ text: 'b' }]),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: a (It boils.)', 'assistant: b']);
  });

  it('tells compressions with their summaries', () => {
    const systemPayload = {
      info: { originalTokenCount: 900, newTokenCount: 90 },
      compressedHistory: [{ role: 'user', parts: [{ text: 'A cup.' }] }],
    };
    const session = read(
      user('u', 'x'),
      say('a', [{ text: 'a' }]),
      record('s', 'system', { subtype: 'chat_compression', systemPayload }),
      user('v', 'y'),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, tokensBefore: 900, tokensAfter: 90, summary: 'A cup.' },
    ]);
  });
});
