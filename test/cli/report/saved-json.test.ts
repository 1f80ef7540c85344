import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { header, user } from '../../simulator/session/pi/lines.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(24, 400));
for (const turns of [4, 6, 8]) writeFile(folder, `chats/${turns}.json`, chatOf(turns, 600));
const chats = join(folder, 'chats');
const scenario = join(import.meta.dirname, '../../../scenarios/empty-summary.yaml');

const call = (...argv: readonly string[]) => callMain(argv);

describe('report, of JSON', () => {
  it('renders a check as the check itself does', async () => {
    const json = join(folder, 'check.json');
    await call('check', scenario, '--chart', '--out', json);
    for (const format of ['junit', 'json', 'html']) {
      const direct = await call('check', scenario, '--chart', '--format', format);
      const later = await call('report', json, '--format', format);
      expect(later).toEqual({ code: EXIT.done, stdout: direct.stdout, stderr: '' });
    }
  });

  it.each<[string, readonly string[]]>([
    ['a comparison', ['compare', 'none', 'opencode-1.2.16', chats]],
    ['what tune found', ['tune', chats, '--vary', 'reserved=1000,15000', '--jobs', '1']],
  ])('renders %s as the command itself does', async (...[, argv]) => {
    const command = [...argv, '--set', 'contextTokens=20000'];
    const file = writeFile(
      folder,
      'saved.json',
      (await call(...command, '--format', 'json')).stdout,
    );
    for (const format of ['table', 'json', 'markdown', 'html']) {
      const direct = await call(...command, '--format', format);
      const later = await call('report', file, '--format', format);
      expect(later).toEqual({ code: EXIT.done, stdout: direct.stdout, stderr: '' });
    }
  });

  it('renders a what-if as the command itself does, but for a page without steps', async () => {
    const command = ['whatif', chat, '--window', '1k,20k,40k', '--curve'];
    const { stdout } = await call(...command, '--format', 'json');
    const file = writeFile(folder, 'what-if.json', stdout);
    for (const format of ['table', 'json', 'markdown']) {
      const direct = await call(...command, '--format', format);
      const later = await call('report', file, '--format', format);
      expect(later).toEqual({ code: EXIT.done, stdout: direct.stdout, stderr: '' });
    }
    const page = await call('report', file, '--format', 'html');
    expect(page).toMatchObject({ code: EXIT.done, stderr: '' });
    expect(page.stdout).toContain('No timeline: JSON of a what-if');
  });

  it('renders a sweep in every format alike from its JSON and from its folder', async () => {
    const out = join(folder, 'sweep');
    const options = [
      '--vary',
      'contextTokens=20000,30000',
      '--vary',
      'policy=none,opencode-1.2.16',
    ];
    const { stdout } = await call(
      'sweep',
      chat,
      ...options,
      '--jobs',
      '1',
      '--out',
      out,
      '--format',
      'json',
    );
    const file = writeFile(folder, 'sweep.json', stdout);
    for (const format of ['table', 'json', 'csv', 'markdown', 'html']) {
      const later = await call('report', out, '--format', format);
      expect(later).toEqual(await call('report', file, '--format', format));
      expect(later).toMatchObject({ code: EXIT.done, stderr: '' });
    }
    expect((await call('report', out, '--format', 'json')).stdout).toBe(stdout);
  });

  it.each<[string, readonly string[]]>([
    ['stats', ['stats', chat]],
    ['flake', ['flake', scenario, '--runs', '2']],
    ['validate', ['validate', chat]],
    ['explain', ['explain', chat, '--policy', 'none']],
  ])('says that JSON of %s is not for it', async (name, argv) => {
    const { stdout } = await call(...argv, '--format', 'json');
    const { code, stderr } = await call('report', writeFile(folder, 'plain.json', stdout));
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain(`but it is JSON of '${name}', of which no other format can be made.`);
  });

  it.each<[string, string, string]>([
    ['text', 'Results:\n', 'it is text that is not JSON'],
    ['nothing', ' \n', 'it is an empty file'],
    ['half a document', '{"a":', 'it is a JSON document that is not whole'],
    ['a list', '[]', 'it is an empty JSON array'],
    ['a word', '"a"', 'it is a JSON string'],
    ['another document', '{"a":1}', 'it is a JSON object with keys "a"'],
    [
      'lines of JSON that are no session',
      '{"a":1}\n{"b":2}\n',
      'it is JSON lines that begin with a JSON object with keys "a"',
    ],
    [
      'a recorded session in lines',
      [header, user('Look.')].map((line) => JSON.stringify(line)).join('\n'),
      "it is a recorded session (pi): 'run SESSION --events FILE' makes events of it",
    ],
    [
      'a recorded session as a document',
      chatOf(2, 10),
      "it is a recorded session (openai-chat): 'run SESSION --events FILE' makes events of it",
    ],
    [
      'a report of a later release',
      '{"schemaVersion":99,"provenance":{},"runs":[]}',
      'it has version 99, and this release reads up to 1',
    ],
    [
      'a broken comparison',
      '{"comparisonVersion":3,"a":1}',
      "it is broken, at 'a': expected string, received number",
    ],
    [
      'what a later release tuned',
      '{"tuneVersion":99}',
      'it has version 99, and this release reads up to 4',
    ],
    [
      'a broken what-if',
      '{"whatIfVersion":3,"session":"a","policy":"none"}',
      "it is broken, at 'summarizer': expected string, received undefined",
    ],
    [
      'a what-if of a later release',
      '{"whatIfVersion":99}',
      'it has version 99, and this release reads up to 3',
    ],
    [
      'a broken report',
      '{"schemaVersion":1,"provenance":{},"runs":[]}',
      "it is broken, at 'provenance.version': expected string, received undefined",
    ],
  ])('says in a sentence what is wrong with %s', async (...[, text, reason]) => {
    const file = writeFile(folder, 'wrong.json', text);
    const { code, stderr } = await call('report', file);
    expect({ code, stderr }).toEqual({
      code: EXIT.wrongUse,
      stderr: `Expected '${file}' to be saved events, JSON of 'run', 'check', 'sweep', 'summarizers', 'compare', 'tune' or 'whatif', or a sweep's folder, but ${reason}.\n`,
    });
  });
});
