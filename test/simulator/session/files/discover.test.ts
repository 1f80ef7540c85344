import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import {
  discoverSessionFiles,
  nothingThere,
} from '../../../../src/simulator/session/files/discover.ts';
import { retold } from '../../../support/retold.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';

/** Inputs, and what they find. */
const GOLDEN = join(import.meta.dirname, '../../../fixtures/discover.txt');

describe('discover', () => {
  const FILES = [
    'a.jsonl',
    'b.JSON',
    'notes.md',
    'odd.session',
    'run/c.traj',
    'run/deep/d.json',
    'run/deep/agent-77',
    'run/deep/1f2e3d4c-0000-4000-8000-123456789abc',
    'run/node_modules/package.json',
    'run/.git/e.json',
    'run/._f.json',
    'run/[x].json',
    'empty/readme.txt',
    'ringed/ok.json',
    'tied/b/one.json',
    'tied/b/deep/two.json',
    'apart/three.json',
    'swept/one.json',
    'swept/out/sweep.json',
    'swept/out/results.jsonl',
    'swept/out/two.json',
    'swept/sweep.json',
    'same/three.json',
  ];
  const here = process.cwd();
  let root = '';
  const atRoot = (input: string) => input.replace('ROOT', root);

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'kettle-'));
    for (const file of FILES) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), '');
    }
    symlinkSync('b', join(root, 'tied/a'));
    symlinkSync('..', join(root, 'tied/b/up'));
    symlinkSync('../../apart', join(root, 'tied/b/over'));
    symlinkSync('../tied', join(root, 'apart/back'));
    symlinkSync(join(root, 'lost'), join(root, 'empty/linked'));
    symlinkSync('two', join(root, 'ringed/one'));
    symlinkSync('one', join(root, 'ringed/two'));
    symlinkSync('.three', join(root, 'ringed/.three'));
    symlinkSync('three.json', join(root, 'same/four.json'));
    process.chdir(root);
  });

  afterAll(() => {
    process.chdir(here);
    rmSync(root, { recursive: true });
  });

  describe('discoverSessionFiles', () => {
    it('finds what it found', async () => {
      const told = (asked: string): readonly string[] => {
        const inputs = asked.split(' ').map((input) => (input === "''" ? '' : input));
        try {
          const { files, unread } = discoverSessionFiles(inputs.map(atRoot));
          return [...files, ...unread.map(({ path, reason }) => `! ${path}: ${reason}`)];
        } catch (error) {
          if (!(error instanceof HarnessError)) throw error;
          return [`! ${error.code}: ${error.message}`];
        }
      };
      const text = retold(GOLDEN, (asked) =>
        told(asked).map((line) => line.replaceAll(root, 'ROOT')),
      );
      await expect(text).toMatchFileSnapshot(GOLDEN);
    });

    it('finds nothing of nothing', () => {
      expect(discoverSessionFiles([])).toEqual({ files: [], unread: [] });
    });

    it.skipIf(process.getuid?.() === 0)(
      'refuses a folder that may not be read (skipped as root)',
      () => {
        const locked = join(root, 'locked');
        mkdirSync(locked, { mode: 0 });
        try {
          expect(() => discoverSessionFiles(['locked'])).toThrow(/'locked'.*got no permission\.$/);
        } finally {
          chmodSync(locked, 0o700);
          rmSync(locked, { recursive: true });
        }
      },
    );

    it.skipIf(process.getuid?.() === 0).each([['ringed'], ['ringed/**/*.json']])(
      'tells of a folder below %s that may not be read, once, and finds the rest (skipped as root)',
      (input) => {
        const locked = join(root, 'ringed/locked');
        mkdirSync(locked, { mode: 0 });
        try {
          const { files, unread } = discoverSessionFiles([input]);
          expect(files).toEqual(['ringed/ok.json']);
          const told = unread.filter(({ path }) => path === 'ringed/locked');
          expect(told.map(({ reason }) => reason)).toEqual([
            "Expected 'ringed/locked' to be a readable file or folder, got no permission.",
          ]);
        } finally {
          chmodSync(locked, 0o700);
          rmSync(locked, { recursive: true });
        }
      },
    );
  });
});

const folder = createFolder();
for (const path of ['recorded/csv-format.json', 'recorded/table-widths.json', 'notes.md'])
  writeFile(folder, path, '');

describe('nothingThere', () => {
  it.each([
    ['a file', 'recorded/csv-formt.json', 'recorded/csv-format.json'],
    ['a folder', 'recoded', 'recorded'],
    ['a folder above', 'recoded/deep/csv-format.json', 'recorded'],
  ])('names %s that is called nearly so', (_, path, nearest) => {
    const error = nothingThere(join(folder, path));
    expect(error.message).toContain(
      `got nothing at that path; nearest: '${join(folder, nearest)}'.`,
    );
  });

  it('says which commands take one session of a file by its place', () => {
    const file = join(folder, 'notes.md');
    expect(nothingThere(`${file}#3`).message).toBe(
      `Expected '${file}#3' to be a file, folder or pattern, got nothing at that path; '${file}' is there, of whose sessions only 'explain', 'whatif' and 'check minimize' take one as path#index.`,
    );
  });

  it.each(['recorded/other.json', 'recorded/other.json#3', 'sessions/', 'notes.md/inside'])(
    'names nothing near %s',
    (path) => {
      expect(nothingThere(join(folder, path)).message).toMatch(/got nothing at that path\.$/);
    },
  );
});
