import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
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
} from './codex-lines.ts';
import { surestMatches } from '../../../support/session-matches.ts';

const partOf = (...lines: readonly Line[]) =>
  read(meta(), user('x'), ...lines).messages[1]?.parts[0];

describe('calls', () => {
  it.each<[string, Line, Line]>([
    ['a function', call('c'), { tool: 'exec_command', state: { input: { cmd: 'c' } } }],
    [
      'free text',
      item('custom_tool_call', { call_id: 'c', name: 'apply_patch', input: '*** x' }),
      { tool: 'apply_patch', state: { input: '*** x' } },
    ],
    [
      'a shell',
      item('local_shell_call', { call_id: 'c', action: { command: ['ls'] } }),
      { tool: 'local_shell', state: { input: { command: ['ls'] } } },
    ],
    [
      'a search for tools',
      item('tool_search_call', { call_id: 'c', arguments: { query: 'q' } }),
      { tool: 'tool_search', state: { input: { query: 'q' } } },
    ],
    [
      'arguments that are no JSON',
      call('c', { arguments: '{"cmd"' }),
      { state: { input: '{"cmd"' } },
    ],
    [
      'a name elsewhere',
      item('function_call', { function: { name: 'f' } }),
      { tool: 'f', state: { input: {} } },
    ],
    ['nothing', item('function_call'), { tool: 'unknown' }],
  ])('of %s wait for their output', (_, each, expected) => {
    const part = {
      type: 'tool',
      ...expected,
      state: { status: 'running', ...(expected['state'] as Line) },
    };
    expect(partOf(each)).toMatchObject(part);
  });

  it.each<[string, Line, Line]>([
    ['a text', output('c', 'Process exited with code 1'), { output: 'Process exited with code 1' }],
    ['pieces', output('c', [{ text: 'a' }, { text: 'b' }]), { output: 'a\nb' }],
    ['one piece', output('c', { type: 'input_text', text: 'a' }), { output: 'a' }],
    [
      'a picture',
      output('c', [{ image_url: 'data:image/png;base64,AA' }]),
      { output: '', attachments: [{ mime: 'image/png' }] },
    ],
    ['something else', output('c', { content: 7 }), { output: '{"content":7}' }],
    ['nothing', output('c', null), { output: '' }],
    [
      'tools',
      item('tool_search_output', { call_id: 'c', tools: [{ name: 'f' }] }),
      { output: '[{"name":"f"}]' },
    ],
    [
      'another kind',
      item('custom_tool_call_output', { call_id: 'c', output: 'a' }),
      { output: 'a' },
    ],
  ])('have %s for an output', (_, each, expected) => {
    expect(partOf(call('c'), each)).toMatchObject({ state: { status: 'completed', ...expected } });
  });

  it.each<[string, Line, Line]>([
    [
      'search',
      item('web_search_call', { action: { query: 'q' } }),
      { input: { query: 'q' }, output: '' },
    ],
    [
      'draw',
      item('image_generation_call', { result: 'AA' }),
      { attachments: [{ url: 'data:image/png;base64,AA' }] },
    ],
  ])('by which the provider itself may %s are complete', (_, each, expected) => {
    expect(partOf(each)).toMatchObject({
      type: 'tool',
      state: { status: 'completed', ...expected },
    });
  });

  it('and outputs count once, and outputs without a call not at all', () => {
    const { messages, report } = read(
      meta(),
      user('x'),
      call('c'),
      call('c'),
      output('c', 'first'),
      output('c', 'second'),
      output('lost'),
      item('function_call_output', { output: 'whose?' }),
    );
    expect(messages[1]?.parts).toMatchObject([{ callId: 'c', state: { output: 'first' } }]);
    expect(report.dropped).toEqual({
      'repeated tool call': 1,
      'repeated tool result': 1,
      'tool result without a call': 2,
    });
  });
});

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

describeSessionFormat({ name: 'codex', text: toText(rollout) });

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
      line('session_meta', { id: 'kettle', instructions: 'Boil.', cli_version: '0.30.0-alpha.1' }),
      turnContext,
      user('x'),
      say('a'),
    );
    expect(session).toMatchObject({
      model: 'openai/gpt-kettle',
      system: 'Boil.',
      release: [0, 30, 0],
    });
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
    expect(surestMatches(file)).toEqual([]);
  });

  it('without a conversation are refused', () => {
    expect(() => read(meta(), user(''))).not.toThrow();
    expect(() => read(meta(), { ...output('c1') }, message('user'))).toThrow('without messages.');
  });
});

const sha = (length: number, digest: string, kind = 'TEXT') =>
  `[REDACTED_${kind} len=${length} sha=${digest}]`;
const textsOf = (...texts: readonly string[]) =>
  read(meta(), user('x'), ...texts.map((text) => say(text))).messages[1]!.parts.map((part) =>
    'text' in part ? part.text : '',
  );

describe('texts that were replaced by their lengths', () => {
  it('are as long as they were', () => {
    const lengths = [0, 1, 5, 500, 5_000];
    const texts = textsOf('', ...lengths.map((length) => sha(length, 'beef0123')));
    expect(texts.map(({ length }) => length)).toEqual(lengths.slice(1));
  });

  it('are equal where their digests are, and else are not', () => {
    const [one, same, other] = textsOf(
      sha(90, 'beef0123'),
      sha(90, 'beef0123', 'MESSAGE'),
      sha(90, 'beef0124'),
    );
    expect(one).toBe(same);
    expect(one).not.toBe(other);
  });

  it('stay as they are where they are no such thing, or too long', () => {
    const texts = ['see [REDACTED_TEXT len=9 sha=beef]', sha(999_999_999, 'beef')];
    expect(textsOf(...texts)).toEqual(texts);
  });

  it('tell a prompt by what the screen showed as typed', () => {
    const session = read(
      meta({ base_instructions: { text: sha(70, 'aaaa') } }),
      user(sha(50, 'bbbb')),
      user(sha(20, 'cccc')),
      event('user_message', { message: sha(20, 'cccc', 'MESSAGE') }),
      call('c1', { name: sha(8, 'dddd', 'NAME'), arguments: sha(30, 'eeee', 'ARGUMENTS') }),
      item('web_search_call', { action: { query: sha(12, 'ffff') } }),
      output('c1', sha(40, '0000', 'OUTPUT')),
    );
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(session.messages[0]?.parts).toMatchObject([{ synthetic: true }, {}]);
    expect(session.system).toHaveLength(70);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
    expect(JSON.stringify(session)).not.toContain('REDACTED');
    const [shell, search] = session.messages[1]!.parts.map((part): Line => ({ ...part }));
    expect((shell!['state'] as Line)['input']).toHaveLength(30);
    expect((shell!['state'] as Line)['output']).toHaveLength(40);
    expect((search!['state'] as { input: { query: string } }).input.query).toHaveLength(12);
  });

  it('do not fill the memory, however many there are', () => {
    const lines = Array.from({ length: 9 }, (_, index) => say(sha(25_000_000, `${index}`)));
    const [session] = readSessions('k', toText([meta(), user('x'), ...lines]));
    expect(session!.report.dropped).toEqual({ 'redacted text that is too long': 5 });
  });
});

const back = (turns?: unknown) => event('thread_rolled_back', { num_turns: turns });
const turns = [
  meta(),
  user('x'),
  say('a'),
  count(10, 5),
  user('y'),
  call('c'),
  output('c'),
  count(20, 6),
  say('b'),
  count(30, 7),
];
const all = ['user: x', 'assistant: a', 'user: y', 'assistant: c:completed', 'assistant: b'];

describe('a rollback', () => {
  it.each<[string, readonly Line[], readonly string[], number]>([
    ['takes the last turn back', [back(1)], all.slice(0, 2), 3],
    ['takes several turns back', [user('z'), say('d'), back(2)], all.slice(0, 2), 5],
    ['follows on another', [user('z'), back(1), back(1)], all.slice(0, 2), 4],
    ['takes back a turn without an answer', [user('z'), back(1)], all, 1],
    ['takes all turns back', [back(9)], [], 5],
    ['takes back what a program said last', [user('<turn_aborted>'), back(1)], all.slice(0, 2), 3],
  ])('%s', (_, lines, expected, dropped) => {
    const session = read(...turns, ...lines, user('w'), say('e'));
    expect(outline(session)).toEqual([...expected, 'user: w', 'assistant: e']);
    expect(session.report.dropped).toEqual({ 'message that was rolled back': dropped });
  });

  it.each([[0], [-1], [undefined], ['1'], [null]])('by %s turns takes nothing back', (number) => {
    const session = read(...turns, back(number));
    expect(outline(session)).toEqual(all);
    expect(session.report.dropped).toEqual({});
  });

  it('before all turns takes nothing back', () => {
    expect(outline(read(meta(), back(1), user('x'), say('a')))).toEqual(all.slice(0, 2));
  });

  it('gives no step that is gone a count that comes later', () => {
    const session = read(...turns, user('z'), say('d'), back(1), count(40, 8), user('w'), say('e'));
    const usages = session.messages.flatMap((each) =>
      each.role === 'assistant' ? [each.usage?.input] : [],
    );
    expect(usages).toEqual([5, 6, 7, undefined]);
  });

  it('takes compactions back that happened since', () => {
    const told = event('context_compacted');
    const [first, second] = [turns.slice(0, 4), turns.slice(4)];
    const session = read(...first, told, ...second, told, back(1), user('w'), say('e'), told);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, tokensBefore: 5 },
      { kind: 'full', messageIndex: 4, tokensBefore: 5 },
    ]);
  });

  it('of all turns keeps what the program told before the first', () => {
    const context = '<environment_context>';
    const told = [user(context), user('x'), say('a'), user('y')];
    const session = read(meta(), ...told, back(2), user('w'), say('e'));
    expect(outline(session)).toEqual([`user: (${context}) w`, 'assistant: e']);
  });

  it('of everything leaves no session', () => {
    expect(() => readSessions('kettle.jsonl', toText([...turns, back(2)]))).toThrow(
      /got a rollout without messages\.$/,
    );
  });

  it('is no other event', () => {
    expect(
      outline(read(...turns, line('event_msg', { type: 'undo_completed', num_turns: 1 }))),
    ).toEqual(all);
  });
});

const spawn = (id: string) => call(id, { name: 'spawn_agent', arguments: '{"message":"Look."}' });
const spawned = (id: string, threadId: unknown) =>
  event('collab_agent_spawn_end', { call_id: id, new_thread_id: threadId });
const linksOf = (...lines: readonly Line[]) => read(meta(), user('x'), ...lines).sideSessions;
const text = (value: string) => [{ type: 'input_text', text: value }];

describe('a thread that was spawned', () => {
  it.each<[string, readonly Line[]]>([
    ['an event tells', [spawn('c1'), spawned('c1', 'cup'), output('c1', 'a path')]],
    ['the output tells', [spawn('c1'), output('c1', '{"agent_id":"cup"}')]],
    ['a piece of the output tells', [spawn('c1'), output('c1', text('{"agent_id":"cup"}'))]],
    ['both tell', [spawn('c1'), spawned('c1', 'cup'), output('c1', '{"agent_id":"cup"}')]],
  ])('is linked to its call where %s', (_, lines) => {
    expect(linksOf(...lines)).toEqual([{ callId: 'c1', sessionId: 'cup' }]);
  });

  it.each<[string, readonly Line[]]>([
    ['failed', [spawn('c1'), spawned('c1', null), output('c1', 'too many')]],
    ['has another name', [spawn('c1'), output('c1', '{"task_name":"cup"}')]],
    ['has a name that is no text', [spawn('c1'), output('c1', '{"agent_id":7}')]],
    ['is told by another tool', [call('c1'), output('c1', '{"agent_id":"cup"}')]],
    ['is told of no call', [call('c1'), spawned('c9', 'cup'), output('c1')]],
    [
      'is told by another event',
      [spawn('c1'), event('other', { call_id: 'c1', new_thread_id: 'cup' })],
    ],
    ['is the thread itself', [spawn('c1'), spawned('c1', 'kettle')]],
    [
      'is told by an item',
      [spawn('c1'), item('collab_agent_spawn_end', { call_id: 'c1', new_thread_id: 'cup' })],
    ],
  ])('is not linked where it %s', (_, lines) => {
    expect(linksOf(...lines)).toBeUndefined();
  });
});

const usagesOf = (...lines: readonly Line[]) =>
  read(...lines).messages.flatMap((each) => (each.role === 'assistant' ? [each.usage?.input] : []));

describe('steps', () => {
  it.each<[string, readonly Line[], readonly string[]]>([
    ['a count', [say('a'), count(10, 5), say('b')], ['assistant: a', 'assistant: b']],
    ['an output', [call('c'), output('c'), say('b')], ['assistant: c:completed', 'assistant: b']],
    ['a prompt', [say('a'), user('y'), say('b')], ['assistant: a', 'user: y', 'assistant: b']],
    ['nothing else', [say('a'), event('agent_message'), say('b')], ['assistant: a b']],
  ])('end with %s', (_, lines, expected) => {
    expect(outline(read(meta(), user('x'), ...lines)).slice(1)).toEqual(expected);
  });

  it('exist where the model only thought in secret', () => {
    const secret = item('reasoning', { summary: [], encrypted_content: 'x' });
    expect(outline(read(meta(), user('x'), secret, count(9, 5)))).toEqual([
      'user: x',
      'assistant:',
    ]);
  });

  it('are partial where nothing comes before them', () => {
    const session = read(meta(), say('a'));
    expect(session.isPartial).toBe(true);
    expect(session.report.repaired).toEqual({ 'session begins with a step': 1 });
    expect(read(meta(), user('x'), say('a')).isPartial).toBe(false);
  });

  it('that were interrupted say so, with what they had written', () => {
    const { messages } = read(
      meta(),
      user('x'),
      say('a'),
      call('c'),
      event('turn_aborted', { reason: 'interrupted' }),
      user('<turn_aborted> The user stopped you.'),
      user('y'),
      say('b'),
    );
    expect(messages.map(({ parts }) => parts.length)).toEqual([1, 2, 2, 1]);
    expect(messages[1]).toMatchObject({ error: { name: 'MessageAbortedError' } });
    expect(messages[1]?.parts[1]).toMatchObject({ state: { status: 'running' } });
    expect(messages[2]).toMatchObject({ parts: [{ synthetic: true }, { text: 'y' }] });
    expect(messages[3]).not.toHaveProperty('error');
  });

  it('that were complete when their tools were interrupted are no errors', () => {
    const lines = [say('a'), call('c'), count(9, 5), event('turn_aborted')];
    expect(read(meta(), user('x'), ...lines).messages[1]).not.toHaveProperty('error');
  });
});

describe('counts', () => {
  it.each<[string, readonly Line[], readonly (number | undefined)[]]>([
    ['come once a step', [say('a'), count(9, 5), count(9, 6), say('b'), count(20, 7)], [5, 7]],
    ['may come after outputs', [call('c'), output('c'), count(9, 5), say('b')], [5, undefined]],
    [
      'come again for the screen',
      [say('a'), count(9, 5), say('b'), count(9, 6), count(20, 7)],
      [5, 7],
    ],
    ['of nothing are none', [say('a'), count(9, 0), say('b'), count(20, 7)], [7]],
    ['of requests without a step are nobody’s', [say('a'), count(9, 5), count(30, 6)], [5]],
    ['may be missing', [say('a'), event('token_count', { info: null })], [undefined]],
    [
      'without a sum are still counts',
      [
        say('a'),
        line('event_msg', { type: 'token_count', info: { last_token_usage: { input_tokens: 4 } } }),
      ],
      [4],
    ],
    [
      'belong to no step of an earlier turn',
      [say('a'), user('y'), count(9, 5), say('b')],
      [undefined, undefined],
    ],
  ])('%s', (_, lines, expected) => {
    expect(usagesOf(meta(), user('x'), ...lines)).toEqual(expected);
  });

  it('tell what was written to the cache', () => {
    const lines = [
      user('x'),
      say('a'),
      count(9, 100, { cache_write_input_tokens: 30, cached_input_tokens: 20 }),
    ];
    expect(read(meta(), ...lines).messages[1]).toMatchObject({
      usage: { input: 50, cacheRead: 20, cacheWrite: 30 },
    });
  });
});

describe('turns', () => {
  it.each([
    '# AGENTS.md instructions for here',
    '<environment_context>',
    '<user_instructions>',
    '<permissions instructions>',
    '<turn_aborted>',
    '  <user_shell_command>',
  ])('do not begin with %s', (text) => {
    const session = read(meta(), user('x'), say('a'), count(9, 5), user(text), say('b'));
    expect(outline(session)).toEqual(['user: x', `assistant: a (${text})`, 'assistant: b']);
  });

  it('begin with a prompt that has context beside it', () => {
    const session = read(meta(), user('<environment_context>', 'Tea?'), say('a'));
    expect(outline(session)[0]).toBe('user: (<environment_context>) Tea?');
  });

  it('begin with a picture', () => {
    const picture = { type: 'input_image', image_url: 'data:image/jpeg;base64,AA' };
    const { messages } = read(
      meta(),
      item('message', { role: 'user', content: [picture] }),
      say('a'),
    );
    expect(messages[0]?.parts).toMatchObject([{ type: 'file', mime: 'image/jpeg' }]);
  });

  it('get what other agents and the program said in between', () => {
    const note = item('agent_message', { content: [{ type: 'input_text', text: 'Found.' }] });
    const session = read(
      meta(),
      user('x'),
      call('c'),
      output('c'),
      note,
      message('developer', 'Hot.'),
      say('b'),
    );
    expect(outline(session)[1]).toBe('assistant: c:completed (Found.) (Hot.)');
  });
});

describe('compactions', () => {
  const replaced = {
    replacement_history: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
    ],
  };
  const told = event('context_compacted');
  const before = [meta(), user('x'), say('a'), count(9, 500, { cached_input_tokens: 400 })];
  const full = { kind: 'full', messageIndex: 2, tokensBefore: 500 };

  it.each<[string, readonly Line[], Line]>([
    ['with their summary', [line('compacted', { message: 'Tea.' }), told], { summary: 'Tea.' }],
    ['with a new history', [line('compacted', { message: '', ...replaced }), told], {}],
    ['by the event alone', [told], {}],
    ['in the other order', [told, line('compacted', { message: 'Tea.' })], { summary: 'Tea.' }],
    [
      'amid counts of nothing',
      [count(9, 0), line('compacted', { message: '' }), told, count(9, 0)],
      {},
    ],
  ])('are told once, %s', (_, lines, expected) => {
    const session = read(...before, ...lines, say('b'), count(20, 50));
    expect(session.recordedCompactions).toEqual([{ ...full, ...expected }]);
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'assistant: b']);
  });

  it('do not give the count of the summary to a step', () => {
    const lines = [line('compacted', { message: 'Tea.' }), count(30, 600), say('b'), count(40, 50)];
    expect(usagesOf(...before, ...lines)).toEqual([100, 50]);
    expect(usagesOf(meta(), user('x'), say('a'), ...lines)).toEqual([undefined, 50]);
  });

  it('that nothing precedes are where the session starts', () => {
    const session = read(
      meta(),
      line('compacted', { message: 'Tea.', ...replaced }),
      told,
      user('y'),
      say('b'),
    );
    expect(outline(session)).toEqual(['user: (Tea.) (x) y', 'assistant: b']);
    expect(session).toMatchObject({ isPartial: true, recordedCompactions: [] });
  });
});

describe('the answer that a summary was made of', () => {
  const start = [meta(), user('x'), say('a'), count(100, 90)];
  const summary = line('compacted', { message: 'Somebody else began. Tea.' });

  it('is no step; its usage is that of the summary', () => {
    const session = read(...start, say('Tea.'), count(200, 50), summary, say('b'), count(300, 20));
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'assistant: b']);
    expect(session.recordedCompactions).toMatchObject([
      { messageIndex: 2, tokensBefore: 90, summaryUsage: { input: 50, output: 9 } },
    ]);
  });

  it('is the one that the summary ends with', () => {
    const session = read(...start, say('Coffee.'), count(200, 50), summary, say('b'));
    expect(session.messages).toHaveLength(4);
    expect(session.recordedCompactions).toMatchObject([{ messageIndex: 3, tokensBefore: 50 }]);
  });
});

describe('a window that the recording states', () => {
  const counted = (total: number, window: number) => {
    const { payload } = count(total, total) as { payload: Line };
    const info = { ...(payload['info'] as Line), model_context_window: window };
    return event('token_count', { info });
  };
  const started = (window: number) => event('task_started', { model_context_window: window });

  it.each<[string, readonly Line[], Session['recordedWindows']]>([
    ['none', [user('x'), say('a')], undefined],
    ['a zero', [started(0), user('x'), say('a')], undefined],
    ['a turn', [started(900), user('x'), say('a')], [{ messageIndex: 0, contextTokens: 900 }]],
    [
      'each count of a step',
      [user('x'), say('a'), counted(9, 900), user('y'), say('b'), counted(20, 900)],
      [{ messageIndex: 1, contextTokens: 900 }],
    ],
    [
      'counts of models with other windows',
      [started(900), user('x'), say('a'), counted(9, 900), user('y'), say('b'), counted(20, 400)],
      [
        { messageIndex: 0, contextTokens: 900 },
        { messageIndex: 3, contextTokens: 400 },
      ],
    ],
    [
      'a turn that was rolled back',
      [
        started(900),
        user('x'),
        say('a'),
        user('y'),
        say('b'),
        counted(20, 400),
        event('thread_rolled_back', { num_turns: 1 }),
        user('z'),
      ],
      [{ messageIndex: 0, contextTokens: 900 }],
    ],
  ])('is kept from %s', (_, lines, windows) => {
    expect(read(meta(), ...lines).recordedWindows).toEqual(windows);
  });

  it('leaves the model of each step beside it', () => {
    const other = line('turn_context', { turn_id: 'u', model: 'gpt-cup' });
    const session = read(
      meta(),
      turnContext,
      user('x'),
      say('a'),
      output('lost'),
      say('b'),
      other,
      user('y'),
      say('c'),
    );
    expect(session.model).toBe('openai/gpt-kettle');
    const models = session.messages.flatMap((each) => (each.role === 'user' ? [] : [each.model]));
    expect(models).toEqual([undefined, undefined, 'openai/gpt-cup']);
  });
});
