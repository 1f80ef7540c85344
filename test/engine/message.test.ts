import { describe, expect, it } from 'vitest';
import { isSummary, type Message, markerOf } from '../../src/engine/index.ts';
import { marker, step, summary, user } from '../support/history.ts';

describe('markerOf', () => {
  const part = { type: 'compaction', id: 'c', auto: false } as const;

  it('gives the compaction part of a user message, wherever it stands', () => {
    expect(markerOf(user('u1', 'text', part))).toEqual(part);
  });

  it.each<[string, Message]>([
    ['a user message without one', user('u1')],
    ['an assistant message, even one that holds such a part', step('s1', [part])],
  ])('gives nothing for %s', (_, message) => {
    expect(markerOf(message)).toBeUndefined();
  });
});

describe('isSummary', () => {
  it.each<[string, Message, boolean]>([
    ['takes a finished summary', summary('sum', 'u1'), true],
    ['takes a summary that never finished', summary('sum', 'u1', { finish: undefined }), true],
    ['takes no step', step('s1'), false],
    ['takes no step that says it is none', step('s1', [], { summary: false }), false],
    ['takes no marker', marker('m1'), false],
  ])('%s', (_, message, expected) => {
    expect(isSummary(message)).toBe(expected);
  });
});
