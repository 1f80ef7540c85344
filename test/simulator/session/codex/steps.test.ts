import { describe, expect, it } from 'vitest';
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
  user,
} from './lines.ts';

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
