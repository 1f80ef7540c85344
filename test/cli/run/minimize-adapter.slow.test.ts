import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { createCommand } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(4, 400));
const out = join(folder, 'minimal.yaml');
const model = ['--model', 'local/small', '--set', 'contextTokens=13500'];

/** A command that answers with what an expression makes of `messages`; a quote in its name is one for the shell, too. */
function adapterThat(name: string, answer: string): string {
  const path = writeFile(
    folder,
    `the ${name}'s.cjs`,
    `let rest = '';
     process.stdin.setEncoding('utf8').on('data', (chunk) => {
       const lines = (rest + chunk).split('\\n'); rest = lines.pop();
       for (const line of lines) {
         const { messages } = JSON.parse(line);
         process.stdout.write(JSON.stringify({ messages: ${answer} }) + '\\n');
       }
     });`,
  );
  return `${JSON.stringify(process.execPath)} ${JSON.stringify(path)}`;
}

/** It loses all that the user said of a conversation of more than four messages. */
const forgetful = adapterThat(
  'forgetful',
  "messages.length > 4 ? messages.filter(({ role }) => role !== 'user') : messages",
);
/** It ends at a conversation of more than four messages. */
const fragile = adapterThat('fragile', 'messages.length > 4 ? process.exit(3) : messages');
const own = [...model, '--adapter', forgetful];

const check = createCommand('check');
const minimizeWith = createCommand('minimize');
const minimize = (...argv: readonly string[]) => minimizeWith([chat, ...argv]);

describe('minimize --adapter', () => {
  it('finds the smallest session in which a law is broken, and says how to see it', async () => {
    const wanted = ['--violates', 'newest-request-visible', '--out', out];
    const { code, stdout } = await minimize(...own, ...wanted);
    expect(code).toBe(EXIT.done);
    const scenario = readFileSync(out, 'utf8');
    // A fifth message is the first that the adapter answers to in another way.
    expect(scenario.match(/- (user|step):/g)).toHaveLength(6);
    expect(scenario).toContain('policy: { preset: none }');
    expect(scenario).toContain('expect: {}');
    expect(stdout).toContain(scenario.trimEnd());
    expect(stdout).toContain('shows a violation of newest-request-visible');
    const quoted = `'${forgetful.replaceAll("'", String.raw`'\''`)}'`;
    expect(stdout).toContain(`check minimal.yaml --adapter ${quoted} --chart`);
    const checked = await check([out, '--adapter', forgetful]);
    expect(checked).toMatchObject({ code: EXIT.failed });
    expect(checked.stdout).toContain('newest-request-visible');
    expect(await check([out])).toMatchObject({ code: EXIT.done });
  });

  it('finds the smallest session that it ends at', async () => {
    const argv = [...model, '--adapter', fragile, '--expect', 'state = failed'];
    const { code, stdout } = await minimize(...argv);
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('it has 3 turns, 3 steps and ');
    expect(stdout).toMatch(/The run ends `failed`: .*exit code 3/);
  });

  it.each<[string, readonly string[], string]>([
    ['a preset beside it', ['--policy', 'none', '--adapter', 'cat'], "either '--policy NAME' or"],
    ['neither of both', [], "Expected either '--policy NAME' or '--adapter COMMAND'."],
    ['no command', ['--adapter', ' '], "Expected '--adapter' to be a command, got nothing."],
    [
      'a setting of a policy',
      ['--adapter', 'cat', '--set', 'reserved=500'],
      "Expected '--set' to be about the model where an adapter stands for the policy, got 'reserved'.",
    ],
  ])('takes no %s', async (_, argv, words) => {
    const { code, stderr } = await minimize(...model, ...argv, '--expect', 'steps > 1');
    expect(stderr).toContain(words);
    expect(code).toBe(EXIT.wrongUse);
  });

  it('knows the laws that an adapter is held against, and no others', async () => {
    const { code, stderr } = await minimize(...own, '--violates', 'one-pivot-at-a-time');
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain("Unknown law 'one-pivot-at-a-time'");
  });
});
