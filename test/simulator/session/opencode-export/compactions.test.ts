import { describe, expect, it } from 'vitest';
import { outline } from '../claude-lines.ts';
import { type Fields, newestTime, text, user, step, tool, done, tokens, read } from './messages.ts';

const hidden = (callID: string, compacted: unknown) => tool(callID, done({ time: { compacted } }));
const marker = (id: string, over: Fields = {}) =>
  user(id, { type: 'compaction', auto: true, ...over });
const summary = (id: string, info: Fields = {}) =>
  step(id, { summary: true, finish: 'stop', ...info }, text('They want a timer.'));
const goOn = (over: Fields) => user('go', text('Go on.', { synthetic: true, ...over }));

describe('recorded compactions', () => {
  const before = [user('u1', text('x')), step('a1', { ...tokens(5, 7) }, text('a'))];
  const history = ['user: x', 'assistant: a', 'assistant: b'];
  const after = step('a2', { parentID: 'go' }, text('b'));

  it('are taken out of the history, with their summary', () => {
    const session = read(
      ...before,
      marker('m'),
      summary('s'),
      goOn({ metadata: { compaction_continue: true } }),
      after,
    );
    expect(outline(session)).toEqual(history);
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'full',
        trigger: 'auto',
        messageIndex: 2,
        tokensBefore: 142,
        summary: 'They want a timer.',
      },
    ]);
    expect(session.messages[2]).toMatchObject({ parentId: 'u1' });
  });

  it.each<[string, string, number | undefined]>([
    ['the message that it begins with', 'a1', 1],
    ['the first of all', 'u1', 0],
    ['one that is not there', 'a0', undefined],
  ])('tell what stayed by %s', (_, id, kept) => {
    const session = read(...before, marker('m', { tail_start_id: id }), summary('s'), after);
    expect(session.recordedCompactions.map((each) => each.firstKeptMessageIndex)).toEqual([kept]);
  });

  it.each<[string, readonly Fields[], readonly string[]]>([
    ['the continue text of 1.0', [goOn({ text: 'Continue if you have next steps' })], history],
    [
      'a longer continue text',
      [goOn({ text: 'Too big.\n\nContinue if you have next steps, or stop.' })],
      history,
    ],
    ['the continue text of 0.10', [goOn({ text: 'Use the above summary to resume.' })], history],
    ['a copy of an earlier prompt', [user('u1-again', text('x'))], history],
    ['nothing', [], history],
    [
      'but no new prompt',
      [user('u2', text('y'))],
      ['user: x', 'assistant: a', 'user: y', 'assistant: b'],
    ],
    [
      'but no sentence that a person wrote',
      [user('u2', text('Continue if you have next steps'))],
      ['user: x', 'assistant: a', 'user: Continue if you have next steps', 'assistant: b'],
    ],
    [
      'but no second message',
      [goOn({ metadata: { compaction_continue: true } }), user('u2', text('x'))],
      ['user: x', 'assistant: a', 'user: x', 'assistant: b'],
    ],
  ])('take with them %s', (_, messages, expected) => {
    expect(outline(read(...before, marker('m'), summary('s'), ...messages, after))).toEqual(
      expected,
    );
  });

  it('take with them a copy of a prompt whose images became text', () => {
    const image = { type: 'file', mime: 'image/png', filename: 'a.png', url: 'data:,' };
    const session = read(
      user('u1', text('x'), image),
      marker('m', { auto: false, overflow: true }),
      summary('s'),
      user('u1-again', text('x'), text('[Attached image/png: a.png]')),
      after,
    );
    expect(outline(session)).toEqual(['user: x file', 'assistant: b']);
  });

  it('know how full the context was from the last step that was counted', () => {
    const session = read(...before, step('a1b', {}, text('cut off')), marker('m'), summary('s'));
    expect(session.recordedCompactions[0]).toMatchObject({ tokensBefore: 142, messageIndex: 3 });
  });

  it('of all kinds stand in the order in which they happened', () => {
    const early = step('a0', {}, hidden('c1', 1));
    const session = read(user('u0', text('w')), early, ...before, marker('m'), summary('s'));
    expect(session.recordedCompactions.map(({ kind }) => kind)).toEqual(['micro', 'full']);
  });

  it('by hand leave the next prompt, whatever it says', () => {
    const session = read(
      ...before,
      marker('m', { auto: undefined }),
      summary('s'),
      user('u2', text('x')),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: x']);
    expect(session.recordedCompactions[0]).toMatchObject({ trigger: 'manual' });
  });

  it.each<[string, readonly Fields[], string]>([
    [
      'a summary without finish',
      [marker('m'), summary('s', { finish: undefined })],
      'failed summary',
    ],
    [
      'a summary with an error',
      [marker('m'), summary('s', { error: { name: 'APIError' } })],
      'failed summary',
    ],
    ['a marker without summary', [marker('m')], 'compaction without a summary'],
  ])('are none for %s', (_, messages, reason) => {
    const session = read(...before, ...messages, after);
    expect(outline(session)).toEqual(history);
    expect(session.recordedCompactions).toEqual([]);
    expect(session.report.dropped).toEqual({ [reason]: 1 });
  });

  it('are none for a summary that no marker asked for, where markers are written', () => {
    const failed = summary('s', { error: { name: 'APIError' } });
    const session = read(...before, marker('m'), failed, summary('s2'), after);
    expect(session.recordedCompactions).toEqual([]);
    expect(session.report.dropped).toEqual({ 'failed summary': 2 });
  });

  it('of releases without markers are known by the summary', () => {
    const session = read(...before, summary('s', { finish: undefined }), after);
    expect(outline(session)).toEqual(history);
    const expected = { kind: 'full', messageIndex: 2, summary: 'They want a timer.' };
    expect(session.recordedCompactions).toEqual([expected]);
  });

  it('that nothing precedes leave their summary as the first text', () => {
    const session = read(
      marker('m'),
      summary('s'),
      goOn({ metadata: { compaction_continue: true } }),
      after,
    );
    expect(outline(session)).toEqual(['user: (They want a timer.)', 'assistant: b']);
    expect(session).toMatchObject({ isPartial: true, recordedCompactions: [] });
  });

  it('that nothing precedes come first, though a prompt came while they were written', () => {
    const cleared = step('a2', { parentID: 'go' }, hidden('c1', 1));
    const session = read(marker('m'), user('u2', text('y')), cleared, summary('s'), after);
    expect(outline(session)).toEqual([
      'user: (They want a timer.)',
      'user: y',
      'assistant: c1:completed',
      'assistant: b',
    ]);
    expect(session.isPartial).toBe(true);
    expect(session.recordedCompactions).toMatchObject([{ kind: 'micro', messageIndex: 3 }]);
  });

  it('of single outputs are told by when these were hidden', () => {
    const messages = [
      user('u1', text('x')),
      step(
        'a1',
        {},
        hidden('c1', newestTime() + 25),
        hidden('c2', newestTime() + 26),
        hidden('c3', undefined),
      ),
      step('a2', {}, hidden('c4', 1)),
      user('u2', text('y')),
    ];
    const session = read(...messages);
    expect(session.recordedCompactions).toEqual([
      { kind: 'micro', trigger: 'auto', messageIndex: 3, clearedCallIds: ['c4', 'c1', 'c2'] },
    ]);
    expect(JSON.stringify(session.messages)).not.toContain('compacted');
  });
});
