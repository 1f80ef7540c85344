import { describe, expect, it, vi } from 'vitest';
import { createCallIds } from '../../../../src/simulator/session/reading/call-ids.ts';
import { readSessions } from '../../../../src/simulator/session/read.ts';
import { createTally } from '../../../../src/simulator/session/reading/tally.ts';
import { prompt, result, step, transcript } from '../claude-lines.ts';
import { entry, header, result as piResult, user } from '../pi/lines.ts';

const asLines = (...records: readonly object[]) =>
  records.map((record) => JSON.stringify(record)).join('\n');

/** The paths that are read one after another, each by a call of the same id. */
const PATHS = ['cup', 'pot'];

/** An item of a Codex rollout. */
const item = (payload: object) => ({ type: 'response_item', payload });

/** Two steps with a call each, whose ids a provider counts anew in each of them. */
const recordings: readonly (readonly [string, string])[] = [
  [
    'Claude Code',
    transcript(
      prompt('x'),
      ...PATHS.flatMap((path) => [
        step(path, { type: 'tool_use', id: 'call_0', name: 'Read', input: { path } }),
        result('call_0', path),
      ]),
    ),
  ],
  [
    'Codex',
    asLines(
      { type: 'session_meta', payload: { id: 'kettle' } },
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] }),
      ...PATHS.flatMap((path) => [
        item({
          type: 'function_call',
          name: 'read',
          arguments: JSON.stringify({ path }),
          call_id: 'call_0',
        }),
        item({ type: 'function_call_output', call_id: 'call_0', output: path }),
      ]),
    ),
  ],
  [
    'Gemini CLI',
    JSON.stringify({
      sessionId: 'kettle',
      projectHash: 'p',
      messages: [
        { id: 'u', type: 'user', content: 'x' },
        ...PATHS.map((path) => ({
          id: path,
          type: 'gemini',
          content: '',
          toolCalls: [
            {
              id: 'call_0',
              name: 'read',
              args: { path },
              result: [{ functionResponse: { id: 'call_0', response: { output: path } } }],
            },
          ],
        })),
      ],
    }),
  ],
  [
    'pi',
    asLines(
      header,
      user('x'),
      ...PATHS.flatMap((path) => [
        entry({
          role: 'assistant',
          content: [{ type: 'toolCall', id: 'call_0', name: 'read', arguments: { path } }],
        }),
        piResult('call_0', path),
      ]),
    ),
  ],
];

describe('calls of one id in several steps', () => {
  it.each(recordings)('of %s are all kept, each with its own result', (_, text) => {
    const [session] = readSessions('kettle', text);
    const calls = session!.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool' ? [[part.callId, part.state]] : [])),
    );
    expect(calls).toMatchObject([
      ['call_0', { input: { path: 'cup' }, output: 'cup' }],
      ['call_0-2', { input: { path: 'pot' }, output: 'pot' }],
    ]);
    expect(session!.report).toEqual({ dropped: {}, repaired: { 'repeated id': 1 } });
  });
});

const CALLS = 200;

describe('createCallIds', () => {
  it('writes out each call a few times at most, however many have one id', () => {
    let written = 0;
    const ids = createCallIds(createTally());
    const given = Array.from({ length: CALLS }, (_, index) => {
      const toJSON = () => {
        written += 1;
        return index;
      };
      return ids.ofCall('call_0', { name: 'bash', input: { toJSON } });
    });
    expect(new Set(given).size).toBe(CALLS);
    expect(written).toBeLessThanOrEqual(2 * CALLS);
  });

  it('writes out no call that has an id of its own', () => {
    const ids = createCallIds(createTally());
    const toJSON = vi.fn<() => void>();
    expect(ids.ofCall('a', { name: 'bash', input: { toJSON } })).toBe('a');
    expect(ids.ofCall('b', { name: 'bash', input: { toJSON } })).toBe('b');
    expect(toJSON).not.toHaveBeenCalled();
  });
});
