import { describe, expect, it } from 'vitest';
import { sessionFormats } from '../../../../src/simulator/session/formats.ts';
import { readSessions } from '../../../../src/simulator/session/read.ts';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from '../claude-lines.ts';
import {
  call,
  count,
  event,
  item,
  type Line,
  line,
  message,
  meta,
  output,
  read,
  say,
  toText,
  turnContext,
  user,
} from './lines.ts';

const rollout = [
  meta({ base_instructions: { text: 'You boil water.' } }),
  event('task_started', { model_context_window: 9_000 }),
  message('developer', '<permissions instructions> No fire.'),
  user('# AGENTS.md instructions for the kitchen', '<environment_context> kitchen'),
  turnContext,
  user('Is the kettle on?'),
  event('user_message', { message: 'Is the kettle on?' }),
  event('token_count', { info: null }),
  item('reasoning', { summary: [{ type: 'summary_text', text: 'Look.' }], encrypted_content: 'x' }),
  event('agent_message', { message: 'I will look.' }),
  say('I will look.'),
  call('c1'),
  call('c2'),
  count(1_049, 1_000, { cached_input_tokens: 900, output_tokens: 49, reasoning_output_tokens: 40 }),
  output('c1'),
  output('c2', [
    { type: 'input_text', text: 'one' },
    { type: 'input_text', text: 'two' },
  ]),
  turnContext,
  count(1_049, 1_000),
  say('It is off.'),
  count(2_158, 1_100),
  event('task_complete'),
];

describeSessionFormat({ name: 'codex', text: toText(rollout), minReadRatio: 0.7 });

describe('a rollout', () => {
  const session = read(...rollout);

  it('holds a step for each request, and injected messages in front of the prompt', () => {
    expect(outline(session)).toEqual([
      'user: (<permissions instructions> No fire.) (# AGENTS.md instructions for the kitchen)' +
        ' (<environment_context> kitchen) Is the kettle on?',
      'assistant: reasoning I will look. c1:completed c2:completed',
      'assistant: It is off.',
    ]);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
  });

  it('tells its id, model and system prompt, and that outputs are final', () => {
    expect(session).toMatchObject({
      sessionId: 'kettle',
      model: 'openai/gpt-kettle',
      system: 'You boil water.',
      isSide: false,
      isPartial: false,
      isOutputFinal: true,
      recordedCompactions: [],
    });
    expect(session.messages[0]?.createdAt).toBe(Date.parse('2026-01-02T03:04:05.000Z'));
  });

  it('has the count of each step, with what is cached and what was thought apart', () => {
    expect(session.messages.map((each) => 'usage' in each && each.usage)).toEqual([
      false,
      { input: 100, output: 9, reasoning: 40, cacheRead: 900, cacheWrite: 0 },
      { input: 1_100, output: 9, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    ]);
  });
});

describe('settings of a session', () => {
  it.each<[string, Line, Line]>([
    ['a sub-agent', { parent_thread_id: 'kitchen' }, { parentSessionId: 'kitchen' }],
    ['a reviewer', { source: { subagent: 'review' } }, {}],
    [
      'a forked sub-agent',
      { forked_from_id: 'origin', parent_thread_id: 'kitchen' },
      { parentSessionId: 'kitchen' },
    ],
  ])('of %s make it a side session', (_, over, expected) => {
    expect(read(meta(over), user('x'), say('a'))).toMatchObject({ isSide: true, ...expected });
  });

  it('of a fork make it none, for who forked it goes on with it', () => {
    const session = read(meta({ forked_from_id: 'origin', source: 'cli' }), user('x'), say('a'));
    expect(session.isSide).toBe(false);
    expect(session).not.toHaveProperty('parentSessionId');
  });

  it('are those at the front; others came with the history or a resumption', () => {
    const session = read(meta(), meta({ id: 'origin', forked_from_id: 'x' }), user('x'), say('a'));
    expect(session).toMatchObject({ sessionId: 'kettle', isSide: false });
    expect(session).not.toHaveProperty('parentSessionId');
  });

  it('of early releases name no provider and hold the prompt elsewhere', () => {
    const session = read(
      line('session_meta', { id: 'kettle', instructions: 'Boil.' }),
      turnContext,
      user('x'),
      say('a'),
    );
    expect(session).toMatchObject({ model: 'openai/gpt-kettle', system: 'Boil.' });
  });
});

describe('lines', () => {
  const bare = [
    { id: 'kettle', timestamp: '2025-01-02T03:04:05Z', instructions: 'Boil.', git: {} },
    { record_type: 'state' },
    user('<environment_context>')['payload'] as Line,
    user('Is the kettle on?')['payload'] as Line,
    { record_type: 'state' },
    { type: 'reasoning', summary: [], encrypted_content: 'x' },
    call('c1')['payload'] as Line,
    output('c1')['payload'] as Line,
    say('It is on.')['payload'] as Line,
  ];

  it('of releases before there were envelopes are items', () => {
    const [session] = readSessions('k', bare.map((each) => JSON.stringify(each)).join('\n'));
    expect(outline(session!)).toEqual([
      'user: (<environment_context>) Is the kettle on?',
      'assistant: c1:completed',
      'assistant: It is on.',
    ]);
    expect(session).toMatchObject({
      sessionId: 'kettle',
      system: 'Boil.',
      report: { dropped: {}, repaired: {} },
    });
  });

  it('may hold a text in place of pieces', () => {
    const said = { role: 'user', message: 'Tea?' };
    const session = read(line('world_state', {}), said, { role: 'assistant', content: 'Tea.' });
    expect(outline(session)).toEqual(['user: Tea?', 'assistant: Tea.']);
  });

  it('of unknown types are counted by type; echoes and what is opaque are not', () => {
    const { report } = read(
      meta(),
      user('x'),
      line('world_state', { full: true }),
      line('oracle', { seen: 1 }),
      item('ghost_snapshot', {}),
      item('compaction', { encrypted_content: 'x' }),
      item('comet'),
      item('comet'),
      event('never_seen'),
      say('a'),
    );
    expect(report.dropped).toEqual({
      'unknown record "oracle"': 1,
      'unknown record "comet"': 2,
    });
  });

  it.each<[string, readonly Line[]]>([
    ['no word', [meta(), turnContext]],
    ['only what programs said', [meta(), message('developer', 'x')]],
    ['lines of another recorder', [line('weather', {}), { role: 'user', content: 'x' }]],
    ['events of another recorder', [line('weather', { role: 'user' })]],
  ])('with %s are no rollout', (_, lines) => {
    const file = createSourceFile('x', toText(lines));
    expect(Object.values(sessionFormats).filter((format) => format.detect(file))).toEqual([]);
  });

  it('without a conversation are refused', () => {
    expect(() => read(meta(), user(''))).not.toThrow();
    expect(() => read(meta(), { ...output('c1') }, message('user'))).toThrow('without messages.');
  });
});
