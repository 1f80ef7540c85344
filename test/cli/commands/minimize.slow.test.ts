import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { createCommand, words } from '../../support/command.ts';
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
const minimizeWith = createCommand('check minimize');
const minimize = (...argv: readonly string[]) => minimizeWith([chat, ...argv]);

describe('minimize --adapter', () => {
  it('finds the smallest session in which a law is broken, and says how to see it', async () => {
    const wanted = ['--violates', 'newest-request-visible', '--out', out];
    const { code, stdout } = await minimize(...own, ...wanted);
    expect(code).toBe(EXIT.done);
    const scenario = readFileSync(out, 'utf8');
    // A fifth message is the first that the adapter answers to in another way.
    expect(scenario.match(/- { (user|step):/g)).toHaveLength(6);
    expect(scenario).toContain('policy: { preset: "none", set: {} }');
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
});

const modelOfMinimize = words(
  '--model local/small --set contextTokens=13500 --set outputTokens=500',
);
const policy = ['--policy', 'opencode-1.2.16', ...modelOfMinimize];
const run = createCommand('run');

describe('minimize', () => {
  it('writes a scenario that shows the same and passes check, and an issue that says how to see it', async () => {
    const { code, stdout } = await minimize(...policy, '--expect', 'compactions > 0', '--out', out);
    expect(code).toBe(EXIT.done);
    const scenario = readFileSync(out, 'utf8');
    expect(stdout).toContain('## `opencode-1.2.16` shows compactions > 0');
    expect(stdout).toContain(scenario.trimEnd());
    expect(scenario).toContain('metrics: { compactions: "> 0" }');
    expect(await check([out])).toMatchObject({ code: EXIT.done });
    expect(scenario.match(/- { step:/g)?.length).toBeLessThan(4);
  });

  it('shows no text of the session', async () => {
    const { stdout } = await run([chat, ...policy, '--format', 'json']);
    const { outputTokens } = JSON.parse(stdout).runs[0].metrics;
    // Nothing that the model wrote can be any shorter.
    const whole = ['--expect', `outputTokens > ${outputTokens - 1}`];
    const [, said] = JSON.parse(readFileSync(chat, 'utf8'));
    const sizes = await minimize(...policy, ...whole);
    expect(sizes.code).toBe(EXIT.done);
    expect(sizes.stdout).not.toContain(said.content.slice(0, 40));
    expect(sizes.stdout).not.toContain('text: "');
  });

  it('goes on from a scenario of its own', async () => {
    const wanted = [...policy, '--expect', 'compactions > 0'];
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
    expect(first.stderr).toContain(`'check minimize' of ${out} goes on.`);
    const there = join(createFolder(), 'smaller.yaml');
    const again = await minimizeWith([out, ...wanted, '--out', there]);
    expect(again).toMatchObject({ code: EXIT.done });
    expect(readFileSync(there, 'utf8').length).toBeLessThan(readFileSync(out, 'utf8').length);
    expect(await check([there])).toMatchObject({ code: EXIT.done });
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
