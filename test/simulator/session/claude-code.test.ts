import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../src/simulator/session/read.ts';
import {
  call,
  type Line,
  outline,
  prompt,
  readLines,
  result,
  say,
  step,
  system,
  transcript,
} from './claude-lines.ts';

const usage = (output: number, input = 3) => ({
  message: {
    usage: {
      input_tokens: input,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 7 },
      output_tokens: output,
    },
  },
});

describe('steps', () => {
  it('puts records with one message id together, with results from between them', () => {
    const session = readLines(
      prompt('Why so late?'),
      step('m1', { type: 'thinking', thinking: 'Look.', signature: 'c2ln' }),
      step('m1', call('t1')),
      result('t1'),
      step('m1', call('t2')),
      result('t2', 'no such file', { is_error: true }),
      step('m2', say('Done.')),
    );
    expect(outline(session)).toEqual([
      'user: Why so late?',
      'assistant: reasoning t1:completed t2:error',
      'assistant: Done.',
    ]);
    expect(session.messages.map(({ id }) => id)).toEqual(['u1', 'm1', 'm2']);
  });

  it('counts usage once, and takes the last', () => {
    const { messages } = readLines(
      prompt('x'),
      step('m1', say('a'), usage(1)),
      step('m1', say('b'), usage(80)),
      step('m1', say('c')),
    );
    expect(messages[1]).toMatchObject({
      usage: { input: 3, output: 80, reasoning: 0, cacheRead: 50, cacheWrite: 7 },
    });
  });

  it('has no negative count', () => {
    const { messages } = readLines(prompt('x'), step('m1', say('a'), usage(-1, -42)));
    expect(messages[1]).toMatchObject({ usage: { input: 0, output: 0, cacheRead: 50 } });
  });

  it.each<[string, unknown]>([
    ['all counts are zero', { input_tokens: 0, output_tokens: 0 }],
    ['only the output is told', { output_tokens: 9 }],
    ['the input is no number', { input_tokens: '3', output_tokens: 9 }],
    ['nothing is told', {}],
  ])('has no usage where %s', (_, recorded) => {
    const { messages } = readLines(
      prompt('x'),
      step('m1', say('a'), { message: { usage: recorded } }),
    );
    expect(messages[1]).not.toHaveProperty('usage');
  });

  it.each<[string, Line]>([
    [
      'notices of the program',
      step('n', say('No response.'), { message: { model: '<synthetic>' } }),
    ],
    ['errors of the provider', step('n', say('API Error'), { isApiErrorMessage: true })],
  ])('leaves out %s, and says so', (_, notice) => {
    const session = readLines(prompt('x'), notice, step('m1', say('a')));
    expect(outline(session)).toEqual(['user: x', 'assistant: a']);
    expect(session.report.dropped).toEqual({ 'local notice': 1 });
    expect(session.model).toBe('anthropic/claude-kettle-1');
  });

  it('names the finish by what the recording did next', () => {
    const { messages } = readLines(
      prompt('x'),
      step('m1', call('t1'), { message: { stop_reason: 'max_tokens' } }),
      step('m2', say('a'), { message: { stop_reason: null } }),
      prompt('y'),
      step('m3', call('t2')),
    );
    expect(
      messages.map((each) => each.role === 'assistant' && [each.finish, each.parentId]),
    ).toEqual([false, ['tool-calls', 'u1'], ['stop', 'u1'], false, ['stop', 'u4']]);
  });

  it('makes an empty prompt for a step that stands first', () => {
    const session = readLines(step('m1', say('a')));
    expect(outline(session)).toEqual(['user:', 'assistant: a']);
    expect(session.report.repaired).toEqual({ 'session begins with a step': 1 });
    expect(session.isPartial).toBe(true);
  });

  it('gives a step without message id the id of its record', () => {
    const bare = { message: { id: undefined } };
    const { messages } = readLines(prompt('x'), step('', say('a'), bare), step('', say('b'), bare));
    expect(messages.map(({ id }) => id)).toEqual(['u1', 'u2', 'u3']);
  });
});

describe('tools', () => {
  it('leaves a call without a result running', () => {
    expect(outline(readLines(prompt('x'), step('m1', call('t1'))))).toContain(
      'assistant: t1:running',
    );
  });

  it('counts a result without a call', () => {
    const session = readLines(prompt('x'), step('m1', call('t1')), result('t1'), result('lost'));
    expect(session.report.dropped).toEqual({ 'tool result without a call': 1 });
    expect(session.isPartial).toBe(false);
  });

  it('holds each call and each result once', () => {
    const session = readLines(
      prompt('x'),
      step('m1', call('t1')),
      result('t1', 'first'),
      result('t1', 'second'),
      step('m2', call('t1')),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: t1:completed', 'assistant:']);
    expect(session.messages[1]?.parts[0]).toMatchObject({ state: { output: 'first' } });
    expect(session.report.dropped).toEqual({ 'repeated tool result': 1, 'repeated tool call': 1 });
  });

  it('joins the texts of an output and keeps its images apart', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    };
    const session = readLines(
      prompt('x'),
      step('m1', call('t1')),
      result('t1', [say('one'), image, say('two'), { type: 'tool_reference', tool_name: 'Grep' }]),
    );
    expect(session.messages[1]?.parts[0]).toMatchObject({
      state: {
        output: 'one\ntwo',
        attachments: [{ id: 'm1-1-file-1', mime: 'image/png', url: 'data:image/png;base64,AAAA' }],
      },
    });
    expect(session.report.dropped).toEqual({ 'unknown content block': 1 });
  });

  it('does not read the second copy of an output', () => {
    const copy = { ...result('t1'), toolUseResult: { originalFile: 'the whole file' } };
    const session = readLines(prompt('x'), step('m1', call('t1')), copy);
    expect(JSON.stringify(session)).not.toContain('the whole file');
  });
});

describe('records', () => {
  it('of a known type that no model saw are left out in silence', () => {
    const kinds = [
      'summary',
      'progress',
      'file-history-snapshot',
      'queue-operation',
      'pr-link',
      'mode',
    ];
    const session = readLines(
      prompt('x'),
      ...kinds.map((type) => ({ type })),
      system('turn_duration'),
    );
    expect(outline(session)).toEqual(['user: x']);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
  });

  it('that are broken, unknown, repeated or glued are counted', () => {
    const [first, second, third] = transcript(
      prompt('x'),
      { type: 'new-in-2030' },
      step('m1', say('a')),
    )
      .trim()
      .split('\n');
    const text = `${first}${second}\n${third}\n${first}\n42\n{"type":"user","mess`;
    const [session] = readSessions('kettle.jsonl', text);
    expect(outline(session!)).toEqual(['user: x', 'assistant: a']);
    expect(session!.report).toEqual({
      dropped: {
        'broken line': 1,
        'line that is no object': 1,
        'repeated record': 1,
        'unknown record "new-in-2030"': 1,
      },
      repaired: { 'record on the line of another': 1 },
    });
  });

  it('stand in the order in which they were written, whatever their time', () => {
    const session = readLines(
      prompt('x', { timestamp: '2026-01-02T09:00:00Z' }),
      step('m1', say('a'), { timestamp: 'no time' }),
      prompt('y', { timestamp: '2026-01-02T08:00:00Z' }),
    );
    expect(session.messages.map(({ createdAt }) => createdAt)).toEqual([
      Date.parse('2026-01-02T09:00:00Z'),
      0,
      Date.parse('2026-01-02T08:00:00Z'),
    ]);
  });

  it('without any message are no session', () => {
    const notice = step('n', say('x'), { isApiErrorMessage: true });
    expect(() => readLines(notice)).toThrow(/got a transcript without messages\.$/);
  });
});

describe('isOutputFinal', () => {
  it.each<[string | undefined, boolean]>([
    ['1.0.29', false],
    ['2.0.64', false],
    ['2.1.9', false],
    ['2.1.42', false],
    ['2.1.43', true],
    ['2.1.157', true],
    ['2.2.0', true],
    ['3.0.0', true],
    ['newest', false],
    [undefined, false],
  ])('of release %s is %s', (version, expected) => {
    const session = readLines(prompt('x', { version: '1.0.0' }), step('m1', say('a'), { version }));
    expect(session.isOutputFinal).toBe(expected);
  });

  it('is false where there are no steps', () => {
    expect(readLines(prompt('x', { version: '3.0.0' })).isOutputFinal).toBe(false);
  });

  it('is false where one step is of an older release', () => {
    const [old, newer] = [{ version: '2.1.5' }, { version: '2.2.0' }];
    const lines = [prompt('x'), step('m1', say('a'), old), step('m2', say('b'), newer)];
    expect(readLines(...lines).isOutputFinal).toBe(false);
  });
});
