import { describe, expect, it } from 'vitest';
import { type Message, type Part, readLatest } from '../../src/engine/index.ts';
import { isRequest, wordsOf } from '../../src/engine/latest.ts';
import { file, marker, step, summary, text, tool, user } from '../support/history.ts';

const unfinished = (id: string) => step(id, [], { finish: undefined });
const ids = (messages: readonly (Message | undefined)[]) => messages.map((message) => message?.id);

describe('readLatest', () => {
  it('finds nothing in an empty view', () => {
    expect(readLatest([])).toEqual({ isAnswered: false, pendingMarkers: [] });
  });

  it.each<[string, Message[], (string | undefined)[]]>([
    [
      'takes the newest of each',
      [user('u1'), step('s1'), user('u2'), step('s2')],
      ['u2', 's2', 's2'],
    ],
    [
      'keeps an older finished step',
      [user('u1'), step('s1'), unfinished('s2')],
      ['u1', 's2', 's1'],
    ],
    ['knows no finished step', [user('u1'), unfinished('s1')], ['u1', 's1', undefined]],
    ['counts a summary as a step', [marker('m1'), summary('sum', 'm1')], ['m1', 'sum', 'sum']],
  ])('%s', (_, view, expected) => {
    const { user: newestUser, assistant, finished } = readLatest(view);
    expect(ids([newestUser, assistant, finished])).toEqual(expected);
  });

  it.each<[string, Message[], boolean]>([
    ['a step after the newest user message', [user('u1'), step('s1')], true],
    ['an unfinished step after it', [user('u1'), unfinished('s1')], true],
    ['a user message after the newest step', [user('u1'), step('s1'), user('u2')], false],
    ['a user message alone', [user('u1')], false],
  ])('tells by order whether there is an answer: %s', (_, view, expected) => {
    expect(readLatest(view).isAnswered).toBe(expected);
  });

  it.each<[string, Message[], string[]]>([
    ['one behind a finished step', [user('u1'), step('s1'), marker('m1')], ['m1']],
    ['none that a finished step follows', [user('u1'), marker('m1'), step('s1')], []],
    ['one that only an unfinished step follows', [marker('m1'), unfinished('s1')], ['m1']],
    ['two, oldest first', [step('s1'), marker('m1'), user('u2'), marker('m2')], ['m1', 'm2']],
    ['one before anybody answered', [user('u1'), marker('m1')], ['m1']],
  ])('finds pending markers: %s', (_, view, expected) => {
    expect(ids(readLatest(view).pendingMarkers)).toEqual(expected);
  });
});

describe('what a person asks for', () => {
  it.each<[string, Part, boolean, string?]>([
    ['words', text('p', 'go'), true, 'go'],
    ['a file', file('p', 'image/png'), true],
    ['a task of a sub-agent', { type: 'subtask', id: 'p', prompt: 'go' }, true],
    ['no text of a program', text('p', 'go', { synthetic: true }), false],
    ['no text that is not sent', text('p', 'go', { ignored: true }), false],
    ['no blanks', text('p', ' '), false],
    ['no output', tool('p', 4), false],
  ])('is %s', (_, part, isAsked, words) => {
    const message: Message = { id: 'u1', role: 'user', createdAt: 0, parts: [part] };
    expect([isRequest(message), wordsOf(message)]).toEqual([isAsked, words]);
    expect(isRequest(step('s1', [part]))).toBe(false);
  });
});
