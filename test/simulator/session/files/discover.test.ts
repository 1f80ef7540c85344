import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../../src/simulator/lib/errors.ts';
import {
  discoverSessionFiles,
  nothingThere,
} from '../../../../src/simulator/session/files/discover.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';

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
  ];
  const RUN_FILES = [
    'run/[x].json',
    'run/c.traj',
    'run/deep/1f2e3d4c-0000-4000-8000-123456789abc',
    'run/deep/agent-77',
    'run/deep/d.json',
  ];

  /** A folder whose links lead to itself, to what is around it, and elsewhere. */
  const TIED = ['tied/b/deep/two.json', 'tied/b/one.json', 'tied/b/over/three.json'];
  const viaA = (path: string) => path.replace('/b/', '/a/');

  const here = process.cwd();
  let root = '';

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
    process.chdir(root);
  });

  afterAll(() => {
    process.chdir(here);
    rmSync(root, { recursive: true });
  });

  describe('discoverSessionFiles', () => {
    it.each<[string, readonly string[], readonly string[]]>([
      ['a file, whatever its name', ['odd.session'], ['odd.session']],
      ['a folder, down to the last one', ['run'], RUN_FILES],
      ['a folder with a slash at its end', ['run/'], RUN_FILES],
      [
        'a folder by a way round',
        ['./run/../run/deep'],
        [
          './run/../run/deep/1f2e3d4c-0000-4000-8000-123456789abc',
          './run/../run/deep/agent-77',
          './run/../run/deep/d.json',
        ],
      ],
      ['a file with brackets in its name', ['run/[x].json'], ['run/[x].json']],
      ['a pattern in a folder', ['*.json*'], ['a.jsonl']],
      ['a pattern for one character', ['?.jsonl'], ['a.jsonl']],
      ['a pattern over folders', ['*/*.traj'], ['run/c.traj']],
      [
        'a pattern over any number of folders',
        ['run/**/*.json'],
        ['run/[x].json', 'run/deep/d.json'],
      ],
      ['a pattern with two such stretches', ['**/run/**/**/d.*'], ['run/deep/d.json']],
      ['a pattern that ends in any number of folders', ['run/deep/**'], RUN_FILES.slice(2)],
      ['a pattern that names the dot', ['run/.*/*'], ['run/.git/e.json']],
      [
        'a pattern whose dots are dots',
        ['run/deep/a?ent-77', 'a*l'],
        ['a.jsonl', 'run/deep/agent-77'],
      ],
      [
        'nothing of a sweep that is kept beside sessions',
        ['swept'],
        ['swept/one.json', 'swept/out/two.json', 'swept/sweep.json'],
      ],
      ['a file of a sweep that is named', ['swept/out/sweep.json'], ['swept/out/sweep.json']],
      ['several inputs, sorted', ['run/c.traj', 'a.jsonl'], ['a.jsonl', 'run/c.traj']],
      ['one file by two names, as first given', ['./a.jsonl', 'a.jsonl', '*.jsonl'], ['./a.jsonl']],
      ['nothing', [], []],
    ])('finds %s', (_, inputs, expected) => {
      expect(discoverSessionFiles(inputs).files).toEqual(expected);
    });

    it('finds files by an absolute pattern', () => {
      expect(discoverSessionFiles([`${root}/run/*.traj`]).files).toEqual([`${root}/run/c.traj`]);
    });

    it.each<[string, string, ErrorCode, string]>([
      ['a path at which nothing lies', 'lost.json', 'UNREADABLE', `'lost.json'`],
      ['an empty path', '', 'UNREADABLE', `''`],
      ['a path through a file', 'a.jsonl/b.json', 'UNREADABLE', `'a.jsonl/b.json'`],
      ['a folder without recordings, or with links to nothing', 'empty', 'NO_INPUT', `'empty'`],
      ['a pattern that nothing matches', '*.yaml', 'NO_INPUT', `'*.yaml'`],
      ['a pattern in a folder that is not there', 'lost/*.json', 'NO_INPUT', `'lost/*.json'`],
    ])('refuses %s', (_, input, ...[code, named]) => {
      expect(() => discoverSessionFiles([input])).toThrow(
        expect.objectContaining({
          name: 'HarnessError',
          code,
          message: expect.stringContaining(named),
        }),
      );
    });

    it.each<[string, string]>([
      ['a folder', 'ringed'],
      ['a pattern', 'ringed/*'],
      ['a pattern over any number of folders', 'ring*/**/*'],
    ])('tells of a ring of links below %s, and finds the rest', (_, input) => {
      expect(discoverSessionFiles([input, 'ringed'])).toEqual({
        files: ['ringed/ok.json'],
        unread: ['ringed/one', 'ringed/two'].map((path) =>
          expect.objectContaining({
            path,
            reason: `Expected '${path}' to be a readable file or folder, got links that form a loop.`,
          }),
        ),
      });
    });

    it.each<[string, readonly string[], readonly string[]]>([
      ['a folder', ['tied'], TIED],
      ['a folder that is a link itself', ['tied/a'], TIED.map(viaA)],
      ['a pattern over any number of folders', ['tied/**/*.json'], TIED],
      ['a pattern over folders', ['tied/*/*.json'], ['tied/b/one.json']],
      ['a pattern that names a link', ['tied/a/*.json'], ['tied/a/one.json']],
      [
        'folders that link to each other',
        ['apart', 'tied'],
        ['apart/back/b/deep/two.json', 'apart/back/b/one.json', 'apart/three.json'],
      ],
    ])('goes into linked folders below %s, into each once', (_, inputs, expected) => {
      expect(discoverSessionFiles(inputs)).toEqual({ files: expected, unread: [] });
    });

    it('leaves a file by the name that it has where it is a link itself', () => {
      symlinkSync('three.json', join(root, 'apart/same.json'));
      try {
        const { files } = discoverSessionFiles(['apart']);
        expect(files).toEqual(expect.arrayContaining(['apart/same.json', 'apart/three.json']));
      } finally {
        rmSync(join(root, 'apart/same.json'));
      }
    });

    it('tells of no ring that is hidden, or that a pattern leaves out', () => {
      expect(discoverSessionFiles(['ringed/*.json']).unread).toEqual([]);
      expect(discoverSessionFiles(['ringed']).unread.map(({ name }) => name)).not.toContain(
        '.three',
      );
    });

    it('refuses a ring of links that is named itself', () => {
      expect(() => discoverSessionFiles(['ringed/one'])).toThrow(/got links that form a loop\.$/);
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
