import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage, type BuiltPackage } from './support/built-package.ts';
import { createFolder } from './support/session-files.ts';

const ROOT = resolve(import.meta.dirname, '..');
const TOOLS = ['vitest', 'typescript', '@types'];
const OPTIONS =
  '--noEmit --module nodenext --target es2023 --strict --types node --skipLibCheck --allowImportingTsExtensions';

describe("the example of an agent's own repository", () => {
  const repository = createFolder();
  const source = join(repository, 'src/compact.ts');
  const baseline = join(repository, 'test/baselines/long-session.json');
  const bench: { built?: BuiltPackage } = {};
  const shell = (line: string, env: Readonly<Record<string, string>> = {}) =>
    bench.built!.runShell(line, { folder: repository, env });
  const test = (env = {}, more = '') =>
    shell(`node node_modules/vitest/vitest.mjs run ${more}`, { NO_COLOR: '1', ...env });

  beforeAll(() => {
    bench.built = buildPackage();
    cpSync(join(ROOT, 'examples/vitest'), repository, { recursive: true });
    writeFileSync(join(repository, 'package.json'), '{ "type": "module" }');
    mkdirSync(join(repository, 'node_modules'));
    const link = (name: string, to: string) =>
      symlinkSync(to, join(repository, 'node_modules', name), 'junction');
    link('compaction-bench', bench.built.folder);
    for (const name of TOOLS) link(name, join(ROOT, 'node_modules', name));
  });
  afterAll(() => bench.built?.remove());

  it('has the types that the package has', async () => {
    const compiler = 'node node_modules/typescript/bin/tsc';
    const { code, stdout } = await shell(`${compiler} ${OPTIONS} test/compact.test.ts`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  it('fails in CI where its baseline is missing, and there alone', async () => {
    const { code, stdout, stderr } = await test({ CI: 'true' });
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/Expected a baseline at '.*long-session\.json', got none/);
    expect(stdout).toMatch(/Tests +1 failed \| 4 passed/);
    expect(existsSync(baseline)).toBe(false);
  });

  it('writes its baseline with a reason, which names no folder of this machine', async () => {
    const { code } = await test({ CI: 'true', COMPACTION_BENCH_BLESS: 'the first' });
    expect(code).toBe(0);
    const text = readFileSync(baseline, 'utf8');
    expect(text).toContain('"reason": "the first"');
    expect(text).toContain('"run": "../long-session.yaml"');
    expect(text).not.toContain(repository);
  });

  it('turns red at the step at which a constant makes a difference', async () => {
    const before = readFileSync(source, 'utf8');
    const after = before.replace('KEPT_MESSAGES = 20', 'KEPT_MESSAGES = 4');
    expect(after).not.toBe(before);
    writeFileSync(source, after);
    const { code, stdout, stderr } = await test({ CI: 'true' });
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/long-session\.yaml: step \d+: the adapter: .*; baseline: /);
    expect(stdout).toMatch(/Tests +1 failed \| 4 passed/);
  });
});
