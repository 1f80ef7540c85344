import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/io.ts';
import { sampleText } from '../simulator/scenario/file/sample-scenario.ts';
import { createCommand } from '../support/command.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const COMPACTED = {
  session:
    '{ overhead: 2k, script: [user: 50, { repeat: 9, of: [step: { text: 50, tools: [read 2k] }] }] }',
  model: '{ id: local/test, contextTokens: 20k, outputTokens: 4k }',
  summarizer: 'scripted:tokens=100',
} as const;

const check = createCommand('check');

/** A folder with a scenario and the baseline of it. */
async function blessed() {
  const folder = createFolder();
  const scenario = writeFile(folder, 'scenarios/one.yaml', sampleText(COMPACTED));
  const baseline = join(folder, 'baseline');
  const argv = [scenario, '--baseline', baseline];
  const { code } = await check([...argv, '--bless', '--reason', 'it is new']);
  return { folder, scenario, baseline, argv, code };
}

describe('check with a baseline', () => {
  it('is content with what was blessed, and writes the same bytes again', async () => {
    const { code, argv, baseline } = await blessed();
    const first = readFileSync(join(baseline, 'one.json'), 'utf8');
    const again = await check(argv);
    await check([...argv, '--bless', '--reason', 'it is new']);
    expect({ code, again: again.code }).toEqual({ code: EXIT.done, again: EXIT.done });
    expect(again.stdout).toContain('1 run: as before.');
    expect(readFileSync(join(baseline, 'one.json'), 'utf8')).toBe(first);
    expect(readdirSync(baseline).toSorted()).toEqual(['baseline.json', 'one.json']);
  });

  it('tells in context which event differs', async () => {
    const { argv, baseline } = await blessed();
    const file = join(baseline, 'one.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    const at = record.runs[0].log.findIndex((line: string) => line.includes('overflow'));
    record.runs[0].log[at] = record.runs[0].log[at].replace(/countTokens \d+/, 'countTokens 1');
    record.runs[0].digest = 'another';
    writeFileSync(file, JSON.stringify(record));
    const { code, stdout } = await check(argv);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(
      /✗ one: main: step \d+: overflow rule v[\d.]+: overflow, .*countTokens \d+/,
    );
    expect(stdout).toMatch(/^ {4}- overflow, .*countTokens 1,/m);
  });

  it('ends with 3 where there is no baseline, and says how to write one', async () => {
    const { scenario, folder } = await blessed();
    const { code, stdout } = await check([scenario, '--baseline', join(folder, 'none')]);
    expect(code).toBe(EXIT.inconclusive);
    expect(stdout).toContain("'--bless --reason TEXT' writes one");
  });

  it.each([
    [['--bless'], /with '--reason TEXT', got no reason/],
    [['--bless', '--reason', ' '], /with '--reason TEXT', got no reason/],
    [['--max-failures', '0'], /'--max-failures' to be a whole number from 1/],
    [['--shard', '3/2'], /'--shard' to be like 1\/4, got '3\/2'/],
    [['--format', 'junitt'], /Nearest: junit/],
  ])('refuses %j in one sentence', async (options, message) => {
    const { argv } = await blessed();
    const { code, stderr } = await check([...argv, ...options]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(message);
  });

  it('does not write a baseline of what does not hold', async () => {
    const { folder } = await blessed();
    const bad = writeFile(folder, 'bad.yaml', sampleText({ expect: '{ metrics: { steps: 99 } }' }));
    const baseline = join(folder, 'other');
    const { code, stderr } = await check([
      bad,
      '--baseline',
      baseline,
      '--bless',
      '--reason',
      'no',
    ]);
    expect(code).toBe(EXIT.failed);
    expect(stderr).toContain('No baseline was written');
    expect(readdirSync(folder)).not.toContain('other');
  });

  it('takes gates from a configuration', async () => {
    const { argv, folder } = await blessed();
    const gates = { gates: [{ type: 'max', metric: 'compactions', limit: 0 }] };
    const config = writeFile(folder, 'bench.json', JSON.stringify(gates));
    const { code, stdout } = await check([...argv, '--config', config]);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/✗ all runs: gate max on compactions: expected at most 0, got \d/);
  });

  it('takes a configuration in TypeScript', async () => {
    const { argv, folder } = await blessed();
    const config = writeFile(
      folder,
      'compaction-bench.config.ts',
      "const limit: number = 0;\nexport default { gates: [{ type: 'max', metric: 'compactions', limit }] };\n",
    );
    expect((await check([...argv, '--config', config])).code).toBe(EXIT.failed);
  });

  it('says what is wrong with a configuration', async () => {
    const { argv, folder } = await blessed();
    const config = writeFile(folder, 'wrong.yaml', 'gates: [{ type: most, metric: steps }]\n');
    const { code, stderr } = await check([...argv, '--config', config]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(/to be a configuration: .*gates\[0\]/);
  });
});

describe('check of a part', () => {
  it('has each scenario in exactly one shard', async () => {
    const folder = createFolder();
    const names = Array.from({ length: 7 }, (_, index) => `scenario-${index}`);
    for (const name of names) writeFile(folder, `${name}.yaml`, sampleText());
    const seen: string[] = [];
    for (const shard of ['1/3', '2/3', '3/3']) {
      const { stdout } = await check([folder, '--shard', shard]);
      seen.push(...(stdout.match(/scenario-\d/g) ?? []));
    }
    expect(seen.toSorted()).toEqual(names);
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

  it('stops after as many failures as were named', async () => {
    const folder = createFolder();
    for (const name of ['a', 'b', 'c']) {
      writeFile(folder, `${name}.yaml`, sampleText({ expect: '{ metrics: { steps: 99 } }' }));
    }
    const { stdout } = await check([folder, '--max-failures', '2']);
    expect(stdout).toContain('2 scenarios, 2 runs: 0 passed, 2 failed.');
  });
});
