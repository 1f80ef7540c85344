import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { createCommand } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(4, 400));
const out = join(folder, 'minimal.yaml');
const model = [
  '--model',
  'local/small',
  '--set',
  'contextTokens=13500',
  '--set',
  'outputTokens=500',
];
const policy = ['--policy', 'opencode-1.2.16', ...model];

const check = createCommand('check');
const run = createCommand('run');
const minimizeWith = createCommand('minimize');
const minimize = (...argv: readonly string[]) => minimizeWith([chat, ...argv]);

describe('minimize', () => {
  it('writes a scenario that shows the same and passes check, and an issue that says how to see it', async () => {
    const { code, stdout } = await minimize(...policy, '--expect', 'compactions > 0', '--out', out);
    expect(code).toBe(EXIT.done);
    const scenario = readFileSync(out, 'utf8');
    expect(stdout).toContain('## `opencode-1.2.16` shows compactions > 0');
    expect(stdout).toContain(scenario.trimEnd());
    expect(scenario).toContain('metrics: { compactions: "> 0" }');
    expect(await check([out])).toMatchObject({ code: EXIT.done });
    expect(scenario.match(/- step:/g)?.length).toBeLessThan(4);
  });

  it('gives the same again', async () => {
    const { stdout } = await minimize(...policy, '--violates', 'newest-request-visible');
    const again = await minimize(...policy, '--violates', 'newest-request-visible');
    expect(stdout).toContain('violates: [newest-request-visible]');
    expect(again.stdout).toBe(stdout);
  });

  it('shows no text of the session unless it may', async () => {
    const { stdout } = await run([chat, ...policy, '--format', 'json']);
    const { outputTokens } = JSON.parse(stdout).runs[0].metrics;
    // Nothing that the model wrote can be any shorter.
    const whole = ['--expect', `outputTokens > ${outputTokens - 1}`];
    const [, said] = JSON.parse(readFileSync(chat, 'utf8'));
    const words = said.content.slice(0, 40);
    const texts = await minimize(...policy, ...whole, '--no-redact');
    const sizes = await minimize(...policy, ...whole);
    expect(texts.stdout).toContain(words);
    expect(sizes.code).toBe(EXIT.done);
    expect(sizes.stdout).not.toContain(words);
    expect(sizes.stdout).not.toContain('text: "');
  });

  it.each([
    ['state = refused', 'state refused, got a run without it that ends completed'],
    ['steps > 99', 'steps > 99, got steps 4 in a run that ends completed'],
    ['costUsd > 2', 'costUsd > 2, got costUsd unknown in a run that ends completed'],
  ])('says what there is where the session does not show %s at all', async (wanted, words) => {
    const { code, stderr } = await minimize(...policy, '--expect', wanted);
    expect({ code, stderr }).toEqual({
      code: EXIT.failed,
      stderr: `Expected the session to show ${words}.\n`,
    });
  });

  it.each<[string, readonly string[], string]>([
    ['nothing to look for', policy, "Expected either '--violates LAW' or '--expect EXPRESSION'."],
    ['no such law', [...policy, '--violates', 'nope'], "Unknown law 'nope'"],
    ['several policies', ['--policy', 'none,document-000', '--expect', 'steps > 1'], 'several'],
  ])('refuses %s', async (_, argv, words) => {
    const { code, stderr } = await minimize(...argv);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain(words);
  });

  it('stops when the user wishes it to', async () => {
    const argv = [chat, ...policy, '--expect', 'steps > 2'];
    const { code, stdout } = await minimizeWith(argv, { signal: AbortSignal.abort() });
    expect(code).toBe(EXIT.interrupted);
    expect(stdout).toBe('');
  });

  it.each([[[]], [['--no-redact']]])(
    'goes on from a scenario of its own, with %j',
    async (texts) => {
      const wanted = [...policy, '--expect', 'compactions > 0', ...texts];
      const controller = new AbortController();
      let tries = 0;
      const now = () => {
        tries += 1;
        if (tries === 12) controller.abort();
        return 0;
      };
      const stopped = { signal: controller.signal, now };
      const first = await minimizeWith([chat, ...wanted, '--out', out], stopped);
      expect(first).toMatchObject({ code: EXIT.interrupted });
      expect(first.stderr).toContain(`'minimize' of ${out} goes on.`);
      const there = join(createFolder(), 'smaller.yaml');
      const again = await minimizeWith([out, ...wanted, '--out', there]);
      expect(again).toMatchObject({ code: EXIT.done });
      expect(readFileSync(there, 'utf8').length).toBeLessThan(readFileSync(out, 'utf8').length);
      expect(await check([there])).toMatchObject({ code: EXIT.done });
    },
  );

  it('goes on from no scenario that only names a session', async () => {
    const file = writeFile(
      createFolder(),
      'named.yaml',
      sampleText({ session: '{ file: a.json }' }),
    );
    const { code, stderr } = await minimizeWith([file, ...policy, '--expect', 'steps > 2']);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(/named\.yaml' to hold its session, got the path of another file\./);
  });

  it('keeps the smallest so far when it is stopped on the way', async () => {
    const controller = new AbortController();
    let tries = 0;
    // Asked for at each try.
    const now = () => {
      tries += 1;
      if (tries === 12) controller.abort();
      return 10_000 * tries;
    };
    const argv = [chat, ...policy, '--expect', 'compactions > 0', '--out', out];
    const { code, stdout, stderr } = await minimizeWith(argv, { signal: controller.signal, now });
    expect(code).toBe(EXIT.interrupted);
    expect(stdout).toContain(readFileSync(out, 'utf8').trimEnd());
    expect(stderr).toMatch(/^\d+\/\d+ \d+ steps?, [\d,]+ tokens, try 6$/m);
    expect(stderr).toContain('this is the smallest session so far');
    expect(await check([out])).toMatchObject({ code: EXIT.done });
  });
});
