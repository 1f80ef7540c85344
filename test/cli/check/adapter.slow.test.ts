import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { createCommand } from '../../support/command.ts';

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

  it('fails where a run is refused, and says why', async () => {
    const { code, stdout } = await check('--adapter', adapter('lazy', 1e9));
    expect(code).toBe(EXIT.failed);
    expect(stdout).toContain('refused');
  });

  it('fails in a sentence where the adapter does', async () => {
    const { code, stdout } = await check('--adapter', 'exit 5');
    expect(code).toBe(EXIT.failed);
    expect(stdout).toContain('the end of its output (exit code 5)');
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

  it('compares no adapter with a preset', async () => {
    const baseline = join(folder, 'preset');
    await check('--adapter', careful, '--baseline', baseline, '--bless', '--reason', 'first');
    const { code } = await check('--baseline', baseline);
    expect(code).toBe(EXIT.inconclusive);
  });

  it('stops when the user wishes it to', async () => {
    const argv = [scenario, '--adapter', careful];
    const { code } = await checkWith(argv, { signal: AbortSignal.abort() });
    expect(code).toBe(EXIT.interrupted);
  });
});
