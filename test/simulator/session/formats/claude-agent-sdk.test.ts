import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import {
  boundary,
  end,
  init as initOfLines,
  type Line,
  read as readOfLines,
  say,
  status,
  step,
  SUMMARY,
  toText,
  usage,
  user,
} from './claude-agent-sdk-lines.ts';
import {
  call as callOfClaudeLines,
  type Line as LineOfClaudeLines,
  outline,
  prompt,
  result as resultOfClaudeLines,
  say as sayOfClaudeLines,
  step as stepOfClaudeLines,
} from './claude-code-lines.ts';
import { surestMatches } from '../../../support/session-matches.ts';

const call = (id: string): Line => ({ type: 'tool_use', id, name: 'Read', input: { path: id } });
const result = (id: string): Line =>
  user([{ type: 'tool_result', tool_use_id: id, content: `output of ${id}` }]);

/** A record in the envelope of a logger. */
function wrap({ type, message, ...rest }: Line, index: number): Line {
  const timestamp = `2026-01-02T03:04:0${index % 10}.5+00:00`;
  return { type, message: message ?? rest, timestamp };
}

const run = [
  initOfLines(),
  step('m1', say('I will look.'), { usage: usage(3, 1) }),
  step('m1', call('t1'), { usage: usage(3, 40) }),
  result('t1'),
  status('compacting'),
  status(null),
  boundary,
  user([say(SUMMARY)]),
  initOfLines(),
  step('m2', say('It is off.'), { usage: usage(9, 8) }),
  end,
];

describeSessionFormat({ name: 'claude-agent-sdk', text: toText(run) });
describeSessionFormat({
  name: 'claude-agent-sdk',
  text: toText(run.map(wrap)),
});

describe.each<[string, readonly Line[]]>([
  ['as it is', run],
  ['in the envelopes of a logger', run.map(wrap)],
])('a stream %s', (_, lines) => {
  const session = readOfLines(...lines);

  it('holds each step once, after the prompt that it does not tell', () => {
    expect(outline(session)).toEqual([
      'user:',
      'assistant: I will look. t1:completed',
      'assistant: It is off.',
    ]);
    expect(session.report).toEqual({
      dropped: {},
      repaired: { 'prompt that was not recorded': 1 },
    });
  });

  it('tells its id and model, and begins at the beginning', () => {
    expect(session).toMatchObject({
      sessionId: 'kettle',
      model: 'anthropic/claude-kettle-1',
      isSide: false,
      isPartial: false,
      isOutputFinal: true,
      cacheTtlMs: 300_000,
    });
  });

  it('has the last count of each step', () => {
    const usages = session.messages.map((message) => 'usage' in message && message.usage);
    expect(usages).toEqual([
      false,
      { input: 3, output: 40, reasoning: 0, cacheRead: 50, cacheWrite: 7 },
      { input: 9, output: 8, reasoning: 0, cacheRead: 50, cacheWrite: 7 },
    ]);
  });

  it('has the compaction with its summary, which is no message', () => {
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', trigger: 'auto', tokensBefore: 900, messageIndex: 2, summary: SUMMARY },
    ]);
  });
});

it('reads the same from one list', () => {
  expect(readSessions('x', JSON.stringify(run))).toEqual(readSessions('x', toText(run)));
});

describe('a session', () => {
  it('is partial where the stream begins after its start', () => {
    const line = step('m1', say('a'));
    expect(readOfLines({ ...line, session_id: 'kettle' }).isPartial).toBe(true);
    expect(readOfLines(initOfLines(), line).isPartial).toBe(false);
  });

  it('of a sub-agent stands apart, with the session that called it', () => {
    const inside = { parent_tool_use_id: 'task', session_id: 'kettle' };
    const sessions = readSessions(
      'k',
      toText([
        initOfLines(),
        step('m1', call('task')),
        user('Look below the sink.', inside),
        { ...step('s1', call('t2')), ...inside },
        { ...result('t2'), ...inside },
        result('task'),
        step('m2', say('Found.')),
      ]),
    );
    expect(sessions.map(outline)).toEqual([
      ['user:', 'assistant: task:completed', 'assistant: Found.'],
      ['user: Look below the sink.', 'assistant: t2:completed'],
    ]);
    expect(sessions.map(({ name, isSide, isPartial }) => [name, isSide, isPartial])).toEqual([
      ['k#0', false, false],
      ['k#1', true, false],
    ]);
    expect(sessions[1]).toMatchObject({ sessionId: 'task', parentSessionId: 'kettle' });
    expect(sessions[0]).not.toHaveProperty('parentSessionId');
  });
});

describe('records', () => {
  it('of unknown types are counted by type, and those that keep books are not', () => {
    const { report } = readOfLines(
      initOfLines(),
      { type: 'stream_event', event: {} },
      { type: 'oracle' },
      { type: 'oracle' },
      { type: 'comet' },
      {},
      step('m1', say('a')),
    );
    expect(report.dropped).toEqual({
      'unknown record "oracle"': 2,
      'unknown record "comet"': 1,
      'unknown record': 1,
    });
  });

  it('count once', () => {
    const line = { ...user('Tea?'), uuid: 'u1' };
    const session = readOfLines(initOfLines(), line, line, step('m1', say('a')));
    expect(outline(session)).toEqual(['user: Tea?', 'assistant: a']);
    expect(session.report.dropped).toEqual({ 'repeated record': 1 });
  });

  it.each<[string, readonly Line[]]>([
    ['a run without a word', [initOfLines(), end]],
    ['messages without a session', [user('Tea?'), step('m1', say('a'))]],
    ['another program’s notice', [{ type: 'system', subtype: 'weather', session_id: 'k' }]],
  ])('of %s are no stream', (_, lines) => {
    const file = createSourceFile('x', toText(lines));
    expect(surestMatches(file)).toEqual([]);
  });

  it('with the ids of a transcript are one', () => {
    const both = { ...user('Tea?'), sessionId: 's', uuid: 'u' };
    const file = createSourceFile('x', toText([initOfLines(), both, end]));
    expect(surestMatches(file)).toEqual(['claude-code']);
  });

  it('of conversations that are not there are refused', () => {
    const notice = step('m1', say('a'), { model: '<synthetic>' });
    expect(() => readOfLines(initOfLines(), notice)).toThrow('without messages.');
  });
});

const init = { type: 'system', subtype: 'init', session_id: 'kettle' };
const read = (...lines: readonly LineOfClaudeLines[]) =>
  readSessions(
    'k',
    [init, ...lines]
      .map((line) => `${JSON.stringify({ session_id: 'kettle', ...line })}\n`)
      .join(''),
  );
const inside = (id: string, ...lines: readonly LineOfClaudeLines[]) =>
  lines.map((line) => ({ ...line, parent_tool_use_id: id }));
const task = (id: string, given = 'Look.') =>
  stepOfClaudeLines(`m-${id}`, { ...callOfClaudeLines(id, 'Task'), input: { prompt: given } });

describe('the stream of a sub-agent', () => {
  it('is linked to the call that it names, also inside of another one', () => {
    const sessions = read(
      prompt('x'),
      task('c1'),
      task('c2'),
      ...inside('c2', prompt('Look.'), task('c3')),
      ...inside('c3', prompt('Look.'), stepOfClaudeLines('m9', sayOfClaudeLines('There.'))),
      resultOfClaudeLines('c2'),
    );
    expect(sessions.map(({ sessionId, sideSessions }) => [sessionId, sideSessions])).toEqual([
      ['kettle', [{ callId: 'c2', sessionId: 'c2' }]],
      ['c2', [{ callId: 'c3', sessionId: 'c3' }]],
      ['c3', undefined],
    ]);
  });

  it('has no link where the stream does not hold its call', () => {
    const [session] = read(
      prompt('x'),
      stepOfClaudeLines('m1', callOfClaudeLines('c1')),
      ...inside('c0', prompt('Look.')),
    );
    expect(session).not.toHaveProperty('sideSessions');
  });
});

describe('turns', () => {
  it('of a second run belong to the same session', () => {
    const session = readOfLines(
      initOfLines(),
      step('m1', say('a')),
      end,
      initOfLines(),
      step('m2', say('b')),
      end,
    );
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'user:', 'assistant: b']);
    expect(session.sessionId).toBe('kettle');
  });

  it('end with a result, also where nothing says that a run begins', () => {
    const session = readOfLines(initOfLines(), step('m1', say('a')), end, step('m2', say('b')));
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'user:', 'assistant: b']);
  });

  it('begin with a new run also where the last one broke off', () => {
    const session = readOfLines(
      initOfLines(),
      step('m1', say('a')),
      initOfLines(),
      step('m2', say('b')),
    );
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'user:', 'assistant: b']);
  });

  it('begin with prompts where the stream tells them', () => {
    const session = readOfLines(
      initOfLines(),
      user('Tea?', { uuid: 'u1' }),
      step('m1', say('a')),
      end,
      user('And now?'),
      step('m2', say('b')),
    );
    expect(outline(session)).toEqual([
      'user: Tea?',
      'assistant: a',
      'user: And now?',
      'assistant: b',
    ]);
    expect(session.messages[0]?.id).toBe('u1');
    expect(session.report.repaired).toEqual({});
  });

  it.each<[string, readonly Line[]]>([
    ['behind its boundary', [status('compacting'), boundary, initOfLines()]],
    ['behind its summary', [boundary, user(SUMMARY), initOfLines()]],
    ['before its boundary', [status('compacting'), status(null), initOfLines(), boundary]],
  ])('go on where a compaction begins a run anew %s', (_, lines) => {
    const session = readOfLines(
      initOfLines(),
      step('m1', say('a')),
      ...lines,
      step('m2', say('b')),
    );
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'assistant: b']);
  });

  it('end with a run that follows a compaction', () => {
    const runs = [boundary, step('m2', say('b')), initOfLines(), step('m3', say('c'))];
    const session = readOfLines(initOfLines(), step('m1', say('a')), ...runs);
    expect(outline(session).slice(2)).toEqual(['assistant: b', 'user:', 'assistant: c']);
  });

  it('do not begin with what a program wrote', () => {
    const session = readOfLines(
      initOfLines(),
      step('m1', say('a')),
      user('Stop hook: not yet.', { isSynthetic: true }),
      step('m2', say('b')),
    );
    expect(outline(session)).toEqual([
      'user:',
      'assistant: a (Stop hook: not yet.)',
      'assistant: b',
    ]);
  });

  it('begin with what follows a boundary, if it is no summary', () => {
    const session = readOfLines(
      initOfLines(),
      step('m1', say('a')),
      boundary,
      user('Tea!'),
      step('m2', say('b')),
    );
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'user: Tea!', 'assistant: b']);
  });

  it.each<[string, Line, string | undefined]>([
    ['its start', user([say(SUMMARY)]), SUMMARY],
    ['its author', user('Tea.', { isSynthetic: true }), 'Tea.'],
    ['nothing', user('Tea.'), undefined],
  ])('are told from a summary by %s', (_, line, summary) => {
    const { recordedCompactions } = readOfLines(
      initOfLines(),
      step('m1', say('a')),
      boundary,
      line,
    );
    expect(recordedCompactions[0]?.summary).toBe(summary);
  });
});

it('takes the window of each model from the results of runs', () => {
  const modelUsage = {
    'claude-kettle-1': { contextWindow: 200_000 },
    'claude-cup-1': { contextWindow: 1_000_000 },
  };
  const other = step('m2', say('b'), { model: 'claude-cup-1' });
  const lines = [user('x'), step('m1', say('a')), step('m3', say('c')), user('y'), other];
  const { model, recordedWindows } = readOfLines(initOfLines(), ...lines, { ...end, modelUsage });
  expect(model).toBe('anthropic/claude-kettle-1');
  expect(recordedWindows?.map(({ contextTokens }) => contextTokens)).toEqual([200_000, 1_000_000]);
});
