import { describe, expect, it } from 'vitest';
import { user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { read, write } from './sessions.ts';

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
    expect(traceOf(messages).references().staleAfter.has('s2')).toBe(isNamed);
  });
});
