import { describe, expect, it } from 'vitest';
import { writtenIn } from '../../../../src/simulator/replay/references/calls.ts';
import { called } from './sessions.ts';
import { isReading } from '../../../../src/simulator/replay/references/find-references.ts';

const bash = (command: string) => called('s1', 'bash', { command }, 'x');

describe('isReading', () => {
  it.each<[string, ReturnType<typeof called>, boolean]>([
    ['a read', called('s1', 'Read', { file_path: 'a' }, 'x'), true],
    ['a search', called('s1', 'Grep', { pattern: 'a' }, 'x'), true],
    ['a listing', called('s1', 'Glob', { pattern: '*' }, 'x'), true],
    ['sed that shows', bash("cd /w && sed -n '1,20p' a.ts"), true],
    ['a search in a pipe', bash('rg -n "a|b" src | head -20'), true],
    ['tests', bash('npm test | tail -20'), false],
    ['a build', bash('make all'), false],
    ['the state of a repository', bash('git status'), false],
    ['a difference', bash('git diff | head'), false],
    ['a file that is written', bash('cat a.ts > b.ts'), false],
    ['an edit', called('s1', 'Edit', { file_path: 'a' }, 'x'), false],
  ])('knows calls that only show something: %s', (_, part, expected) => {
    expect(isReading(part)).toBe(expected);
  });
});

describe('writtenIn', () => {
  it('takes replaced lines as anchors, and of the new ones those that come', () => {
    const input = { filePath: 'a', oldString: 'one line\ntwo lines', newString: 'one line\nthree' };
    expect(writtenIn(called('s1', 'edit', input, 'ok'))).toMatchObject({
      anchors: ['one line\ntwo lines'],
      code: ['three'],
    });
  });

  it('takes the context of a patch as anchor, and its added lines as code', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n@@\n before\n-old line\n+new line\n*** End Patch';
    expect(writtenIn(called('s1', 'apply_patch', { input: patch }, 'ok'))).toMatchObject({
      anchors: ['before\nold line'],
      code: ['new line'],
    });
  });

  it('takes no state or path as text, and a pattern that is asked for', () => {
    const input = {
      pattern: 'collectInvoices',
      output_mode: 'files_with_matches',
      path: '/w/a.ts',
    };
    expect(writtenIn(called('s1', 'Grep', input, 'x')).code).toEqual(['collectInvoices']);
  });

  it('keeps commands apart', () => {
    expect(writtenIn(bash('npm test'))).toMatchObject({ code: [], commands: ['npm test'] });
  });
});
