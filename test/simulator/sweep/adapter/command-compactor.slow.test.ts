import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { CompactorInput } from '../../../../src/simulator/replay/foreign/compactor.ts';
import {
  type CommandOptions,
  commandCompactor,
} from '../../../../src/simulator/sweep/adapter/command-compactor.ts';

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = 'do not tell \u2028 anybody';
const input: CompactorInput = {
  messages: [
    { role: 'user', content: [{ type: 'text', text: secret }] },
    { role: 'assistant', content: [{ type: 'tool-call', callId: 'c1', tool: 'read', input: {} }] },
  ],
  limits: { contextTokens: 1_000 },
};

/** A program that answers each line as a function of it does. */
function program(name: string, body: string): string {
  const path = join(folder, `${name}.cjs`);
  writeFileSync(
    path,
    `let rest = ''; process.stdin.setEncoding('utf8').on('data', (chunk) => {
       const lines = (rest + chunk).split('\\n'); rest = lines.pop();
       for (const line of lines) { const request = JSON.parse(line); ${body} }
     });
     const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');`,
  );
  return `${JSON.stringify(process.execPath)} ${JSON.stringify(path)}`;
}

async function ask(command: string, options: CommandOptions = {}, times = 1) {
  const compactor = commandCompactor(command, options);
  try {
    const answers = [];
    for (let nth = 0; nth < times; nth++) answers.push(await compactor.compact(input));
    return answers;
  } finally {
    compactor.end();
  }
}

describe('commandCompactor', () => {
  it('asks one process again and again', async () => {
    const command = program(
      'count',
      "globalThis.n = (globalThis.n ?? 0) + 1; say({ messages: [...request.messages, { role: 'user', content: String(globalThis.n) }] });",
    );
    const answers = await ask(command, {}, 3);
    expect(answers.map((messages) => messages.slice(0, 2))).toEqual(
      [1, 2, 3].map(() => input.messages),
    );
    expect(answers.map((messages) => messages[2]?.content)).toEqual(
      ['1', '2', '3'].map((text) => [{ type: 'text', text }]),
    );
  });

  it.each<[string, string, string]>([
    ['ends', 'process.exit(3);', 'got the end of its output (exit code 3).'],
    [
      'is not JSON',
      "console.log('Traceback: ' + request.messages[0].content[0].text)",
      'is not JSON.',
    ],
    [
      'says something else',
      'say({ message: 1 });',
      "got a line of 13 characters without 'messages'.",
    ],
    [
      'says it twice',
      'process.stdout.write(\'{"messages":[]}\\n\\n\');',
      'got another line after it.',
    ],
    ['gives no messages', 'say({ messages: 1 });', 'expected a list of messages, got a number.'],
  ])('says what came where the command %s', async (name, body, words) => {
    const error: unknown = await ask(program(name.replaceAll(' ', '-'), body)).catch(
      (one: unknown) => one,
    );
    expect(error).toMatchObject({ code: 'BAD_ADAPTER', message: expect.stringContaining(words) });
    expect(String(error)).not.toContain('tell');
  });

  it('reads no more than an answer may have, though it never ends', async () => {
    const command = program(
      'endless',
      "process.stdout.on('error', () => process.exit()); setInterval(() => process.stdout.write('x'.repeat(1e5)), 1);",
    );
    await expect(ask(command, { maxCharacters: 1_000_000 })).rejects.toThrow(
      'got a line of more than 1,000,000 characters.',
    );
  });

  it('says so where the command closes its output and goes on', async () => {
    await expect(ask('exec 1>&-; sleep 20')).rejects.toThrow('end of its output (it still runs)');
  });

  it('ends what does not want to', async () => {
    const command = program(
      'deaf',
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); say({ messages: [{ role: 'user', content: String(process.pid) }] });",
    );
    const [answer] = await ask(command);
    const text = answer?.[0]?.content[0];
    const pid = text?.type === 'text' ? Number(text.text) : Number.NaN;
    expect(pid).toBeGreaterThan(1);
    await vi.waitFor(() => expect(() => kill(pid, 0)).toThrow('ESRCH'), { timeout: 200_000 });
  });

  it('says so where the command is none', async () => {
    await expect(ask('exit 127')).rejects.toThrow('the end of its output (exit code 127)');
  });

  it('waits no longer than it is told to', async () => {
    const command = program('silent', '');
    await expect(ask(command, { timeoutMs: 300 })).rejects.toThrow('got nothing within 300 ms.');
  });

  it('stops when somebody wishes it to', async () => {
    const command = program('silent-too', '');
    await expect(ask(command, { signal: AbortSignal.abort() })).rejects.toThrow('a wish to stop');
  });

  it.each<[unknown, object, string]>([
    ['', {}, "Expected the adapter to be a command, got ''."],
    [' ', {}, 'to be a command'],
    [undefined, {}, 'Expected the adapter to be a command, got nothing.'],
    ['cat', { timeoutMs: Number.NaN }, "Expected 'timeoutMs' to be above 0, got NaN."],
    ['cat', { timeoutMs: 0 }, 'got 0.'],
    ['cat', { timeout: 5 }, "than timeoutMs, maxCharacters, signal, got 'timeout'."],
    ['cat', { maxCharacters: Number.NaN }, '`options.maxCharacters` to be a number above 0, got'],
  ])('starts nothing for %o with %o', (command, options, message) => {
    expect(() => commandCompactor(command as string, options)).toThrow(message);
  });
});
