import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { listLaws } from '../../../src/simulator/replay/foreign/compactor.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { captureIo } from '../../support/captured-io.ts';
import { createCommand } from '../../support/command.ts';
import { says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { readBlocks } from '../../support/markdown-blocks.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

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

const check = createCommand('check');

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
