import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { sampleText } from '../simulator/scenario/file/sample-scenario.ts';
import { ACTION_FOLDER, readYaml } from '../support/action-file.ts';
import { type FakeJob, runAction } from '../support/action-runner.ts';
import { type BuiltPackage, buildPackage } from '../support/built-package.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const BASELINE = 'reports/baseline';
const CONFIG = 'compaction-bench.config.yaml';
const CHANGED = { policy: '{ preset: opencode-1.18, set: { auto: false } }' };
const WRONG = { expect: '{ metrics: { steps: 99 } }' };
const repository = createFolder();
const temporary = createFolder();
const programs = createFolder();
/** A tokenizer takes long to load. */
const CACHE = { COMPACTION_BENCH_CACHE: createFolder() };
const calls = join(programs, 'calls.txt');
const bench: { built?: BuiltPackage } = {};
const scenario = (keys: Readonly<Record<string, string>> = {}) =>
  writeFile(repository, 'compaction/one.yaml', sampleText(keys));
const comment = () => readFileSync(join(programs, 'comment'), 'utf8');

/** In the place of GitHub's client: writes down what it is told, and knows the comments of a file. */
function writeClient(): void {
  const client = `#!/bin/sh
echo "$*" >> '${calls}'
[ ! -e '${programs}/forbidden' ] || { echo 'Resource not accessible by integration' >&2; exit 1; }
case "$*" in
*body=@*) cp "\${*##*body=@}" '${programs}/comment' ;;
*) cat '${programs}/known' 2> /dev/null || true ;;
esac
`;
  chmodSync(writeFile(programs, 'gh', client), 0o755);
}

const job = (more: Partial<FakeJob> = {}): FakeJob => ({
  built: bench.built!,
  repository,
  temporary,
  programs,
  inputs: { files: 'compaction/', baseline: BASELINE, command: 'npx compaction-bench' },
  event: 'push',
  env: CACHE,
  ...more,
});
const ofTier = (tier: string) => job({ inputs: { ...job().inputs, tier } });
const shell = (line: string, env = {}) =>
  bench.built!.runShell(line, { folder: repository, env: { ...CACHE, ...env }, programs });

beforeAll(async () => {
  bench.built = buildPackage();
  writeClient();
  scenario();
  const bless = `check compaction --baseline ${BASELINE} --bless --reason first`;
  await shell(`npx compaction-bench ${bless}`);
});
beforeEach(() => {
  scenario();
  for (const name of ['calls.txt', 'known', 'forbidden'])
    rmSync(join(programs, name), { force: true });
  rmSync(join(repository, CONFIG), { force: true });
});
afterAll(() => bench.built?.remove());

describe('the action', () => {
  it('is green where nothing has changed, and says so in the summary', async () => {
    const { code, summary, outputs, log } = await runAction(job());
    expect({ code, outputs }).toEqual({ code: EXIT.done, outputs: { code: '0' } });
    expect(summary).toContain('## ✅ Compaction');
    expect(log).toContain('1 run: 1 passed; no difference from the baseline.');
    expect(log).not.toContain('::error');
    expect(existsSync(calls)).toBe(false);
  });

  it('holds against the baseline that the configuration names, unless it is given one', async () => {
    writeFile(repository, CONFIG, 'baseline: none\n');
    const { baseline: _baseline, ...inputs } = job().inputs;
    const { code, log } = await runAction(job({ inputs }));
    expect(code).toBe(EXIT.inconclusive);
    expect(log).toContain("Expected a baseline in 'none', got none");
    expect(await runAction(job())).toMatchObject({ code: EXIT.done });
  });

  it('takes a configuration that lies elsewhere, as in a package of a monorepo', async () => {
    const config = 'packages/agent/gates.yaml';
    writeFile(repository, config, `scenarios: [compaction]\nbaseline: ${BASELINE}\n`);
    const inputs = { command: job().inputs['command']!, config };
    const { code, log, summary } = await runAction(job({ inputs }));
    expect({ code, log }).toMatchObject({ code: EXIT.done });
    expect(summary).not.toContain('Nothing was compared with a baseline.');
    expect(log).toContain('1 run: 1 passed; no difference from the baseline.');
  });

  it('runs the scenarios of one tier, and says so where there are none', async () => {
    const { code, log } = await runAction(ofTier('cassette'));
    expect(code).toBe(EXIT.wrongUse);
    expect(log).toContain('of this tier');
    expect(await runAction(ofTier('deterministic'))).toMatchObject({ code: EXIT.done });
  });

  it('says that it compared nothing where there is no baseline at all', async () => {
    const { baseline: _baseline, ...inputs } = job().inputs;
    const { code, summary } = await runAction(job({ inputs }));
    expect(code).toBe(EXIT.done);
    expect(summary).toContain('Nothing was compared with a baseline.');
  });

  it('ends as the program does where it is used wrongly, and replaces an older comment by that', async () => {
    writeFile(programs, 'known', '41\n');
    const inputs = { ...job().inputs, files: 'absent/' };
    const { code, outputs, summary, log } = await runAction(job({ inputs, event: 'pull_request' }));
    expect({ code, outputs }).toEqual({ code: EXIT.wrongUse, outputs: { code: '2' } });
    expect(log).toContain("Expected 'absent/' to be a file, folder or pattern");
    expect(readFileSync(calls, 'utf8')).toMatch(
      /^api --method PATCH repos\/owner\/agent\/issues\/comments\/41 -F body=@/m,
    );
    const said = '## ❌ Compaction\n\nThe check could not run: it ended with exit code 2.';
    for (const text of [summary, comment()])
      expect(text).toContain(`<!-- compaction-bench -->\n${said}`);
  });

  it('keeps a comment for each name, which its title tells', async () => {
    const name = 'node "20" --> x/y';
    const inputs = { ...job().inputs, name };
    await runAction(job({ inputs, event: 'pull_request' }));
    const marker = '<!-- compaction-bench: node _20_ --_ x/y -->';
    expect(readFileSync(calls, 'utf8')).toContain(`startswith("${marker}")`);
    expect(comment().split('\n', 2)).toEqual([marker, '## ✅ Compaction (`node _20_ --_ x/y`)']);
  });

  it('is red where an expectation is not met, marks its line, and comments', async () => {
    scenario(WRONG);
    const { code, summary, outputs, log } = await runAction(job({ event: 'pull_request' }));
    // A scenario that was changed cannot be compared, which weighs more.
    expect({ code, outputs }).toEqual({ code: EXIT.inconclusive, outputs: { code: '3' } });
    expect(summary).toContain('## ❌ Compaction');
    expect(log).toMatch(
      /^::error file=compaction\/one\.yaml,line=6,col=\d+,title=compaction-bench::one: main: expected steps = 99/m,
    );
    expect(readFileSync(calls, 'utf8')).toMatch(
      /^api --method POST repos\/owner\/agent\/issues\/7\/comments -F body=@\S+\/check\.comment$/m,
    );
  });

  it('brings its comment up to date, and takes several files and a command that compacts', async () => {
    writeFile(programs, 'known', '41\n42\n');
    const files = 'compaction/one.yaml\ncompaction/*.yaml';
    const inputs = { ...job().inputs, files, adapter: 'cat' };
    const { log } = await runAction(job({ inputs, event: 'pull_request' }));
    expect(log).toContain('The adapter stood in the place of all policies');
    expect(log).toContain('with a different preset');
    expect(readFileSync(calls, 'utf8')).toMatch(
      /^api --method PATCH repos\/owner\/agent\/issues\/comments\/41 -F body=@/m,
    );
  });

  it('is not red for a comment that it may not write', async () => {
    writeFile(programs, 'forbidden', '');
    const { code, log } = await runAction(job({ event: 'pull_request' }));
    expect(code).toBe(EXIT.done);
    expect(log).toContain('Resource not accessible');
  });

  it('says what cannot be compared where there is no baseline, and writes no comment unasked', async () => {
    const inputs = { ...job().inputs, baseline: 'none', comment: 'false' };
    const { code, log } = await runAction(job({ inputs, event: 'pull_request' }));
    expect(code).toBe(EXIT.inconclusive);
    expect(log).toMatch(
      /^::error title=compaction-bench::Expected a baseline in 'none', got none/m,
    );
    expect(existsSync(calls)).toBe(false);
  });
});

const run = (name: string) => `bash '${join(ACTION_FOLDER, 'examples/ci', name)}'`;

describe('the scripts for other services', () => {
  const folder = createFolder();
  const env = { COMMAND: 'npx compaction-bench', FILES: 'compaction', BASELINE, FOLDER: folder };

  it('check.sh ends as the check does, and leaves a file for each reader', async () => {
    const good = await shell(run('check.sh'), env);
    expect({ code: good.code, stderr: good.stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(good.stdout).not.toContain('::error');
    for (const name of ['json', 'table', 'junit'])
      expect(existsSync(join(folder, `check.${name}`))).toBe(true);
    const bad = await shell(run('check.sh'), { ...env, FILES: 'absent' });
    expect(bad.code).toBe(EXIT.wrongUse);
    expect(existsSync(join(folder, 'check.json'))).toBe(false);
  });

  it('plain.sh ends as the check does', async () => {
    expect(await shell(run('plain.sh'))).toMatchObject({ code: EXIT.done });
    scenario(CHANGED);
    expect(await shell(run('plain.sh'))).toMatchObject({ code: EXIT.inconclusive });
  });

  it('the pipeline for GitLab leaves its JUnit report', async () => {
    const [pipeline] = Object.values(
      readYaml('examples/ci/gitlab.yml') as Readonly<Record<string, { script: readonly string[] }>>,
    );
    const lines = pipeline!.script.filter((line) => line !== 'npm ci');
    expect(await shell(lines.join('\n'))).toMatchObject({ code: EXIT.done });
    expect(readFileSync(join(repository, 'compaction.xml'), 'utf8')).toContain(
      '<testsuite name="one"',
    );
  });
});
