import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { createCommand } from '../../support/command.ts';
import { withOpenMakers } from '../../support/makers.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const good = writeFile(folder, 'all/good.yaml', sampleText());
const WRONG = '{ metrics: { steps: "> 5", turns: 1 }, state: failed }';
const bad = writeFile(folder, 'all/deeper/bad.yml', sampleText({ expect: WRONG }));
const unreadable = writeFile(folder, 'unreadable.yaml', sampleText({ policy: 'opencode' }));
const unknown = writeFile(folder, 'unknown.yaml', sampleText({ model: 'local/unknown' }));
const empty = join(folder, 'empty');
writeFile(empty, 'notes.md', '');
writeFile(join(folder, 'all'), '.hidden.yaml', 'no scenario');
writeFile(join(folder, 'all'), 'node_modules/a/other.yaml', 'no scenario');
writeFile(join(folder, 'all'), 'session.json', '[]');

const check = createCommand('check');

describe('check', () => {
  it('prints a line for each scenario that passed and each expectation that is not met', async () => {
    const { code, stdout, stderr } = await check([join(folder, 'all')]);
    expect({ code, stderr }).toEqual({ code: EXIT.failed, stderr: '' });
    expect(withOpenMakers(stdout.replaceAll(folder, ''))).toMatchInlineSnapshot(`
      "✗ bad: main: expected steps > 5 at /all/deeper/bad.yml:6:29, got 2
      ✗ bad: main: expected state failed at /all/deeper/bad.yml:6:55, got completed
      ✓ good (1 run)

      2 scenarios, 2 runs: 1 passed, 1 failed.
      Made by: compaction-bench RELEASE, catalog FILE HASH, tokens of openai/gpt-4o by o200k_base (the model's own).
      "
    `);
  });

  it('tells of several runs by their names', async () => {
    const also = '[{ name: second, expect: { metrics: { turns: 2 } } }, { name: third }]';
    const file = writeFile(folder, 'several.yaml', sampleText({ also }));
    const { stdout } = await check([file, good]);
    expect(withOpenMakers(stdout)).toBe(
      `✓ good (1 run)\n✗ several: second: expected turns = 2 at ${file}:7:52, got 1\n\n2 scenarios, 4 runs: 1 passed, 1 failed.\nMade by: compaction-bench RELEASE, catalog FILE HASH, tokens of openai/gpt-4o by o200k_base (the model's own).\n`,
    );
  });

  it('goes on beside links below a folder that lead in a ring', async () => {
    const file = writeFile(folder, 'ringed/good.yaml', sampleText());
    symlinkSync('ring', join(dirname(file), 'ring'));
    const { code, stdout } = await check([dirname(file)]);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/^✓ good \(1 run\)$/m);
    expect(stdout).toMatch(/^✗ not read: .*\/ring' .*links that form a loop\.$/m);
  });

  it('gives the same as JSON, without events', async () => {
    const { code, stdout } = await check([good, bad, unreadable, '--format', 'json']);
    expect(code).toBe(EXIT.failed);
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      origin: {
        version: expect.any(String),
        catalog: { source: expect.any(String), hash: expect.any(String) },
        tokenizers: { 'openai/gpt-4o': { name: 'o200k_base', evidence: 'measured' } },
        settings: {},
      },
      passed: 1,
      failed: 1,
      scenarios: [
        {
          file: bad,
          name: 'bad',
          passed: false,
          runs: [
            {
              name: 'main',
              at: { line: 5, column: 9 },
              policy: 'opencode-1.18',
              state: 'completed',
              metrics: expect.objectContaining({ steps: 2, turns: 1 }),
              failures: [
                { line: 6, column: 29, expected: 'steps > 5', got: '2' },
                { line: 6, column: 55, expected: 'state failed', got: 'completed' },
              ],
            },
          ],
        },
        expect.objectContaining({ file: good, name: 'good', passed: true }),
      ],
      unread: [
        {
          file: unreadable,
          reason: expect.stringMatching(/^.*unreadable\.yaml:5:9: Expected pol/),
        },
      ],
    });
  });

  it('draws each run where it is asked to', async () => {
    const { stdout } = await check([good, '--chart']);
    expect(stdout).toMatch(
      /^✓ good \(1 run\)\n\nmain, opencode-1\.18, completed\n +\S+k ┤[^]+0 └─{6}\n2 steps · ┄ usable [\d,]+.*\n\n1 scenario, 1 run: 1 passed\.\nMade by: [^\n]+\n$/,
    );
    const { stdout: json } = await check([good, '--chart', '--format', 'json']);
    expect(JSON.parse(json).scenarios[0].runs[0].chart).toMatch(/└─{6}\n2 steps/);
  });

  it('draws for the terminal in a table, and the same in a document wherever that is printed', async () => {
    const script = ['user: 10', ...Array.from({ length: 90 }, () => 'step: 20')].join(', ');
    const file = writeFile(folder, 'long.yaml', sampleText({ session: `{ script: [${script}] }` }));
    const axisOf = async (argv: readonly string[], terminal: object = {}) => {
      const { stdout } = await check([file, '--chart', ...argv], terminal);
      return /└─+/.exec(stdout)?.[0].length;
    };
    const narrow = { isTTY: true, columns: 40 };
    const full = 1 + 72;
    expect(await axisOf([])).toBe(full);
    expect(await axisOf([], narrow)).toBeLessThan(narrow.columns);
    expect(await axisOf(['--format', 'json'], narrow)).toBe(full);
  });

  it('takes those whose name contains a text', async () => {
    const { code, stdout } = await check([join(folder, 'all'), '--only', 'oo']);
    expect({ code, stdout: withOpenMakers(stdout) }).toEqual({
      code: EXIT.done,
      stdout:
        "✓ good (1 run)\n\n1 scenario, 1 run: 1 passed.\nMade by: compaction-bench RELEASE, catalog FILE HASH, tokens of openai/gpt-4o by o200k_base (the model's own).\n",
    });
  });

  it('takes files, folders and patterns, each file once', async () => {
    const { stdout } = await check([
      good,
      join(folder, 'all'),
      join(folder, '**/*.yml'),
      join(folder, 'all', '..', 'all', 'good.yaml'),
    ]);
    expect(stdout).toMatch(/^2 scenarios, 2 runs: 1 passed, 1 failed\.$/m);
  });

  it('takes a named file whatever it is called', async () => {
    const file = writeFile(folder, 'scenario.txt', sampleText());
    expect((await check([file])).stdout).toMatch(/^✓ scenario \(1 run\)$/m);
  });

  it('is in colours on a terminal, and in none where a file takes the report', async () => {
    const { stdout } = await check([good, bad], { isTTY: true });
    expect(stdout).toContain('\u001b[32m✓\u001b[39m good \u001b[2m(1 run)\u001b[22m');
    expect(stdout).toContain('\u001b[31m✗\u001b[39m bad: main: expected steps > 5 \u001b[2mat ');
    const out = join(folder, 'out/report.txt');
    await check([good, bad, '--out', out], { isTTY: true });
    const written = readFileSync(out, 'utf8');
    expect(written).toMatch(/^✗ bad[^]*^✓ good \(1 run\)$/m);
    expect(written).not.toContain('\u001b');
  });

  it('writes a file in the format of its name', async () => {
    const out = join(folder, 'out/report.json');
    const { code, stdout, stderr } = await check([good, '--out', out]);
    expect({ code, stdout, stderr }).toEqual({
      code: EXIT.done,
      stdout: '',
      stderr: `Report: ${out}\n`,
    });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ passed: 1, failed: 0 });
    await check([good, '--out', out, '--format', 'table']);
    expect(readFileSync(out, 'utf8')).toMatch(/^✓ good/);
  });

  it('spells out what a terminal might obey', async () => {
    const text = sampleText({
      name: '"a\\e[2J"',
      expect: '{ sees: "b\\e[2J" }',
    });
    const file = writeFile(folder, 'hostile\u001b.yaml', text);
    const { stdout } = await check([file]);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^✗ hostile\\u001b: a\\u001b\[2J: expected .*'b\\u001b\[2J' at /);
  });

  it('goes on where one of several cannot be read, and fails', async () => {
    const { code, stdout } = await check([good, unreadable, unknown, join(folder, 'absent.yaml')]);
    expect(code).toBe(EXIT.failed);
    expect(withOpenMakers(stdout.replaceAll(folder, '')).split('\n')).toEqual([
      '✓ good (1 run)',
      "✗ not read: Expected '/absent.yaml' to be a file, folder or pattern, got nothing at that path.",
      expect.stringMatching(/^✗ not read: \/unknown\.yaml:4:8: Unknown model 'local\/unknown'/),
      expect.stringMatching(/^✗ not read: \/unreadable\.yaml:5:9: Expected policy to be/),
      '',
      '1 scenario, 1 run: 1 passed, 3 not read.',
      "Made by: compaction-bench RELEASE, catalog FILE HASH, tokens of openai/gpt-4o by o200k_base (the model's own).",
      '',
    ]);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['a file that is not there', [join(folder, 'absent.yaml')], /got nothing at that path\.$/m],
    ['a file that is no scenario', [unreadable], /unreadable\.yaml:5:9: Expected policy to be/],
    ['a name that nothing has', [unknown], /unknown\.yaml:4:8: Unknown model 'local\/unknown'/],
    [
      'a folder without a scenario',
      [empty],
      /Expected scenario files \(\.yaml\) at '.*empty', got none\./,
    ],
    [
      'a pattern without a match',
      [join(folder, '*.none')],
      /Expected scenario files .*none', got none/,
    ],
    [
      'nothing but wrong files',
      [unknown, unreadable],
      /unknown\.yaml:4:8: [^]*unreadable\.yaml:5:9: /,
    ],
    [
      'an empty selection',
      [good, '--only', 'zebra'],
      /Expected '--only' .* got 'zebra', which is in none of 1/,
    ],
    ['another format', [good, '--format', 'html5'], /Unknown check format 'html5'.*table, json/],
    ['a slip of zeros', [good, '--repeat', '20000'], /'--repeat' .* from 1 to 1000, got '20000'/],
    ['another catalog', [good, '--catalog', good], /to be a catalog/],
    [
      'a report in the place of a scenario',
      [good, '--format', 'json', '--out', good],
      /'--out' to be .* which is an input/,
    ],
    ['a report in the place of a folder', [good, '--out', folder], /'--out' to be a writable file/],
    ['an unknown option', ['--chart', '--charts'], /unknown option '--charts'/],
  ])('refuses %s', async (_, argv, message) => {
    const { code, stdout, stderr } = await check(argv);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
    expect(readFileSync(good, 'utf8')).toBe(sampleText());
  });

  it('leaves nothing when it is interrupted', async () => {
    const out = join(folder, 'interrupted/report.json');
    const { code, stdout, stderr } = await check([good, bad, '--out', out], {
      signal: AbortSignal.abort(),
    });
    expect({ code, stdout, stderr }).toEqual({
      code: EXIT.interrupted,
      stdout: '',
      stderr: 'Interrupted.\n',
    });
    expect(existsSync(out)).toBe(false);
  });

  it('prints the same each time', async () => {
    const argv = [folder, '--chart'];
    expect(await check(argv)).toEqual(await check(argv));
  });

  it('helps', async () => {
    const { code, stdout } = await check(['--help']);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(/^Usage: compaction-bench check .*\[files\.\.\.\]\n[^]*\nExamples:\n/);
  });
});
