import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { createCommand } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const check = createCommand('check');

describe('check --config', () => {
  const folder = createFolder();
  writeFile(folder, 'folder.yaml/in-it.txt', '');
  writeFile(folder, 'folder.ts/in-it.txt', '');
  symlinkSync('loop.yaml', join(folder, 'loop.yaml'));

  it.each([
    ['absent.ts', 'nothing at that path'],
    ['absent.yaml', 'nothing at that path'],
    ['folder.ts', 'a folder'],
    ['folder.yaml', 'a folder'],
    ['folder.yaml/in-it.txt/deeper.yaml', 'a path inside a file'],
    ['loop.yaml', 'links that form a loop'],
  ])('says in words why %s cannot be read', async (name, reason) => {
    const config = join(folder, name);
    const { code, stderr } = await check([config, '--config', config]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toBe(`Expected '${config}' to be a configuration, got ${reason}.\n`);
  });

  it('says in one line what a program asks for in vain', async () => {
    const config = writeFile(createFolder(), 'bench.config.ts', "import './absent.ts';\n");
    const { code, stderr } = await check([config, '--config', config]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain("got 'Cannot find module './absent.ts'");
    expect(stderr).not.toContain('Require stack');
  });
});
