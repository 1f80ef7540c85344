import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callMain } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const repository = join(folder, 'snapshots');
const files = join(folder, 'files');

const git = (...args: readonly string[]) =>
  execFileSync('git', ['--git-dir', repository, '--work-tree', files, ...args])
    .toString()
    .trim();

/** The tree that git makes of all files as they are now. */
function snapshot(texts: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(texts)) writeFile(files, name, text);
  git('add', '--all', '.');
  return git('write-tree');
}

mkdirSync(files);
execFileSync('git', ['init', '--quiet', '--bare', repository]);
const before = snapshot({ 'a.txt': 'one\ntwo\n', 'same.txt': 'as ever\n' });
const after = snapshot({ 'a.txt': 'one\nthree\nfour\n', 'sub/b.txt': 'new\n' });

const lines = (first: string, last: string) =>
  [
    { 'compaction-bench': 'session', version: 1 },
    {
      type: 'message',
      id: 'u1',
      role: 'user',
      parts: [{ type: 'text', text: 'Count. Then stop.' }],
    },
    {
      type: 'message',
      id: 's1',
      role: 'assistant',
      parentId: 'u1',
      parts: [
        { type: 'step-start', snapshot: first },
        { type: 'text', text: 'Counted.' },
        { type: 'step-finish', reason: 'stop', snapshot: last },
      ],
    },
    { type: 'message', id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Thanks' }] },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n');

const session = writeFile(folder, 'session.jsonl', lines(before, after));

describe('recap', () => {
  it('tells titles, answers and the lines of files that changed', async () => {
    const argv = ['sessions', 'recap', session, '--snapshots', repository, '--format', 'json'];
    const { code, stdout } = await callMain(argv);
    expect(code).toBe(0);
    const changes = {
      state: 'known',
      additions: 3,
      deletions: 1,
      files: [
        { file: 'a.txt', additions: 2, deletions: 1 },
        { file: 'sub/b.txt', additions: 1, deletions: 0 },
      ],
    };
    const none = { state: 'unknown', reason: 'no step names a snapshot from before it' };
    expect(JSON.parse(stdout).sessions).toEqual([
      {
        session,
        title: 'Count.',
        changes,
        turns: [
          { messageId: 'u1', title: 'Count.', body: 'Counted.', changes },
          { messageId: 'u2', title: 'Thanks', changes: none },
        ],
      },
    ]);
  });

  it('shows them as a table', async () => {
    const { stdout } = await callMain(['sessions', 'recap', session, '--snapshots', repository]);
    expect(stdout).toContain('2 files changed, 3 lines added, 1 deleted.');
    expect(stdout).toMatch(/^1 +2 +3 +1 +Count\.$/m);
    expect(stdout).toContain('- a.txt: +2 −1');
  });

  it('says that changes are unknown without the snapshots, or where a name is none', async () => {
    const named = await callMain(['sessions', 'recap', session]);
    expect(named.stdout).toContain("a snapshot is not there; '--snapshots' names where they are.");
    const hostile = writeFile(folder, 'hostile.jsonl', lines('--help', 'HEAD'));
    const asked = await callMain(['sessions', 'recap', hostile, '--snapshots', repository]);
    expect({ code: asked.code, isKnown: asked.stdout.includes('lines added') }).toEqual({
      code: 0,
      isKnown: false,
    });
  });
});
