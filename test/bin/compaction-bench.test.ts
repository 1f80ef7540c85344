import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder, writeFile } from '../support/session-files.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A clone as git leaves it, but for sources. */
function createClone(): string {
  const clone = createFolder();
  for (const path of ['package.json', 'bin', 'scripts/check-installed.js'])
    cpSync(join(ROOT, path), join(clone, path), { recursive: true });
  return clone;
}

const run = (clone: string, file: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, file)], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

describe('a clone in which nothing was built', () => {
  it.each([
    ['bin/compaction-bench.js', /^Nothing is built yet: 'npm ci && npm run build' .*\n$/],
    ['scripts/check-installed.js', /^Nothing is installed yet: 'npm ci && npm start' .*\n$/],
  ])('%s says in a sentence what to run', (file, sentence) => {
    const { status, stdout, stderr } = run(createClone(), file);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
  });

  it('runs the program once it is built', () => {
    const clone = createClone();
    mkdirSync(join(clone, 'dist/cli'), { recursive: true });
    const main = "export async function runProcess() { console.log('run'); }\n";
    writeFile(join(clone, 'dist/cli'), 'main.js', main);
    expect(run(clone, 'bin/compaction-bench.js').stdout).toBe('run\n');
  });
});
