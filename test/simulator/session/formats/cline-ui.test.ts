import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { recording } from '../../../support/session-files.ts';
import { toolsOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const said = (say: string, text: string, over: Fields = {}) => ({
  ts: 1,
  type: 'say',
  say,
  text,
  ...over,
});
const request = (counts: Fields = {}, over: Fields = {}) =>
  said('api_req_started', JSON.stringify(counts), over);
const answered = { tokensIn: 9, tokensOut: 1, cacheReads: 0, cacheWrites: 0 };
const read = (...messages: readonly Fields[]) => readSessions('x', JSON.stringify(messages))[0]!;

describe('a screen of Cline', () => {
  it('has the tokens around a condensation', () => {
    const [session] = readSessions('x', recording('cline-ui.json'));
    expect(session?.recordedCompactions).toEqual([
      {
        kind: 'full',
        messageIndex: 2,
        tokensBefore: 5420,
        tokensAfter: 900,
        summary: 'A summary of the kettle.',
      },
    ]);
  });

  it('has a compaction before the request that leaves out messages for the first time', () => {
    const cut = { conversationHistoryDeletedRange: [2, 3] };
    const session = read(
      said('task', 'x'),
      request(answered),
      said('text', 'a'),
      request(answered),
      said('text', 'b', cut),
      said('text', 'c', cut),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'assistant: b c']);
    expect(session.recordedCompactions).toEqual([{ kind: 'full', messageIndex: 2 }]);
  });

  it('has no step for a request that nothing answered', () => {
    const session = read(said('task', 'x'), request(), request(answered), said('text', 'a'));
    expect(outline(session)).toEqual(['user: x', 'assistant: a']);
  });

  it('shows some outputs, and pieces of others', () => {
    const found = { tool: 'searchFiles', path: '.', regex: 'hot', content: 'a.txt: hot' };
    const session = read(
      said('task', 'x'),
      request(answered),
      said('tool', JSON.stringify(found)),
      said('command', 'boil'),
      said('command_output', 'warm'),
      said('command_output', 'hot'),
      said('tool', JSON.stringify({ tool: 'readFile', path: 'a.txt', content: '/a.txt' })),
    );
    expect(toolsOf(session)).toMatchObject([
      { tool: 'searchFiles', state: { input: { path: '.', regex: 'hot' }, output: 'a.txt: hot' } },
      { tool: 'execute_command', state: { output: 'warm\nhot' } },
      { tool: 'readFile', state: { status: 'running' } },
    ]);
  });
});
