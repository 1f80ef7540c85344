import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildSessionSummary,
  type Message,
  type Part,
  type Snapshots,
} from '../../src/engine/index.ts';
import { pivotedHistories } from '../support/arbitraries.ts';
import { frozen } from '../../src/engine/frozen.ts';
import { file, marker, step, summary, text, tool, user } from '../support/history.ts';

const start = (snapshot?: string): Part => ({
  type: 'step-start',
  id: 'start',
  ...(snapshot === undefined ? {} : { snapshot }),
});
const finish = (snapshot?: string): Part => ({
  type: 'step-finish',
  id: 'finish',
  reason: 'stop',
  ...(snapshot === undefined ? {} : { snapshot }),
});

const snapshots: Snapshots = new Map([
  ['one', new Map([['a.ts', 'a\n']])],
  [
    'two',
    new Map([
      ['a.ts', 'a\nb\n'],
      ['b.ts', 'b\n'],
    ]),
  ],
  ['three', new Map([['a.ts', 'x\nb\n']])],
]);

const bodiesOf = (...messages: readonly Message[]) =>
  buildSessionSummary(messages, snapshots).messages.map(({ body }) => body);
const titleOf = (...parts: readonly (string | Part)[]) =>
  buildSessionSummary([user('u1', ...parts)], snapshots).messages[0]?.title;

describe('buildSessionSummary', () => {
  it('compares the first start with the last finish, for the session and for each turn', () => {
    const history = [
      user('u1'),
      step('s1', [start('one'), finish('one')]),
      step('s2', [start('one'), finish('two')]),
      user('u2'),
      step('s3', [start('two'), finish('three')]),
    ];
    const { diff, messages } = buildSessionSummary(history, snapshots);
    expect([diff, ...messages.map((message) => message.diff)]).toMatchObject([
      { state: 'known', totals: { additions: 2, deletions: 1, files: 1 } },
      { state: 'known', totals: { additions: 2, deletions: 0, files: 2 } },
      { state: 'known', totals: { additions: 1, deletions: 2, files: 2 } },
    ]);
    expect(messages[1]?.diff).toEqual({
      state: 'known',
      files: [
        { file: 'a.ts', before: 'a\nb\n', after: 'x\nb\n', additions: 1, deletions: 1 },
        { file: 'b.ts', before: 'b\n', after: '', additions: 0, deletions: 1 },
      ],
      totals: { additions: 1, deletions: 2, files: 2 },
    });
  });

  it('knows that nothing differs', () => {
    const { diff } = buildSessionSummary([step('s1', [start('one'), finish('one')])], snapshots);
    expect(diff).toEqual({
      state: 'known',
      files: [],
      totals: { additions: 0, deletions: 0, files: 0 },
    });
  });

  it.each<[string, readonly Part[], object]>([
    ['no step names a start', [finish('one')], { reason: 'no-start-snapshot' }],
    ['the start has no name', [start(''), start(), finish('one')], { reason: 'no-start-snapshot' }],
    ['no step names a finish', [start('one'), finish()], { reason: 'no-finish-snapshot' }],
    ['the start is not given', [start('none'), finish('one')], { snapshot: 'none' }],
    ['the finish is not given', [start('one'), finish('none')], { snapshot: 'none' }],
  ])('does not know the difference where %s', (_, parts, expected) => {
    const { diff } = buildSessionSummary([step('s1', parts)], snapshots);
    expect(diff).toMatchObject({ state: 'unknown', ...expected });
  });

  it('finds the start behind steps without one, and the finish before them', () => {
    const history = [
      step('s1', [start()]),
      step('s2', [start('one'), finish('two')]),
      step('s3', [start(), finish()]),
    ];
    expect(buildSessionSummary(history, snapshots).diff).toMatchObject({ totals: { files: 2 } });
  });

  it('counts steps before the first user message for the session only', () => {
    const history = [step('s1', [start('one'), finish('two')]), user('u1')];
    const { diff, messages } = buildSessionSummary(history, snapshots);
    expect(diff.state).toBe('known');
    expect(messages.map((message) => message.diff.state)).toEqual(['unknown']);
  });

  it('has one entry for each user message, markers too', () => {
    const history = [user('u1'), step('s1'), marker('c1'), summary('x1', 'c1'), user('u2')];
    const { messages } = buildSessionSummary(history, snapshots);
    expect(messages.map(({ messageId }) => messageId)).toEqual(['u1', 'c1', 'u2']);
  });

  it.each<[string, readonly (string | Part)[], string | undefined]>([
    ['the first text of the user', ['Fix it. Then rest.', 'More'], 'Fix it.'],
    ['not a synthetic text', [text('p', 'Continue', { synthetic: true }), 'Fix it'], 'Fix it'],
    ['not an ignored text', [text('p', 'note', { ignored: true }), 'Fix it'], 'Fix it'],
    ['not a blank text', [' \n', 'Fix it'], 'Fix it'],
    ['nothing where there is only a file', [file('f', 'image/png')], undefined],
  ])('takes for the title %s', (_, parts, expected) => {
    expect(titleOf(...parts)).toBe(expected);
  });

  it('takes for the body the last text that the model wrote in the turn', () => {
    const bodies = bodiesOf(
      user('u1'),
      step('s1', [text('p1', 'first'), tool('t1', 'output')]),
      step('s2', [
        text('p2', 'done\n'),
        text('p3', ' '),
        text('p4', 'note', { synthetic: true }),
        text('p5', 'note', { ignored: true }),
      ]),
      user('u2'),
      step('s3', [tool('t2', 'output')]),
    );
    expect(bodies).toEqual(['done\n', undefined]);
  });

  it('takes any history, gives one entry for each user message, and changes nothing', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const { messages } = buildSessionSummary(frozen(history), snapshots);
        expect(messages.map(({ messageId }) => messageId)).toEqual(
          history.filter(({ role }) => role === 'user').map(({ id }) => id),
        );
      }),
    );
  });
});
