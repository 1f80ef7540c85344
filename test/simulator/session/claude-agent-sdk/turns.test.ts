import { describe, expect, it } from 'vitest';
import { outline } from '../claude-lines.ts';
import { type Line, SUMMARY, init, step, user, say, status, boundary, end, read } from './lines.ts';

describe('turns', () => {
  it('of a second run belong to the same session', () => {
    const session = read(init(), step('m1', say('a')), end, init(), step('m2', say('b')), end);
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'user:', 'assistant: b']);
    expect(session.sessionId).toBe('kettle');
  });

  it('end with a result, also where nothing says that a run begins', () => {
    const session = read(init(), step('m1', say('a')), end, step('m2', say('b')));
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'user:', 'assistant: b']);
  });

  it('begin with a new run also where the last one broke off', () => {
    const session = read(init(), step('m1', say('a')), init(), step('m2', say('b')));
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'user:', 'assistant: b']);
  });

  it('begin with prompts where the stream tells them', () => {
    const session = read(
      init(),
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
    ['behind its boundary', [status('compacting'), boundary, init()]],
    ['behind its summary', [boundary, user(SUMMARY), init()]],
    ['before its boundary', [status('compacting'), status(null), init(), boundary]],
  ])('go on where a compaction begins a run anew %s', (_, lines) => {
    const session = read(init(), step('m1', say('a')), ...lines, step('m2', say('b')));
    expect(outline(session)).toEqual(['user:', 'assistant: a', 'assistant: b']);
  });

  it('end with a run that follows a compaction', () => {
    const runs = [boundary, step('m2', say('b')), init(), step('m3', say('c'))];
    const session = read(init(), step('m1', say('a')), ...runs);
    expect(outline(session).slice(2)).toEqual(['assistant: b', 'user:', 'assistant: c']);
  });

  it('do not begin with what a program wrote', () => {
    const session = read(
      init(),
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
    const session = read(
      init(),
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
    const { recordedCompactions } = read(init(), step('m1', say('a')), boundary, line);
    expect(recordedCompactions[0]?.summary).toBe(summary);
  });
});
