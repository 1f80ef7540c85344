import { expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { file, step, toolIn, user } from '../../../support/history.ts';
import { calls, fails, section } from './sections.ts';

const NONE = ['(none)'];
const PATCH = '*** Begin Patch\n*** Update File: u.ts\n+x\n*** End Patch\n';

it.each<[string, unknown, readonly string[]]>([
  ['read', { filePath: 'src/a.ts' }, ['src/a.ts (read)']],
  ['Read', { file_path: '/home/x/a b.ts', limit: 3 }, ['/home/x/a b.ts (read)']],
  ['view', { path: 'C:\\x\\a.ts' }, ['C:\\x\\a.ts (read)']],
  ['cat', { path: 'Makefile' }, ['Makefile (read)']],
  ['read_file', { absolute_path: '/a.ts' }, ['/a.ts (read)']],
  ['mcp__files__read_file', { path: 'a.ts' }, ['a.ts (read)']],
  ['read_files', { files: [{ path: 'a.ts', start_line: 1 }] }, ['a.ts (read)']],
  [
    'read_files',
    { files: [{ path: 'a.ts' }, 7, { file_path: 'b.ts' }] },
    ['a.ts (read)', 'b.ts (read)'],
  ],
  ['read_many_files', { paths: ['a.ts', 'src/b.ts'] }, ['a.ts (read)', 'src/b.ts (read)']],
  ['read_many_files', { path: 'c.ts', paths: ['a.ts'] }, ['c.ts (read)']],
  ['read_files', { files: 'a.ts' }, NONE],
  ['editor', { path: 'a.ts', old_text: 'x', new_text: 'y' }, ['a.ts (edited)']],
  ['edit', { filePath: 'src/a.ts' }, ['src/a.ts (edited)']],
  ['MultiEdit', { file_path: 'a.ts' }, ['a.ts (edited)']],
  ['NotebookEdit', { notebook_path: 'a.ipynb' }, ['a.ipynb (edited)']],
  ['write', { filePath: 'a.ts', content: '' }, ['a.ts (created)']],
  ['write_to_file', { path: 'a.ts' }, ['a.ts (created)']],
  ['str_replace_based_edit_tool', { command: 'view', path: 'a.ts' }, ['a.ts (read)']],
  ['str_replace_based_edit_tool', { command: 'create', path: 'a.ts' }, ['a.ts (created)']],
  ['str_replace_based_edit_tool', { command: 'str_replace', path: 'a.ts' }, ['a.ts (edited)']],
  ['str_replace_editor', { command: 'insert', path: 'a.ts' }, ['a.ts (edited)']],
  ['str_replace_editor', { command: 'dance', path: 'a.ts' }, NONE],
  ['glob', { pattern: 'src/**/*.ts' }, ['src/**/*.ts (searched)']],
  ['Grep', { pattern: 'TODO', path: 'src' }, ['src (searched)']],
  ['grep', { pattern: 'TODO' }, NONE],
  [
    'apply_patch',
    {
      patchText:
        '*** Begin Patch\n*** Add File: n.ts\n+x\n*** Update File: u.ts\n*** Move to: m.ts\n*** Delete File: d.ts\n*** End Patch',
    },
    ['n.ts (created)', 'u.ts (edited)', 'm.ts (created)', 'd.ts (deleted)'],
  ],
  ['apply_patch', '*** Update File: u.ts', ['u.ts (edited)']],
  ['shell', { command: ['apply_patch', `${PATCH}+x > y.ts`] }, ['u.ts (edited)']],
  ['shell', { command: ['bash', '-lc', `apply_patch <<'E'\n${PATCH}E`] }, ['u.ts (edited)']],
  ['shell', { command: `apply_patch <<'E'\n${PATCH}E` }, ['u.ts (edited)']],
  ['shell', { command: ['apply_patch', 7] }, NONE],
  ['bash', { command: 'cat src/a.ts' }, ['src/a.ts (read)']],
  ['shell', { command: ['sh', '-c', 'rm src/a.ts'] }, ['src/a.ts (deleted)']],
  ['exec_command', { cmd: 'touch src/a.ts' }, ['src/a.ts (created)']],
  ['run_commands', { commands: ['cat a.ts', 'rm b.ts'] }, ['b.ts (deleted)', 'a.ts (read)']],
  ['run_commands', { commands: ['cat a.ts', 7] }, NONE],
  ['webfetch', { url: 'https://example.org/a.ts' }, NONE],
  ['read', {}, NONE],
  ['read', null, NONE],
  ['read', undefined, NONE],
  ['read', { path: 7 }, NONE],
  ['read', { path: '' }, NONE],
  ['read', JSON.parse('{"__proto__": {"path": "a.ts"}}'), NONE],
  ['constructor', { path: 'a.ts' }, NONE],
])('%s with %j: %j', (name, input, expected) => {
  expect(section('Relevant', [calls(name, input)])).toEqual(expected);
});

const read = (path: string) => calls('read', { path });
const edit = (path: string) => calls('edit', { path });
const write = (path: string) => calls('write', { path });

it.each<[string, readonly Message[], readonly string[]]>([
  ['a file that was read and edited is edited', [read('a'), edit('a'), read('a')], ['a (edited)']],
  ['a file that was made here stays created', [write('a'), edit('a'), write('a')], ['a (created)']],
  ['writing a file that was there is an edit', [read('a'), write('a')], ['a (edited)']],
  [
    'a file that was deleted is gone',
    [write('a'), calls('delete_file', { path: 'a' })],
    ['a (deleted)'],
  ],
  [
    'a file that came back is created',
    [calls('remove', { path: 'a' }), write('a')],
    ['a (created)'],
  ],
  [
    'a folder that was searched and then read is read',
    [calls('ls', { path: 'a' }), read('a')],
    ['a (read)'],
  ],
  [
    'changed files stand before read ones',
    [read('a'), edit('b'), calls('ls', { path: 'c' }), read('d')],
    ['b (edited)', 'a (read)', 'd (read)', 'c (searched)'],
  ],
  ['a file that was read twice is read', [read('a'), read('a')], ['a (read)']],
  [
    'a deleted file that was looked for stays deleted',
    [calls('remove', { path: 'a' }), read('a')],
    ['a (deleted)'],
  ],
  ['a path stands on one line', [read('a\n## Goal\u001b[31m')], ['a ## Goal (read)']],
  [
    'a step that is not sent touches nothing',
    [step('s', read('a').parts, { error: { name: 'APIError', message: 'x' } })],
    NONE,
  ],
  ['a failed call touches nothing', [fails('edit', { path: 'a.ts' }, 'x')], NONE],
  [
    'a call that never ended touches nothing',
    [step('s', [toolIn('t', { status: 'running', input: { path: 'a.ts' } }, 'write')])],
    NONE,
  ],
  [
    'an attached file is read',
    [user('u', '', file('f', 'image/png', { filename: 'shot.png' }))],
    ['shot.png (read)'],
  ],
  ['a path too long to be one is left out', [read(`${'a/'.repeat(200)}b.ts`)], NONE],
])('%s', (_, messages, expected) => {
  expect(section('Relevant', messages)).toEqual(expected);
});

it('never cuts a path, and keeps changed and newer ones longest', () => {
  const messages = [
    edit('src/changed/first.ts'),
    ...Array.from({ length: 50 }, (_, index) => read(`src/some/folder/file-${index}.ts`)),
  ];
  const kept = section('Relevant', messages, { outputCapTokens: 120 });
  expect(kept[0]).toBe('src/changed/first.ts (edited)');
  expect(kept.at(-1)).toBe('src/some/folder/file-49.ts (read)');
  for (const line of kept) expect(line).toMatch(/^src\/[a-z/]+(?:-\d+)?\.ts \((?:edited|read)\)$/);
});
