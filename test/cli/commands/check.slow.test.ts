import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { buildPackage, type BuiltPackage } from '../../support/built-package.ts';
import { createCommand } from '../../support/command.ts';
import { createFolder } from '../../support/session-files.ts';

describe('adapter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const scenario = join(folder, 'long.yaml');
  writeFileSync(
    scenario,
    `# A scenario.
why: A session outgrows its window.
session:
  overhead: 1k
  script:
    - user: 50
    - repeat: 12
      of:
        - step: { text: 40, tools: [read 2k] }
    - step: 60
model: { id: local/small, contextTokens: 16k, outputTokens: 1k }
policy: opencode-1.2.16
expect:
  metrics: { compactions: 1 }
also:
  - name: under another policy
    policy: none
    expect: { state: completed }
  - name: with a larger window
    model: { contextTokens: 64k }
    expect: { metrics: { compactions: 0 } }
`,
  );

  /** An adapter that clears all but the newest outputs, once a number of tokens is reached. */
  function adapter(name: string, fromTokens: number): string {
    const path = join(folder, `${name}.cjs`);
    writeFileSync(
      path,
      `let rest = '';
     process.stdin.setEncoding('utf8').on('data', (chunk) => {
       const lines = (rest + chunk).split('\\n'); rest = lines.pop();
       for (const line of lines) {
         const { messages, usage } = JSON.parse(line);
         const used = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
         const clear = (message, index) => message.role !== 'tool' || index >= messages.length - 3 ? message
           : { ...message, content: message.content.map((one) => ({ ...one, output: '' })) };
         const sent = used < ${fromTokens} ? messages : messages.map(clear);
         process.stdout.write(JSON.stringify({ messages: sent }) + '\\n');
       }
     });`,
    );
    return `${JSON.stringify(process.execPath)} ${JSON.stringify(path)}`;
  }

  const checkWith = createCommand('check');
  const check = (...argv: readonly string[]) => checkWith([scenario, ...argv]);

  describe('check --adapter', () => {
    const careful = adapter('careful', 8_000);

    it('runs each session with each model once, and tells that presets had no say', async () => {
      const { code, stdout, stderr } = await check('--adapter', careful, '--format', 'json');
      const [checked] = JSON.parse(stdout).scenarios;
      expect({ code, stderr }).toEqual({
        code: EXIT.done,
        stderr: expect.stringContaining('The adapter stood in the place of all policies'),
      });
      expect(checked.runs).toMatchObject([
        { name: 'main', policy: 'adapter', state: 'completed', failures: [] },
        { name: 'with a larger window', policy: 'adapter', state: 'completed', failures: [] },
      ]);
      expect(checked.runs[0].metrics.compactions).toBeGreaterThan(0);
    });

    it('fails in a sentence where the adapter does', async () => {
      const { code, stdout } = await check('--adapter', 'exit 5', '--details');
      expect(code).toBe(EXIT.failed);
      expect(stdout).toContain('the end of its output (exit code 5)');
    });

    it('waits for an answer as long as it is told to', async () => {
      const { code, stdout } = await check(
        '--adapter',
        'sleep 60',
        '--answer-timeout',
        '1',
        '--details',
      );
      expect(code).toBe(EXIT.failed);
      expect(stdout).toContain('nothing within 1000 ms');
      expect(await check('--answer-timeout', '1')).toMatchObject({
        code: EXIT.wrongUse,
        stderr: "Expected '--answer-timeout' to come with '--adapter', got it alone.\n",
      });
    });

    it('turns red when the adapter comes to do something else than its baseline', async () => {
      const baseline = join(folder, 'baseline');
      const blessed = ['--baseline', baseline, '--bless', '--reason', 'first'];
      expect(await check('--adapter', careful, ...blessed)).toMatchObject({ code: EXIT.done });
      const again = await check('--adapter', careful, '--baseline', baseline);
      expect(again.code).toBe(EXIT.done);
      const changed = await check('--adapter', adapter('eager', 4_000), '--baseline', baseline);
      expect(changed.code).toBe(EXIT.failed);
      expect(changed.stdout).toMatch(/step 3: the adapter: pivot/);
      expect(changed.stdout).toContain('the adapter');
    });
  });
});

const BASELINE = resolve(import.meta.dirname, '../../../reports/baseline');
/** It lies in every clone. */
const MOST_BYTES = 2_000_000;
const check = createCommand('check');
const filesOf = (folder: string) =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

describe('the scenarios that are shipped', () => {
  it('are as expected, and as in the baseline; `npm run bless -- REASON` writes what is meant to change', async () => {
    const { code, stdout, stderr } = await check(['--baseline', BASELINE]);
    const wrong = stdout.match(/^[✗?].*/gm);
    expect({ code, stderr, wrong }).toEqual({ code: EXIT.done, stderr: '', wrong: null });
    expect(stdout).toMatch(
      /^\d+ scenarios, \d+ runs: \d+ passed; no difference from the baseline\.$/m,
    );
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
    const chunks = join(bench.built.folder, 'dist/chunks');
    for (const name of readdirSync(chunks)) {
      const source = readFileSync(join(chunks, name), 'utf8');
      writeFileSync(
        join(chunks, name),
        source.replace('protectTokens: 4e4', 'protectTokens: 41e3'),
      );
    }
  });
  afterAll(() => bench.built?.remove());

  it('makes the check fail, and is told by scenario, step and rule', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(
      /✗ prune-switched-off-by-update: main: step \d+: prune pass by-age: left \d+ parts [^]*?, baseline left \d+\s+parts /,
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
});
