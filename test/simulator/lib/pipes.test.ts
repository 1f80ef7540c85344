import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBytes } from '../../../src/simulator/lib/files.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();

describe.runIf(process.platform === 'linux')('readBytes', () => {
  it.each([
    ['a file', 'printf abc > "$0"', 'abc'],
    ['a pipe whose writer comes late', 'mkfifo "$0"; { sleep 0.1; printf abc > "$0"; } &', 'abc'],
    [
      'a pipe whose writer pauses',
      'mkfifo "$0"; { printf a; sleep 0.1; printf bc; } > "$0" &',
      'abc',
    ],
  ])('gives all of %s', (name, script, content) => {
    const path = join(folder, name);
    execFileSync('sh', ['-c', script, path], { stdio: 'ignore' });
    expect(readBytes(path).toString()).toBe(content);
  });

  it.each([
    [folder, 'EISDIR'],
    [join(folder, 'absent'), 'ENOENT'],
    [join(writeFile(folder, 'file', ''), 'below'), 'ENOTDIR'],
    ['/dev/zero', 'ERR_FS_FILE_TOO_LARGE'],
  ])('throws at %s', (path, code) => {
    expect(() => readBytes(path)).toThrow(expect.objectContaining({ code }));
  });
});
