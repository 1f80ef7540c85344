import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { listLaws } from '../../../src/simulator/replay/foreign/laws.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { captureIo } from '../../support/captured-io.ts';
import { createCommand } from '../../support/command.ts';
import { withOpenMakers } from '../../support/makers.ts';
import { says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { readBlocks } from '../../support/markdown-blocks.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

describe('adapter page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/adapter.md'), 'utf8');
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  describe('docs/adapter.md', () => {
    it.skipIf(!hasPython)(
      'has a program in Python that keeps a session below its window (skipped without python3)',
      async () => {
        const program = join(folder, 'compact.py');
        const block = readBlocks('docs/adapter.md', page).find(
          ({ language }) => language === 'python',
        );
        writeFileSync(program, block?.text ?? '');
        const scenario = join(folder, 'long.yaml');
        const script =
          '[{ user: 50 }, { repeat: 40, of: [{ step: { text: 40, tools: [read 2k] } }] }]';
        const model = '{ id: local/small, contextTokens: 60k }';
        writeFileSync(
          scenario,
          `why: A long session.\nsession: { script: ${script} }\nmodel: ${model}\npolicy: none\nexpect: { state: refused }\n`,
        );
        const io = captureIo();
        const adapter = `python3 ${JSON.stringify(program)}`;
        const code = await main(['check', scenario, '--adapter', adapter, '--format', 'json'], io);
        const [run] = JSON.parse(io.written.stdout).scenarios[0].runs;
        expect({ code, state: run.state }).toEqual({ code: EXIT.done, state: 'completed' });
        expect(run.metrics.compactions).toBeGreaterThan(0);
      },
    );

    it('names every law of lists', () => {
      for (const law of Object.keys(listLaws)) expect(page).toContain(`| \`${law}\``);
    });
  });
});

const folder = createFolder();
const good = writeFile(folder, 'all/good.yaml', sampleText());
const WRONG = '{ metrics: { steps: "> 5", turns: 1 }, state: failed }';
const bad = writeFile(folder, 'all/deeper/bad.yml', sampleText({ expect: WRONG }));
const unreadable = writeFile(folder, 'unreadable.yaml', sampleText({ policy: 'opencode' }));
const unknown = writeFile(folder, 'unknown.yaml', sampleText({ model: 'local/unknown' }));
writeFile(join(folder, 'all'), '.hidden.yaml', 'no scenario');
writeFile(join(folder, 'all'), 'node_modules/a/other.yaml', 'no scenario');
writeFile(join(folder, 'all'), 'session.json', '[]');

const check = createCommand('check');

describe('check of recorded sessions', () => {
  const recorded = join(folder, 'recorded');
  writeFile(recorded, 'chat.json', chatOf(3));
  const echo = `${process.execPath} -e "process.stdin.pipe(process.stdout)"`;

  it('takes those of a folder without scenarios, where there is an adapter', async () => {
    const { code, stdout } = await check([recorded, '--adapter', echo, '--format', 'json']);
    const { scenarios } = JSON.parse(stdout);
    expect(code).toBe(EXIT.done);
    expect(scenarios).toMatchObject([{ name: 'chat', passed: true }]);
  });

  it('refuses such a folder without one', async () => {
    const { code, stderr } = await check([recorded]);
    expect({ code, stderr }).toEqual({
      code: EXIT.wrongUse,
      stderr: `Expected scenario files (.yaml) at '${recorded}', got none.\n`,
    });
  });
});

describe('check', () => {
  it('prints a line for each scenario that passed and each expectation that is not met', async () => {
    const { code, stdout, stderr } = await check([join(folder, 'all'), '--details']);
    expect({ code, stderr }).toEqual({ code: EXIT.failed, stderr: '' });
    expect(withOpenMakers(stdout.replaceAll(folder, ''))).toMatchInlineSnapshot(`
      "2 scenarios, 2 runs: 1 passed, 1 failed.

      ✗ bad: main: expected steps > 5 at /all/deeper/bad.yml:6:29, got 2
      ✗ bad: main: expected state failed at /all/deeper/bad.yml:6:55, got completed

      ✗ bad (1 run)
      ✓ good (1 run)

      Made by: compaction-bench RELEASE, catalog FILE HASH, tokens of openai/gpt-4o by o200k_base (the model's own).
      "
    `);
  });

  it('tells of several runs by their names', async () => {
    const also = '[{ name: second, expect: { metrics: { turns: 2 } } }, { name: third }]';
    const file = writeFile(folder, 'several.yaml', sampleText({ also }));
    const { stdout } = await check([file, good, '--details']);
    expect(stdout).toContain(
      `2 scenarios, 4 runs: 1 passed, 1 failed.\n\n✗ several: second: expected turns = 2 at ${file}:7:52, got 1\n\n✓ good (1 run)\n✗ several (3 runs)\n`,
    );
  });

  it('goes on beside links below a folder that lead in a ring', async () => {
    const file = writeFile(folder, 'ringed/good.yaml', sampleText());
    symlinkSync('ring', join(dirname(file), 'ring'));
    const { code, stdout } = await check([dirname(file), '--details']);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/^✓ good \(1 run\)$/m);
    expect(stdout).toMatch(/^✗ not read: .*\/ring' .*links that form a loop\.$/m);
  });

  it('gives the same as JSON, without events', async () => {
    const { code, stdout } = await check([good, bad, unreadable, '--format', 'json']);
    expect(code).toBe(EXIT.failed);
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      verdict: {
        state: 'bad',
        passed: 1,
        scenarios: 2,
        first: 'bad: main: expected steps > 5, got 2',
      },
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
              bill: expect.objectContaining({ compactions: 0, costUsd: 0.0006 }),
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
      /^1 scenario, 1 run: 1 passed\.\n\n✓ good \(1 run\)\n\nmain, opencode-1\.18, completed\n\n +\S+k ┤[^]+0 └─{6}\n2 steps · ┄ usable [\d,]+.*\n\nMade by: [^\n]+\n$/,
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
    const { code, stdout } = await check([join(folder, 'all'), '--only', 'oo', '--details']);
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('1 scenario, 1 run: 1 passed.\n\n✓ good (1 run)\n');
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
    expect(stdout).toContain('\u001b[31m✗ bad: main: expected steps > 5 at');
    const out = join(folder, 'out/report.txt');
    await check([good, bad, '--out', out], { isTTY: true });
    const written = readFileSync(out, 'utf8');
    expect(written).toMatch(/^✗ bad: main: /m);
    expect(written).not.toContain('\u001b');
  });

  it('writes a file in the format of its name', async () => {
    const out = join(folder, 'out/report.json');
    const { code, stdout, stderr } = await check([good, '--out', out]);
    expect({ code, stdout, stderr }).toEqual({
      code: EXIT.done,
      stdout: '1 scenario, 1 run: 1 passed.\n',
      stderr: `Report: ${out}\n`,
    });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ passed: 1, failed: 0 });
    await check([good, '--out', out, '--format', 'table']);
    expect(readFileSync(out, 'utf8')).toMatch(/^1 scenario, 1 run: 1 passed\.\n\n✓ good/);
  });

  it('spells out what a terminal might obey', async () => {
    const text = sampleText({ name: '"a\\e[2J"', expect: '{ sees: "b\\e[2J" }' });
    const file = writeFile(folder, 'hostile\u001b.yaml', text);
    const { stdout } = await check([file, '--details']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^✗ hostile\\u001b: a\\u001b\[2J: expected .*'b\\u001b\[2J' at /m);
  });

  it('goes on where one of several cannot be read, and fails', async () => {
    const absent = join(folder, 'absent.yaml');
    const { code, stdout } = await check([good, unreadable, unknown, absent, '--details']);
    expect(code).toBe(EXIT.failed);
    expect(stdout.replaceAll(folder, '').split('\n').slice(0, 7)).toEqual([
      '1 scenario, 1 run: 1 passed, 3 not read.',
      '',
      "✗ not read: Expected '/absent.yaml' to be a file, folder or pattern, got nothing at that path.",
      expect.stringMatching(/^✗ not read: \/unknown\.yaml:4:8: Unknown model 'local\/unknown'/),
      expect.stringMatching(/^✗ not read: \/unreadable\.yaml:5:9: Expected policy to be/),
      '',
      '✓ good (1 run)',
    ]);
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

describe('check of what failed before', () => {
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

/** None of these sessions is ever compacted, so that a model is asked only for its first answer. */
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => says('Yes'));
});
afterAll(async () => {
  await server.close();
});

function checkWithModel(argv: readonly string[]) {
  return check([...argv, '--base-url', server.url], { env: { OPENAI_API_KEY: 'a-key' } });
}

const LIVE = '[{ name: asked, summarizer: "ai:openai/gpt-4o" }]';

/** A scenario without a model and one of two tiers, with the baseline of some tiers. */
async function blessed(...tiers: readonly string[]) {
  const folder = createFolder();
  writeFile(folder, 'scenarios/det.yaml', sampleText());
  writeFile(folder, 'scenarios/mix.yaml', sampleText({ also: LIVE }));
  const baseline = join(folder, 'baseline');
  const argv = [join(folder, 'scenarios'), '--baseline', baseline];
  const bless = (tier: string) =>
    checkWithModel([...argv, '--bless', '--reason', 'why', '--tier', tier]);
  for (const tier of tiers) expect((await bless(tier)).code).toBe(EXIT.done);
  const runsOf = (scenario: string): readonly string[] => {
    const text = readFileSync(join(baseline, `${scenario}.json`), 'utf8');
    return JSON.parse(text).runs.map(({ run }: { readonly run: string }) => run);
  };
  return { folder, argv, bless, runsOf };
}

describe('check --tier with a baseline', () => {
  it('blesses its own runs, and leaves those of other tiers as they were', async () => {
    const { argv, runsOf } = await blessed('deterministic', 'live');
    expect(runsOf('det')).toEqual(['main']);
    expect(runsOf('mix')).toEqual(['main', 'asked']);
    for (const tier of ['deterministic', 'live']) {
      const { code, stdout } = await checkWithModel([...argv, '--tier', tier]);
      expect(stdout).toContain('no difference from the baseline.');
      expect(code).toBe(EXIT.done);
    }
  });

  it('keeps no run of a file that was changed since', async () => {
    const { folder, bless, runsOf } = await blessed('deterministic');
    const text = sampleText({ also: LIVE, why: 'It is another.' });
    writeFile(folder, 'scenarios/mix.yaml', text);
    await bless('live');
    expect(runsOf('mix')).toEqual(['asked']);
  });

  it('leaves runs of a model as they were where all that needs none is blessed, and misses none of them', async () => {
    const { folder, argv, runsOf } = await blessed('deterministic', 'live');
    writeFile(folder, 'scenarios/live.yaml', sampleText({ summarizer: '"ai:openai/gpt-4o"' }));
    await checkWithModel([...argv, '--bless', '--reason', 'why', '--tier', 'live']);
    const before = readFileSync(join(folder, 'baseline/live.json'), 'utf8');
    const whole = await check([...argv, '--bless', '--reason', 'why']);
    expect(whole.code).toBe(EXIT.done);
    expect(runsOf('mix')).toEqual(['main', 'asked']);
    expect(readFileSync(join(folder, 'baseline/live.json'), 'utf8')).toBe(before);
    const { code, stdout } = await check(argv);
    expect(stdout).toContain('; no difference from the baseline.');
    expect(code).toBe(EXIT.done);
  });

  it('still drops what is no more: a scenario, and runs of a file that was changed, of which it tells', async () => {
    const { folder, argv, runsOf } = await blessed('deterministic', 'live');
    rmSync(join(folder, 'scenarios/det.yaml'));
    writeFile(folder, 'scenarios/mix.yaml', sampleText({ also: LIVE, why: 'It is another.' }));
    const { code, stderr } = await check([...argv, '--bless', '--reason', 'why']);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain(
      "Scenario 'mix' has changed since the baseline was written. Runs that were left out now are gone from it.",
    );
    expect(runsOf('mix')).toEqual(['main']);
    expect(existsSync(join(folder, 'baseline/det.json'))).toBe(false);
  });

  it('tells that runs of a model are gone where the baseline rests on another catalog', async () => {
    const { folder, argv, runsOf } = await blessed('deterministic', 'live');
    const header = join(folder, 'baseline/baseline.json');
    const text = readFileSync(header, 'utf8');
    writeFileSync(header, text.replace(/"catalog": "\w+"/, '"catalog": "x"'));
    const { code, stderr } = await check([...argv, '--bless', '--reason', 'why']);
    expect(code).toBe(EXIT.done);
    expect(stderr).toMatch(/different catalog: x, now \w+\. Runs that were left out now are gone/);
    expect(runsOf('mix')).toEqual(['main']);
  });

  it('keeps nothing of a file that came to ask a model and was never asked, and tells of it until then', async () => {
    const { folder, argv } = await blessed('deterministic');
    const file = writeFile(
      folder,
      'scenarios/det.yaml',
      sampleText({ summarizer: '"ai:openai/gpt-4o"' }),
    );
    const { code, stdout } = await check(argv);
    expect(stdout).toContain("Scenario 'det' has changed since the baseline was written.");
    expect(code).toBe(EXIT.inconclusive);
    const named = [
      file,
      join(folder, 'scenarios/mix.yaml'),
      ...argv.slice(1),
      '--bless',
      '--reason',
      'why',
    ];
    expect((await check(named)).code).toBe(EXIT.done);
    expect(existsSync(join(folder, 'baseline/det.json'))).toBe(false);
    expect((await check(argv)).code).toBe(EXIT.done);
  });

  it('misses nothing of a scenario whose runs are all of other tiers', async () => {
    const { folder, argv } = await blessed();
    writeFile(folder, 'scenarios/live.yaml', sampleText({ summarizer: '"ai:openai/gpt-4o"' }));
    expect((await check([...argv, '--bless', '--reason', 'why'])).code).toBe(EXIT.done);
    expect((await check(argv)).code).toBe(EXIT.done);
  });
});
