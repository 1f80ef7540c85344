import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain } from '../../support/command.ts';
import { inTurn, type Received, says, serverError } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const sessions = join(folder, 'sessions');
for (const [index, words] of [300, 320].entries()) {
  writeFile(sessions, `chat-${index}.json`, chatOf(20, words));
}
const SMALL = ['--set', 'contextTokens=16k', '--set', 'outputTokens=2k'];
const MODEL = ['--summarizer', 'ai:local/m'];
const BOTH = ['--summarizer', 'extractive,ai:local/m'];

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(inTurn(says('## Goal\nAll of it.')));
});
afterAll(async () => {
  await server.close();
});

let made = 0;
const newFolder = () => join(folder, `out-${made++}`);
const rowsIn = (path: string) =>
  readFileSync(join(path, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function call(argv: readonly string[], options?: CapturedIoOptions) {
  const before = server.received.length;
  const ended = await callMain(['--no-cache', ...argv], options);
  return { ...ended, asked: server.received.length - before };
}

const sweep = (argv: readonly string[], options?: CapturedIoOptions) =>
  call(['sweep', sessions, ...SMALL, '--format', 'json', ...argv], options);
const isDown = (body: Received['body']) => body['model'] === 'down';
const at = () => ['--base-url', server.url];

describe('a sweep that asks real models', () => {
  it('has their rows beside the others, and replays them to the same bytes without a network', async () => {
    const [first, second] = [newFolder(), newFolder()];
    const cassette = ['--cassette', newFolder()];
    const recorded = await sweep([...BOTH, ...at(), ...cassette, '--out', first]);
    expect(recorded).toMatchObject({
      code: EXIT.done,
      stderr: expect.not.stringContaining('Spent'),
    });
    expect(recorded.asked).toBeGreaterThan(2);
    expect(rowsIn(first).map(({ summarizer }) => summarizer)).toEqual([
      'extractive',
      'ai:local/m',
      'extractive',
      'ai:local/m',
    ]);
    const replayed = await sweep([...BOTH, ...cassette, '--out', second], { env: { CI: '1' } });
    expect(replayed.asked).toBe(0);
    expect(replayed.stdout).toBe(recorded.stdout);
    expect(rowsIn(second)).toEqual(rowsIn(first));
    const named = await sweep(['--summarizer', `cassette:${cassette[1]}`]);
    expect(JSON.parse(named.stdout).cells[0].metrics).toEqual(
      JSON.parse(recorded.stdout).cells[1].metrics,
    );
  });

  it('runs cells that are alike once, and every trial anew', async () => {
    const cassette = newFolder();
    const once = await sweep([...MODEL, ...at(), '--vary', 'reserved=1k,3k']);
    const twice = await sweep([...MODEL, ...at(), '--trials', '2', '--cassette', cassette]);
    expect(twice.asked).toBe(2 * once.asked);
    expect(readdirSync(cassette).filter((name) => name.endsWith('.json'))).toHaveLength(
      twice.asked,
    );
  });

  it('keeps what is finished where the budget ends, and goes on there', async () => {
    const out = newFolder();
    const asking = ['--summarizer', 'extractive,ai:openai/gpt-5-mini', '--api', 'chat', ...at()];
    const env = { env: { OPENAI_KEY: 'a-key-of-nobody-0123456789' } };
    const key = ['--api-key-env', 'OPENAI_KEY', '--out', out];
    const over = await sweep([...asking, ...key, '--budget-usd', '0.00001'], env);
    expect(over).toMatchObject({ code: EXIT.wrongUse, stdout: '', asked: 0 });
    expect(over.stderr).toMatch(
      /^What is finished is kept.*\n.*would pass the budget of \$0\.0000/,
    );
    expect(rowsIn(out).map(({ summarizer }) => summarizer)).toEqual(['extractive', 'extractive']);
    const rest = await sweep([...asking, ...key], env);
    expect(rest).toMatchObject({
      code: EXIT.done,
      stderr: expect.stringContaining('Spent on summaries: $0.00'),
    });
    expect(rowsIn(out)).toHaveLength(4);
    expect(await sweep([...asking, ...key], env)).toMatchObject({ code: EXIT.done, asked: 0 });
    expect(readFileSync(join(out, 'sweep.json'), 'utf8')).not.toContain(env.env.OPENAI_KEY);
  });

  it('has no row where nobody answered, and one where the request was refused', async () => {
    const out = newFolder();
    const asking = [...BOTH, ...at(), '--retries', '0', '--out', out];
    server.play(inTurn(serverError));
    const away = await sweep(asking);
    expect(away.code).toBe(EXIT.wrongUse);
    expect(away.stderr).toContain(
      "Expected an answer from 'ai:local/m', got 'The server had an error",
    );
    expect(rowsIn(out)).toHaveLength(2);
    server.play(inTurn({ type: 'refuse', status: 400, body: { error: { message: 'No.' } } }));
    await sweep(asking);
    expect(rowsIn(out)).toHaveLength(4);
    server.play(inTurn(says('## Goal\nAll of it.')));
  });

  it('keeps what was answered before something else of the same session was not', async () => {
    const out = newFolder();
    const asking = ['--summarizer', 'ai:local/down,ai:local/up', ...at(), '--out', out];
    server.play(({ body }) => (isDown(body) ? { type: 'hang' } : says('## Goal\nAll of it.')));
    const slow = ['--timeout', '2', '--concurrency', '8'];
    const away = await sweep([...asking, ...slow]);
    server.play(inTurn(says('## Goal\nAll of it.')));
    expect(away.code).toBe(EXIT.wrongUse);
    expect(rowsIn(out).map(({ summarizer }) => summarizer)).toEqual(['ai:local/up', 'ai:local/up']);
  });

  it('leaves no folder where it breaks before its first row', async () => {
    const out = newFolder();
    expect((await sweep(['--summarizer', 'ai:openai/m', '--out', out])).code).toBe(EXIT.wrongUse);
    expect(existsSync(out)).toBe(false);
  });

  it.each<[string, readonly string[]]>([
    ['sweep', [sessions, '--vary', 'protect=20k,40k', '--out', join(folder, 'never')]],
    ['tune', [sessions, '--vary', 'protect=20k,40k']],
    ['compare', ['opencode-1.2.16', 'opencode-1.18', sessions]],
    ['whatif', [join(sessions, 'chat-0.json')]],
  ])('tells with %s --dry-run what it might cost, and asks nobody', async (command, inputs) => {
    const argv = [command, ...inputs, ...SMALL, '--summarizer', 'ai:openai/gpt-5-mini'];
    const { code, stdout, asked } = await call([...argv, '--dry-run']);
    expect({ code, asked }).toEqual({ code: EXIT.done, asked: 0 });
    expect(stdout).toMatch(/^Dry run: .*\nai:openai\/gpt-5-mini: [1-9]\d* requests, .*\n$/);
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it.each<[string, readonly string[]]>([
    ['tune', [sessions, '--vary', 'reserved=1k,3k', '--objective', 'compactions']],
    ['compare', ['opencode-1.2.16', 'opencode-1.18', sessions]],
    ['whatif', [join(sessions, 'chat-0.json')]],
  ])('lets %s ask as well', async (command, inputs) => {
    const found = await call([command, ...inputs, ...SMALL, ...MODEL, ...at(), '--format', 'json']);
    expect(found.code).toBe(EXIT.done);
    expect(found.asked).toBeGreaterThan(0);
    expect(JSON.parse(found.stdout).summarizer).toBe('ai:local/m');
  });

  it.each<[string, readonly string[], string]>([
    ['a key that is not there', ['--summarizer', 'ai:openai/m'], "'OPENAI_API_KEY', which is not"],
    ['no such name', ['--summarizer', 'ai:m'], "Expected a real model as 'ai:PROVIDER/MODEL'"],
    ['a dry run of none', ['--dry-run'], "Expected '--dry-run' with a real model"],
    [
      'one model by two names',
      ['--summarizer', 'ai:a/m,cassette:x=ai:a/m', '--dry-run'],
      'Expected each summarizer once',
    ],
    ['texts for no queue', ['--send-texts'], "Expected '--send-texts' to come with '--queue'"],
    [
      'a folder that only this machine names',
      ['--summarizer', 'cassette:x=ai:a/m', '--queue', 'redis://h', '--out', join(folder, 'q')],
      "Expected '--cassette' here and at the workers",
    ],
  ])('refuses %s in one sentence', async (_, argv, message) => {
    const { code, stderr, asked } = await sweep(argv);
    expect({ code, asked }).toEqual({ code: EXIT.wrongUse, asked: 0 });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
