import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { platform } from 'node:process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/simulator/make-folder.ts';
import { createFolder } from '../support/session-files.ts';

describe('makeFolder', () => {
  it('makes what lacks, and leaves what is there', () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a/file'), '');
    makeFolder(join(folder, 'a/b/c'));
    makeFolder(join(folder, 'a/b/c'));
    makeFolder('.');
    expect(readdirSync(join(folder, 'a')).toSorted()).toEqual(['b', 'file']);
    expect(readdirSync(join(folder, 'a/b/c'))).toEqual([]);
  });

  it.skipIf(platform === 'win32')('gives every new folder the rights that are asked for', () => {
    const folder = createFolder();
    makeFolder(join(folder, 'a/b'), { mode: 0o700 });
    const rights = ['a', 'a/b'].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(rights).toEqual([0o700, 0o700]);
  });

  it('throws what the system says of a file, and of a link to nothing', () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'absent'), join(folder, 'link'));
    expect(() => makeFolder(join(folder, 'file'))).toThrow(/EEXIST/);
    expect(() => makeFolder(join(folder, 'file/below'))).toThrow(/ENOTDIR/);
    expect(() => makeFolder(join(folder, 'link'))).toThrow(/EEXIST/);
  });
});
