import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { createCommand } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const check = createCommand('check');

describe('check of what failed before', () => {
  it.each([
    ['something else in JSON', '{"scenarios": 3}', "is none, at 'scenarios'"],
    ['a number', '3', 'is none'],
    ['no JSON', 'passed', 'is not JSON'],
  ])('says in one sentence that a report of what failed is %s', async (_, text, told) => {
    const report = writeFile(createFolder(), 'report.json', text);
    const { code, stderr } = await check(['--only-failed', report]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toBe(
      `Expected '--only-failed' to be a JSON report of 'check', got '${report}', which ${told}.\n`,
    );
  });

  it('says that a report of what failed is not there', async () => {
    const { code, stderr } = await check(['--only-failed', 'absent.json']);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toBe(
      "Expected '--only-failed' to be a JSON report of 'check', got 'absent.json', which cannot be read: nothing at that path.\n",
    );
  });

  it('checks again what was not read', async () => {
    const folder = createFolder();
    writeFile(folder, 'good.yaml', sampleText());
    writeFile(folder, 'bad.yaml', sampleText({ policy: 'opencode' }));
    const report = join(folder, 'report.json');
    await check([folder, '--out', report]);
    const { code, stderr } = await check([folder, '--only-failed', report]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(/bad\.yaml:5:9/);
  });

  it('checks again only what failed', async () => {
    const folder = createFolder();
    writeFile(folder, 'good.yaml', sampleText());
    writeFile(folder, 'bad.yaml', sampleText({ expect: '{ metrics: { steps: 99 } }' }));
    const report = join(folder, 'report.json');
    await check([folder, '--out', report]);
    const { stdout } = await check([folder, '--only-failed', report]);
    expect(stdout).toContain('1 scenario, 1 run: 0 passed, 1 failed.');
  });
});
