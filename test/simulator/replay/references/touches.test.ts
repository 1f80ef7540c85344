import { describe, expect, it } from 'vitest';
import { createTouches } from '../../../../src/simulator/replay/references/calls.ts';
import { step, user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { called, read, write } from './sessions.ts';

/** Tests if the second step wrote the file that the first one read. */
const isStaleAfterwards = (messages: Parameters<typeof traceOf>[0]) =>
  traceOf(messages).references().activity.get('s2')?.stale.length === 1;

describe('a file', () => {
  it.each([
    ['/w/src/a.ts', '/w/x/../src/a.ts', true],
    ['/w/src/a.ts', '/w/./src/x/y/../../a.ts', true],
    ['src/a.ts', './src/../src/./a.ts', true],
    ['/a.ts', '/../a.ts', true],
    ['../../a.ts', 'x/../../../a.ts', true],
    ['a.ts', '../a.ts', false],
    ['a.ts', '../../a.ts', false],
    ['src/.env', 'src/env', false],
  ])('%s is named by %s: %s', (path, other, isNamed) => {
    const messages = [user('u1'), read('s1', path, 'words'), write('s2', other, 'b')];
    expect(isStaleAfterwards(messages)).toBe(isNamed);
  });

  it('is the one in the folder that a command went to', () => {
    const writing = called('s2', 'bash', { command: 'cd /w/src && echo b > a.ts' }, '');
    const messages = [user('u1'), read('s1', '/w/src/a.ts', 'words'), step('s2', [writing])];
    expect(isStaleAfterwards(messages)).toBe(true);
  });

  it.each([
    ['src/a.ts', true],
    ['p/src/a.ts', true],
    ['/w/p/src/./a.ts', true],
    ['q/src/a.ts', false],
  ])('is named in short from each folder that calls went by: %s, %s', (path, isNamed) => {
    const commands = ['cat /w/p/src/a.ts', 'cd /w/p && cat src/b.ts', 'cd /w && cat p/src/b.ts'];
    const calls = commands.map((command, at) => called(`s${at}`, 'bash', { command }, ''));
    const { nameOf } = createTouches([user('u1'), step('s1', calls)]);
    expect(nameOf(path) === nameOf('/w/p/src/a.ts')).toBe(isNamed);
  });
});
