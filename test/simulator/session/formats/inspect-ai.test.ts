import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { recording } from '../../../support/session-files.ts';
import { usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const user = { role: 'user', content: 'x', id: 'm1' };
const say = (id: string | undefined, content: string) => ({ role: 'assistant', content, id });
const request = (input_tokens: number, id?: string) => ({
  event: 'model',
  model: 'tea/kettle-1',
  output: { choices: [{ message: { id } }], usage: { input_tokens, output_tokens: 2 } },
});
const read = (...samples: readonly Fields[]) =>
  readSessions('x', JSON.stringify({ eval: { task: 't', model: 'tea/leaf' }, samples }));

describe('a log of inspect_ai', () => {
  it('has what its requests were compacted to, and who paid for the summary', () => {
    const [session] = readSessions('x', recording('inspect-ai.json'));
    expect(session?.messages[0]?.parts).toMatchObject([{ text: 'Is the kettle on?' }]);
    expect(session?.recordedCompactions).toEqual([
      {
        kind: 'full',
        messageIndex: 2,
        tokensBefore: 5050,
        tokensAfter: 900,
        summary: 'A summary of the kettle.',
        summaryUsage: { input: 5100, output: 90, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
      },
    ]);
  });

  it('clears outputs where an edit says so', () => {
    const edit = { event: 'compaction', type: 'edit', tokens_before: 50, tokens_after: 20 };
    const events = [request(40, 'a'), edit, request(20, 'b')];
    const [session] = read({ messages: [user, say('a', 'a'), say('b', 'b')], events });
    expect(session?.recordedCompactions).toEqual([
      { kind: 'micro', messageIndex: 2, tokensBefore: 50, tokensAfter: 20 },
    ]);
  });

  it('has requests of other models, which belong to no step', () => {
    const events = [request(7, 'grader'), request(40, 'a')];
    const [session] = read({ messages: [user, say('a', 'a')], events });
    expect(usagesOf(session!)).toMatchObject([{ input: 40 }]);
    expect(session?.model).toBe('tea/kettle-1');
  });

  it('takes requests in order where nothing has an id', () => {
    const messages = [user, say(undefined, 'a'), say(undefined, 'b')];
    const [paired] = read({ messages, events: [request(40), request(50)] });
    expect(usagesOf(paired!)).toMatchObject([{ input: 40 }, { input: 50 }]);
    const [unpaired] = read({ messages, events: [request(40)] });
    expect(usagesOf(unpaired!)).toEqual([undefined, undefined]);
  });

  it('gives a session for each sample, and counts those without messages', () => {
    const sessions = read({ messages: [] }, { messages: [user, say('a', 'a')] });
    expect(sessions.map(outline)).toEqual([['user: x', 'assistant: a']]);
    expect(sessions[0]).toMatchObject({
      model: 'tea/leaf',
      report: { dropped: { 'record without messages': 1 } },
    });
  });
});
