import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../support/captured-io.ts';
import { chatOf, createFolder, writeFile } from '../support/session-files.ts';

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

async function minimize(...argv: readonly string[]) {
  const io = captureIo();
  const code = await main(['minimize', chat, ...argv], io);
  return { code, ...io.written };
}

describe('minimize', () => {
  it('writes a scenario that shows the same and passes check, and an issue that says how to see it', async () => {
    const { code, stdout } = await minimize(...policy, '--expect', 'compactions > 0', '--out', out);
    expect(code).toBe(EXIT.done);
    const scenario = readFileSync(out, 'utf8');
    expect(stdout).toContain('## `opencode-1.2.16` shows compactions > 0');
    expect(stdout).toContain(scenario.trimEnd());
    expect(scenario).toContain('metrics: { compactions: "> 0" }');
    const io = captureIo();
    expect(await main(['check', out], io)).toBe(EXIT.done);
    expect(scenario.match(/- step:/g)?.length).toBeLessThan(4);
  });

  it('gives the same again', async () => {
    const { stdout } = await minimize(...policy, '--violates', 'newest-request-visible');
    const again = await minimize(...policy, '--violates', 'newest-request-visible');
    expect(stdout).toContain('violates: [newest-request-visible]');
    expect(again.stdout).toBe(stdout);
  });

  it('shows no text of the session unless it may', async () => {
    const [word = ''] = /[a-z]{4,}/.exec(JSON.parse(chatOf(1, 900)).at(0).content) ?? [];
    expect(word).not.toBe('');
    const texts = await minimize(...policy, '--expect', 'steps > 2', '--no-redact');
    const sizes = await minimize(...policy, '--expect', 'steps > 2');
    expect(sizes.stdout).not.toContain(`text: "`);
    expect(texts.code).toBe(EXIT.done);
  });

  it('says so where the session does not show it at all', async () => {
    const { code, stderr } = await minimize(...policy, '--expect', 'state = refused');
    expect({ code, stderr }).toEqual({
      code: EXIT.failed,
      stderr:
        'Expected the session to show state refused, got a run without it that ends completed.\n',
    });
  });

  it.each<[string, readonly string[], string]>([
    ['nothing to look for', policy, "Expected one of '--violates LAW' and '--expect EXPRESSION'."],
    ['no such law', [...policy, '--violates', 'nope'], "Unknown law 'nope'"],
    ['several policies', ['--policy', 'none,document-000', '--expect', 'steps > 1'], 'several'],
  ])('refuses %s', async (_, argv, words) => {
    const { code, stderr } = await minimize(...argv);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain(words);
  });

  it('stops when the user wishes it to', async () => {
    const io = captureIo({ signal: AbortSignal.abort() });
    const argv = ['minimize', chat, ...policy, '--expect', 'steps > 2'];
    expect(await main(argv, io)).toBe(EXIT.interrupted);
  });
});
