import { describe, expect, it } from 'vitest';
import { isSentAsIs, isSummary, type Message, markerOf } from '../../src/engine/index.ts';
import { ownToolName, pathsIn, plainToolName } from '../../src/engine/file-calls.ts';
import { isOpenCall } from '../../src/engine/message.ts';
import { marker, step, summary, tool, toolIn, user } from '../support/history.ts';

describe('markerOf', () => {
  const part = { type: 'compaction', id: 'c', auto: false } as const;

  it('gives the compaction part of a user message, wherever it stands', () => {
    expect(markerOf(user('u1', 'text', part))).toEqual(part);
    expect([user('u1'), step('s1', [part])].map(markerOf)).toEqual([undefined, undefined]);
  });
});

describe('a message', () => {
  it.each<[string, Message, isSummary: boolean, isSent: boolean]>([
    ['a finished summary', summary('sum', 'u1'), true, false],
    ['a summary that never finished', summary('sum', 'u1', { finish: undefined }), true, false],
    ['a step', step('s1'), false, true],
    ['a step that says it is no summary', step('s1', [], { summary: false }), false, true],
    ['a step that failed', step('s1', [], { error: { name: 'x', message: 'y' } }), false, false],
    ['a marker', marker('m1'), false, true],
  ])('is a summary, is sent as it is, or neither: %s', (_, message, ...expected) => {
    expect([isSummary(message), isSentAsIs(message)]).toEqual(expected);
  });
});

describe('a call', () => {
  it('is open until it came back', () => {
    const open = (['pending', 'running'] as const).map((status) =>
      toolIn('t1', { status, input: {} }),
    );
    expect([...open, tool('t1', 4)].map(isOpenCall)).toEqual([true, true, false]);
  });

  it('names its tool with its server or without', () => {
    expect(['mcp__fs__Read_File2', 'read'].map(ownToolName)).toEqual(['Read_File2', 'read']);
    expect(['mcp__fs__Read_File2', 'read'].map(plainToolName)).toEqual(['readfile', 'read']);
  });

  it.each<[unknown, readonly string[]]>([
    [{ filePath: 'a', files: ['b'] }, ['a']],
    [{ files: ['a', { path: 'b' }, 5], paths: ['c'] }, ['a', 'b', 'c']],
    [{ files: 'a', path: 5 }, []],
    ['a', []],
  ])('names the files of its input: %j', (input, paths) => {
    expect(pathsIn(input)).toEqual(paths);
  });
});
