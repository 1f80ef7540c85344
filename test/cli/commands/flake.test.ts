import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { createCommand } from '../../support/command.ts';
import { withOpenMakers } from '../../support/makers.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const flake = createCommand('check flake');
const folder = createFolder();
const scenario = writeFile(folder, 'one.yaml', sampleText());
const bad = writeFile(folder, 'bad.yaml', sampleText({ policy: 'opencode' }));
const live = writeFile(folder, 'live.yaml', sampleText({ summarizer: 'ai:openai/gpt-4o' }));

describe('flake', () => {
  it('tells that nothing strays where nothing depends on the seed', async () => {
    const { stdout, ...rest } = await flake([scenario, '--runs', '3']);
    expect({ ...rest, stdout: withOpenMakers(stdout) }).toEqual({
      code: EXIT.done,
      stdout:
        "1 run, 3 seeds each: every run has the same events with every seed.\n\nMade by: compaction-bench RELEASE, catalog FILE HASH, tokens of openai/gpt-4o by o200k_base (the model's own).\n",
      stderr: '',
    });
  });

  it('writes the format of its file', async () => {
    const out = join(folder, 'flake.json');
    expect(await flake([scenario, '--runs', '2', '--out', out])).toMatchObject({ code: EXIT.done });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ flakeVersion: 1, runs: 1 });
  });

  it('goes on where one file of several cannot be read, says why, and fails', async () => {
    const { code, stdout, stderr } = await flake([scenario, bad, '--runs', '2']);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/^1 run, 2 seeds each/);
    expect(stderr).toMatch(/bad\.yaml:5:9: Expected pol/);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['one run', [scenario, '--runs', '1'], /'--runs' to be a whole number from 2 to 1000, got '1'/],
    ['a slip of zeros', [scenario, '--runs', '20000'], /from 2 to 1000, got '20000'/],
    ['an unknown format', [scenario, '--format', 'csv'], /Unknown flake format 'csv'/],
    ['nothing that is there', [join(folder, 'absent')], /got nothing at that path/],
    ['nothing that can be read', [bad], /bad\.yaml:5:9/],
    ['a tier without runs', [live, '--runs', '2'], /runs of this tier, got none/],
    [
      'a file of another format',
      [scenario, '--out', 'flake.csv'],
      /one of the formats table, json,/,
    ],
    ['an input as output', [scenario, '--format', 'json', '--out', scenario], /which is an input/],
  ])('refuses %s in one sentence', async (_, argv, message) => {
    const { code, stdout, stderr } = await flake(argv);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
