import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { createCommand } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const check = createCommand('check');

describe('a report of a check', () => {
  const folder = createFolder();
  const scenario = writeFile(folder, 'one.yaml', sampleText());
  const baseline = join(folder, 'baseline');
  const config = writeFile(folder, 'bench.json', JSON.stringify({ baseline }));

  it.each<[string, string, readonly string[], RegExp]>([
    [
      'the baseline',
      'baseline/baseline.json',
      ['--baseline', baseline],
      /which is in the baseline/,
    ],
    ['what is beside it', 'baseline/new.json', ['--config', config], /which is in the baseline/],
    ['the configuration', 'bench.json', ['--config', config], /which is an input/],
  ])('does not take the place of %s', async (_, name, options, message) => {
    await check([scenario, '--baseline', baseline, '--bless', '--reason', 'first']);
    const out = join(folder, name);
    const before = existsSync(out) && readFileSync(out, 'utf8');
    const { code, stdout, stderr } = await check([scenario, ...options, '--out', out]);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
    expect(existsSync(out) && readFileSync(out, 'utf8')).toBe(before);
  });
});

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
