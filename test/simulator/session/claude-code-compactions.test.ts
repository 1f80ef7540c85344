import { describe, expect, it } from 'vitest';
import {
  boundary,
  call,
  type Line,
  outline,
  prompt,
  readLines,
  result,
  say,
  step,
  summary,
  system,
} from './claude-lines.ts';

const turn = [prompt('x'), step('m1', call('t1')), result('t1')];

describe('recorded compactions', () => {
  it('are taken out of the history, with their summary', () => {
    const session = readLines(...turn, boundary, summary, step('m2', say('b')));
    expect(outline(session)).toEqual(['user: x', 'assistant: t1:completed', 'assistant: b']);
    expect(session.isPartial).toBe(false);
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'full',
        trigger: 'auto',
        messageIndex: 2,
        tokensBefore: 900,
        tokensAfter: 90,
        summary: 'They want a timer.',
      },
    ]);
  });

  it.each<[string, Line, number | undefined]>([
    ['a segment', { preservedSegment: { headUuid: 'u4', tailUuid: 'u5' } }, 2],
    ['a result that it begins with', { preservedSegment: { headUuid: 'u3', tailUuid: 'u5' } }, 1],
    ['a list', { preservedMessages: { uuids: ['u4', 'u5'] } }, 2],
    ['a single record', { preservedMessages: { uuids: ['u5'] } }, 3],
    ['an empty list', { preservedMessages: { uuids: [] } }, undefined],
    ['what is unknown', { preservedSegment: { headUuid: 'no', tailUuid: 'u5' } }, undefined],
    ['no end', { preservedSegment: { headUuid: 'u4' } }, undefined],
    ['a beginning', { preservedSegment: { headUuid: 'u1', tailUuid: 'u3' } }, undefined],
  ])('tell what stayed by %s', (_, compactMetadata, kept) => {
    const cut = system('compact_boundary', { parentUuid: null, compactMetadata });
    const later = [prompt('y'), step('m2', say('b'))];
    const session = readLines(...turn, ...later, cut, summary, step('m3', say('c')));
    expect(session.recordedCompactions.map((each) => each.firstKeptMessageIndex)).toEqual([kept]);
  });

  it('may lack a summary, a trigger and numbers', () => {
    const session = readLines(...turn, system('compact_boundary'), step('m2', say('b')));
    expect(session.recordedCompactions).toEqual([{ kind: 'full', messageIndex: 2 }]);
  });

  it('may lack a boundary', () => {
    const session = readLines(...turn, summary, step('m2', say('b')));
    const expected = { kind: 'full', messageIndex: 2, summary: 'They want a timer.' };
    expect(session.recordedCompactions).toEqual([expected]);
  });

  it('of single outputs leave the outputs in the history', () => {
    const metadata = {
      trigger: 'auto',
      preTokens: 700,
      tokensSaved: 300,
      compactedToolIds: ['t1', 9],
    };
    const micro = system('microcompact_boundary', { microcompactMetadata: metadata });
    const session = readLines(...turn, micro, step('m2', say('b')));
    expect(session.messages[1]?.parts[0]).toMatchObject({ state: { output: 'output of t1' } });
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'micro',
        trigger: 'auto',
        messageIndex: 2,
        tokensBefore: 700,
        tokensAfter: 400,
        clearedCallIds: ['t1'],
      },
    ]);
  });
});

describe('a session that begins at a boundary', () => {
  it.each<[string, readonly Line[]]>([
    ['and a step', [boundary, summary, step('m1', say('a'))]],
    ['without the boundary itself', [summary, step('m1', say('a'))]],
  ])('keeps the summary as its first text (%s)', (_, lines) => {
    const session = readLines(...lines);
    expect(outline(session)).toEqual(['user: (They want a timer.)', 'assistant: a']);
    expect(session.isPartial).toBe(true);
    expect(session.recordedCompactions).toEqual([]);
  });

  it('has the summary in front of the first prompt', () => {
    const session = readLines(boundary, summary, prompt('x'), step('m1', say('a')));
    expect(outline(session)).toEqual(['user: (They want a timer.) x', 'assistant: a']);
  });
});

describe('isPartial', () => {
  it.each<[string, readonly Line[], boolean]>([
    ['the first record has no parent', [prompt('x')], false],
    ['the first record follows one that is not there', [prompt('x', { parentUuid: 'lost' })], true],
    [
      'bookkeeping stands between the first record and the lost one',
      [system('turn_duration', { parentUuid: 'lost' }), prompt('x')],
      true,
    ],
    ['bookkeeping comes first', [system('turn_duration'), prompt('x')], false],
    [
      'only a later record has lost its parent',
      [...turn, prompt('y', { parentUuid: 'lost' })],
      false,
    ],
    ['parents go round in a circle', [prompt('x', { parentUuid: 'u1' })], false],
    ['a result stands before all calls', [prompt('x'), result('lost'), ...turn.slice(1)], true],
    [
      'a result is written before its own call',
      [prompt('x'), result('t1'), step('m1', call('t1'))],
      false,
    ],
  ])('tells that %s', (_, lines, expected) => {
    expect(readLines(...lines).isPartial).toBe(expected);
  });
});
