import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { toolsOf, usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const record = (type: string, over: Fields) => ({ type, time: 1_700_000_000_000, ...over });
const user = (text: string, origin: Fields = { kind: 'user' }) =>
  record('context.append_message', {
    message: { role: 'user', content: [{ type: 'text', text }], toolCalls: [], origin },
  });
const event = (type: string, stepUuid: string, over: Fields = {}) =>
  record('context.append_loop_event', { event: { type, stepUuid, ...over } });
const say = (step: string, part: Fields) => event('content.part', step, { part });
const call = (step: string, toolCallId: string) =>
  event('tool.call', step, { toolCallId, name: 'Boil', args: { toolCallId } });
const result = (toolCallId: string, output: unknown, isError = false) =>
  event('tool.result', '', { toolCallId, result: { output, isError } });
const end = (step: string, usage: Fields, finishReason = 'end_turn') =>
  record('context.append_loop_event', {
    event: { type: 'step.end', uuid: step, usage, finishReason },
  });

const lines = (...records: readonly Fields[]) =>
  records.map((each) => `${JSON.stringify(each)}\n`).join('');
const read = (...records: readonly Fields[]) => readSessions('x', lines(...records))[0]!;

describeSessionFormat({
  name: 'kimi-code',
  text: lines(
    record('config.update', { modelAlias: 'moonshot-ai/tea', systemPrompt: 'Be kind.' }),
    user('Boil it.'),
    say('s', { type: 'text', text: 'So be it.' }),
    call('s', 'c'),
    result('c', 'hot'),
    end('s', { inputOther: 5, output: 7, inputCacheRead: 9, inputCacheCreation: 0 }),
  ),
});

describe('a wire of Kimi Code', () => {
  it('tells the model how long a call took where the record has that', () => {
    const timed = event('tool.result', '', {
      toolCallId: 'c',
      result: { output: 'hot\n', durationMs: 82 },
    });
    const session = read(user('Boil it.'), call('s', 'c'), timed);
    expect(toolsOf(session)).toMatchObject([
      { state: { output: 'Wall time: 0.082 seconds\nhot\n' } },
    ]);
  });

  it('has the steps, calls and usage of each request', () => {
    const usage = { inputOther: 5, output: 7, inputCacheRead: 9, inputCacheCreation: 1 };
    const session = read(
      record('config.update', { modelAlias: 'moonshot-ai/tea', systemPrompt: 'Be kind.' }),
      user('x'),
      say('s', { type: 'think', think: 'Hm.' }),
      call('s', 'a'),
      call('s', 'b'),
      result('b', [{ type: 'text', text: 'cold' }], true),
      result('a', 'hot'),
      end('s', usage, 'tool_use'),
      say('t', { type: 'text', text: 'Done.' }),
      end('t', usage, 'max_tokens'),
    );
    expect(toolsOf(session)).toMatchObject([
      { tool: 'Boil', state: { input: { toolCallId: 'a' }, output: 'hot' } },
      { state: { status: 'error', error: 'cold' } },
    ]);
    expect(usagesOf(session)).toMatchObject([
      { input: 5, output: 7, cacheRead: 9, cacheWrite: 1 },
      { input: 5 },
    ]);
    expect(session).toMatchObject({ model: 'moonshot-ai/tea', system: 'Be kind.' });
    expect(session.messages.at(-1)).toMatchObject({ finish: 'length' });
  });

  it('keeps apart what a program wrote, except the prompt of a sub-agent', () => {
    const launched = user('Look.', { kind: 'system_trigger', name: 'subagent' });
    const reminded = user('Be brief.', { kind: 'injection' });
    const said = say('s', { type: 'text', text: 'a' });
    expect(outline(read(launched, reminded, said))).toEqual([
      'user: Look. (Be brief.)',
      'assistant: a',
    ]);
    expect(read(launched, said).isSide).toBe(true);
    expect(read(user('x'), said).isSide).toBe(false);
  });

  it('tells compactions', () => {
    const session = read(
      user('x'),
      say('s', { type: 'text', text: 'a' }),
      record('context.apply_compaction', { summary: 'A cup.', tokensBefore: 900, tokensAfter: 90 }),
      user('y'),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, tokensBefore: 900, tokensAfter: 90, summary: 'A cup.' },
    ]);
  });

  it('has a session up to each clearing of the context', () => {
    const clear = record('context.clear', {});
    const written = lines(
      record('config.update', { modelAlias: 'moonshot-ai/tea' }),
      clear,
      user('x'),
      say('s', { type: 'text', text: 'a' }),
      clear,
      user('y'),
      say('t', { type: 'text', text: 'b' }),
      clear,
    );
    const sessions = readSessions('x', written);
    expect(sessions.map(outline)).toEqual([
      ['user: x', 'assistant: a'],
      ['user: y', 'assistant: b'],
    ]);
    expect(sessions.map(({ model }) => model)).toEqual(['moonshot-ai/tea', 'moonshot-ai/tea']);
  });

  it('counts what it does not follow', () => {
    const session = read(
      user('x'),
      say('s', { type: 'dance' }),
      event('dance', 's'),
      result('lost', 'x'),
      record('context.undo', { count: 1 }),
    );
    expect(session.report.dropped).toEqual({
      'unknown content part': 1,
      'unknown record "dance"': 1,
      'tool result without a call': 1,
      'unknown record "context.undo"': 1,
    });
  });
});
