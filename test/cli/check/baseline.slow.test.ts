import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { buildPackage, type BuiltPackage } from '../../support/built-package.ts';
import { createCommand } from '../../support/command.ts';
import { createFolder } from '../../support/session-files.ts';

const BASELINE = resolve(import.meta.dirname, '../../../reports/baseline');
/** It lies in every clone. */
const MOST_BYTES = 2_000_000;
const check = createCommand('check');

const filesOf = (folder: string) =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

const firstStep = (lines: readonly string[]) => lines.find((line) => line.includes('"step '));

describe('the scenarios that are shipped', () => {
  it('are as expected, and as in the baseline; `npm run bless -- REASON` writes what is meant to change', async () => {
    const { code, stdout, stderr } = await check(['--baseline', BASELINE]);
    const wrong = stdout.match(/^[✗?].*/gm);
    expect({ code, stderr, wrong }).toEqual({ code: EXIT.done, stderr: '', wrong: null });
    expect(stdout).toMatch(/^✓ irreducible-floor \(\d+ runs\)$/m);
    expect(stdout).toMatch(/^Against .*, \d+ runs: as before\.$/m);
  });

  it('have a baseline that is no burden', () => {
    const files = readdirSync(BASELINE).map((name) => statSync(join(BASELINE, name)).size);
    expect(files.reduce((total, size) => total + size, 0)).toBeLessThan(MOST_BYTES);
  });
});

describe('a change of one constant in a preset', () => {
  const SCENARIO = 'prune-switched-off-by-update';
  const folder = join(createFolder(), 'baseline');
  const bench: { built?: BuiltPackage } = {};
  const run = (more = '') =>
    bench.built!.runShell(
      `npx compaction-bench check --only ${SCENARIO} --baseline ${folder} ${more}`,
    );

  beforeAll(() => {
    cpSync(BASELINE, folder, { recursive: true });
    bench.built = buildPackage();
    const file = join(bench.built.folder, 'dist/engine/prune/by-age.js');
    const source = readFileSync(file, 'utf8');
    writeFileSync(file, source.replace('protectTokens: 40_000', 'protectTokens: 41_000'));
  });
  afterAll(() => bench.built?.remove());

  it('makes the check fail, and is told by scenario, step and rule', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(
      /✗ prune-switched-off-by-update: main: step \d+: prune pass by-age: left \d+ parts .*, baseline left \d+ parts /,
    );
  });

  it('passes when it is blessed with a reason, which changes that scenario and the reason', async () => {
    const before = filesOf(folder);
    const blessed = await run("--bless --reason 'more is protected'");
    expect(blessed.code).toBe(EXIT.done);
    const after = filesOf(folder);
    const changed = [...after].filter(([name, text]) => before.get(name) !== text);
    expect(changed.map(([name]) => name)).toEqual(['baseline.json', `${SCENARIO}.json`]);
    expect(after.size).toBe(before.size);
    expect(after.get('baseline.json')).toContain('"reason": "more is protected"');
    expect(await run()).toMatchObject({ code: EXIT.done });
  });

  it('stands in the diff of the baseline as the lines of its events', () => {
    const name = `${SCENARIO}.json`;
    const before = readFileSync(join(BASELINE, name), 'utf8').split('\n');
    const after = readFileSync(join(folder, name), 'utf8').split('\n');
    const removed = before.filter((line) => !after.includes(line));
    const added = after.filter((line) => !before.includes(line));
    expect(firstStep(removed)).toMatch(
      /^ {4}"step \d+: left \d+ parts below the minimum, believed/,
    );
    expect(firstStep(added)).toMatch(/^ {4}"step \d+: left \d+ parts below the minimum, believed/);
    // What came before it is not touched, nor what it has no part in.
    expect(removed.length).toBeLessThan(before.length / 2);
  });
});
