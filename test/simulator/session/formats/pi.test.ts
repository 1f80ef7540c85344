import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeSession } from '../../../../src/simulator/session/formats/canonical-lines.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
import {
  at,
  calling,
  entry,
  header,
  type Line,
  read,
  result,
  say,
  stepsOf,
  toolsOf,
  usage,
  user,
} from './pi-lines.ts';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/sessions/pi.jsonl');
const text = readFileSync(FIXTURE, 'utf8');

describeSessionFormat({ name: 'pi', text });

describe('a session', () => {
  const [session] = readSessions('kettle.jsonl', text);

  it('holds everything that was said, and a call together with its result', () => {
    expect(outline(session!)).toEqual([
      'user: Is the kettle on? file',
      'assistant: reasoning I will look. call-1:completed call-2:error',
      'assistant: It is off.',
      'user: ($ ls\ncup\nspoon) Then switch it on.',
      'assistant:',
      'user: Go on.',
      'assistant: On.',
    ]);
  });

  it('tells its id, its model, and that outputs are final', () => {
    expect(session).toMatchObject({
      sessionId: 'kettle',
      model: 'anthropic/claude-kettle-1',
      isSide: false,
      isPartial: false,
      isOutputFinal: true,
      report: { dropped: {}, repaired: {} },
    });
  });

  it('has the usage of each step, but for one that was cut off before it began', () => {
    const steps = stepsOf(session!);
    expect(steps.map((step) => 'usage' in step)).toEqual([true, true, false, true]);
    expect(steps[0]).toMatchObject({
      usage: { input: 3, output: 40, reasoning: 0, cacheRead: 0, cacheWrite: 2_000 },
    });
    expect(steps[2]).toMatchObject({
      error: { name: 'AbortedError', message: 'Request was aborted.' },
    });
  });

  it('has the cost of each step in nano-dollars, what was sent apart from what was written', () => {
    expect([...session!.recordedCosts!]).toEqual([
      ['message-2', { inputNanoUsd: 12_515_000, outputNanoUsd: 1_000_000 }],
      ['message-3', { inputNanoUsd: 1_567_500, outputNanoUsd: 225_000 }],
      ['message-7', { inputNanoUsd: 9_390_000, outputNanoUsd: 125_000 }],
    ]);
  });

  it('has no cost that is larger than any number of nano-dollars', () => {
    const dear = text.replaceAll(/"output": *0\.001\b/g, '"output": 1e300');
    const [costly] = readSessions('x', dear);
    expect(costly?.recordedCosts?.has('message-2')).toBe(false);
    const [again] = readSessions('x', [...writeSession(costly!)].join(''));
    expect(again?.messages).toEqual(costly?.messages);
  });

  it('tells when requests began, not when their answers were written down', () => {
    expect(session!.messages[1]?.createdAt).toBe(1767323042000);
  });

  it('keeps the tail that stayed behind a summary', () => {
    expect(session!.recordedCompactions).toEqual([
      {
        kind: 'full',
        messageIndex: 3,
        tokensBefore: 2_100,
        summary: 'They want tea.',
        firstKeptMessageIndex: 2,
      },
    ]);
  });
});

describe('entries', () => {
  it('takes the time of the record where that of its message is none that dates can name', () => {
    const told = { role: 'user', content: 'x', timestamp: 1e308 };
    const { messages } = read(entry(told, { timestamp: '2026-01-02T03:04:05.000Z' }), say('a'));
    expect(messages.map(({ createdAt }) => createdAt)).toEqual([1767323045000, 0]);
  });

  it('without a time of their own have that of their line', () => {
    const { messages } = read(user('x', { timestamp: '2026-01-02T03:04:05.000Z' }), say('a'));
    expect(messages.map(({ createdAt }) => createdAt)).toEqual([1767323045000, 0]);
  });

  it('of unknown types are counted, and those that keep books are not', () => {
    const { report } = read(
      { type: 'custom' },
      { type: 'label' },
      { type: 'session_info' },
      { type: 'oracle' },
      {},
      user('x'),
      say('a'),
    );
    expect(report.dropped).toEqual({ 'unknown record "oracle"': 1, 'unknown record': 1 });
  });

  it('that are no objects keep their place, by which a compaction knows them', () => {
    const lines = [
      JSON.stringify(header),
      '7',
      JSON.stringify(user('x')),
      JSON.stringify(say('a')),
    ];
    const compaction = JSON.stringify({ type: 'compaction', summary: 's', firstKeptEntryIndex: 3 });
    const [session] = readSessions('k', [...lines, compaction].join('\n'));
    expect(session?.recordedCompactions).toMatchObject([{ firstKeptMessageIndex: 1 }]);
    expect(session?.report.dropped).toEqual({ 'line that is no object': 1 });
  });

  it.each<[string, Line, number | undefined]>([
    ['a message', { firstKeptEntryIndex: 2 }, 1],
    ['a tool result, which went with its call', { firstKeptEntryIndex: 3 }, 2],
    ['nothing', {}, undefined],
    ['an entry that is not there', { firstKeptEntryIndex: 99 }, undefined],
  ])('of a compaction may keep %s', (_, kept, firstKept) => {
    const { recordedCompactions } = read(
      user('x'),
      calling('c'),
      result('c'),
      say('a'),
      { type: 'compaction', summary: 's', ...kept },
      user('y'),
    );
    expect(recordedCompactions).toMatchObject([{ messageIndex: 3 }]);
    expect(recordedCompactions[0]?.firstKeptMessageIndex).toBe(firstKept);
  });

  it('that begin with a compaction go on from something that is not there', () => {
    const session = read({ type: 'compaction', summary: 'Before.' }, user('x'), say('a'));
    expect(session).toMatchObject({ isPartial: true, recordedCompactions: [] });
    expect(outline(session)).toEqual(['user: (Before.) x', 'assistant: a']);
  });

  it('that begin with a step do so too', () => {
    expect(read(say('a'), user('x'))).toMatchObject({ isPartial: true });
  });

  it('of a shell belong to the next prompt, else to the message before', () => {
    const shell = entry({ role: 'bashExecution', command: 'ls', output: 'cup' });
    expect(outline(read(user('x'), say('a'), shell))).toEqual([
      'user: x',
      'assistant: a ($ ls\ncup)',
    ]);
    expect(outline(read(shell, say('a')))).toEqual(['user: ($ ls\ncup)', 'assistant: a']);
  });

  it('that a program put in are seen by the model', () => {
    const injected = { type: 'custom_message', content: 'Mind the steam.' };
    expect(outline(read(injected, user('x'), say('a')))[0]).toBe('user: (Mind the steam.) x');
    expect(outline(read(user('x'), injected, say('a')))[0]).toBe('user: x (Mind the steam.)');
  });

  it('of a branch that was left are seen by the model as a summary', () => {
    const left = { type: 'branch_summary', fromId: 'b', summary: 'They tried a whistle.' };
    const session = read(user('x'), say('a'), left, user('y'), say('b'));
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: a',
      'user: (They tried a whistle.) y',
      'assistant: b',
    ]);
    expect(session.report.dropped).toEqual({});
  });

  it('of a shell that a person kept to themselves are not', () => {
    const secret = entry({
      role: 'bashExecution',
      command: 'env',
      output: 'cup',
      excludeFromContext: true,
    });
    const session = read(secret, user('x'), say('a'));
    expect(outline(session)[0]).toBe('user: x');
    expect(session.report.dropped).toEqual({ 'shell output that was not sent': 1 });
  });

  it('that hold no message are refused', () => {
    const lines = [header, entry({ role: 'toolResult', toolCallId: 'c', content: 'x' })];
    const lonely = lines.map((line) => JSON.stringify(line)).join('\n');
    expect(() => readSessions('k', lonely)).toThrow(/got a pi session without messages\.$/);
  });
});

describe('entries of a tree', () => {
  it('are those that lead to the last one', () => {
    const session = read(
      user('x', at('a', null)),
      say('wrong', {}, at('b', 'a')),
      user('worse', at('c', 'b')),
      say('right', {}, at('d', 'a')),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: right']);
    expect(session.messages.map(({ id }) => id)).toEqual(['a', 'd']);
    expect(session.report.dropped).toEqual({ 'message of another branch': 2 });
  });

  it('begin anew at a root', () => {
    const session = read(
      user('x', at('a', null)),
      user('y', at('b', null)),
      say('z', {}, at('c', 'b')),
    );
    expect(outline(session)).toEqual(['user: y', 'assistant: z']);
  });

  it.each<[string, string]>([
    ['that is not there', 'lost'],
    ['that comes later', 'c'],
    ['that is the entry itself', 'b'],
  ])('with a parent %s follow the one before', (_, parentId) => {
    const session = read(
      user('x', at('a', null)),
      say('y', {}, at('b', parentId)),
      user('z', at('c', 'b')),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: y', 'user: z']);
  });

  it('are known to a compaction by their id', () => {
    const { recordedCompactions } = read(
      user('x', at('a', null)),
      say('y', {}, at('b', 'a')),
      { type: 'compaction', summary: 's', firstKeptEntryId: 'b', ...at('c', 'b') },
      user('z', at('d', 'c')),
    );
    expect(recordedCompactions).toMatchObject([{ messageIndex: 2, firstKeptMessageIndex: 1 }]);
  });
});

describe('steps', () => {
  it.each<[string, unknown]>([
    ['aborted', { name: 'AbortedError', message: '' }],
    ['error', { name: 'APIError', message: '' }],
    ['stop', undefined],
  ])('that ended with %s', (stopReason, error) => {
    const [step] = read(user('x'), say('a', { stopReason })).messages.slice(1);
    expect(step?.role === 'assistant' && step.error).toEqual(error);
  });

  it('have no cost where it is free, and none without usage', () => {
    const free = usage({ cost: { input: 0, output: 0 } });
    const unused = { usage: { cost: { input: 1 } } };
    expect(read(user('x'), say('a', free), say('b', unused))).not.toHaveProperty('recordedCosts');
  });

  it.each<[string, readonly Line[], string | undefined]>([
    ['of the first that names one', [say('a'), say('b', { provider: 'p', model: 'm' })], 'p/m'],
    [
      'of the session otherwise',
      [{ type: 'model_change', provider: 'p', modelId: 'n' }, say('a')],
      'p/n',
    ],
    ['of nobody', [say('a')], undefined],
  ])('have the model %s', (_, lines, model) => {
    expect(read(user('x'), ...lines).model).toBe(model);
  });
});

describe('tools', () => {
  it('pair calls with results by id, in whatever order they came', () => {
    const session = read(user('x'), calling('c1', 'c2', 'c3'), result('c2', 'text'), result('c1'));
    expect(toolsOf(session)).toMatchObject([
      { callId: 'c1', tool: 'read', state: { status: 'completed', input: { path: 'c1' } } },
      { callId: 'c2', state: { output: 'text' } },
      { callId: 'c3', state: { status: 'running' } },
    ]);
  });

  it('may give images', () => {
    const image = { type: 'image', data: 'AA', mimeType: 'image/gif' };
    const [tool] = toolsOf(read(user('x'), calling('c'), result('c', [image])));
    expect(tool?.state).toMatchObject({
      output: '',
      attachments: [{ mime: 'image/gif', url: 'data:image/gif;base64,AA' }],
    });
  });

  it.each<[string, readonly Line[], Line]>([
    ['a result without a call', [calling(), result('lost')], { 'tool result without a call': 1 }],
    [
      'a result without an id',
      [entry({ role: 'toolResult' }), say('a')],
      { 'tool result without a call': 1 },
    ],
    [
      'a second result',
      [calling('c'), result('c'), result('c', 'two')],
      { 'repeated tool result': 1 },
    ],
    ['a second call', [calling('c'), calling('c'), result('c')], { 'repeated tool call': 1 }],
    [
      'unknown content',
      [say('a', { content: [{ type: 'smell' }] })],
      { 'unknown content block': 1 },
    ],
    [
      'unknown output',
      [calling('c'), result('c', [{ type: 'smell' }])],
      { 'unknown content block': 1 },
    ],
  ])('count %s', (_, lines, dropped) => {
    expect(read(user('x'), ...lines).report.dropped).toEqual(dropped);
  });
});

describe('a system prompt', () => {
  it('is the newest that is recorded, in its pieces', () => {
    const old = entry({ role: 'system', content: 'Be quick.' });
    const prompt = entry({ role: 'system', content: '', sections: { a: 'Be kind.', b: 'Boil.' } });
    const session = read(old, prompt, user('x'), say('a'));
    expect(session.system).toBe('Be kind.\n\nBoil.');
    expect(session.report.dropped).toEqual({});
  });
});
