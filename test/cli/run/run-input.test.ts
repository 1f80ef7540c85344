import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { type CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(3));
const noSession = writeFile(folder, 'none.json', '{"name": 1}');

const run = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['run', ...argv], options);

async function runJson(argv: readonly string[], options?: CapturedIoOptions) {
  const { stdout, ...rest } = await run([...argv, '--format', 'json'], options);
  return { ...rest, report: JSON.parse(stdout) };
}

describe('run with bad input', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['an unknown option', ['--polcy', 'none'], /unknown option '--polcy'[^]*--policy/],
    [
      'an unknown policy',
      ['--policy', 'none,opencod-1.2.16'],
      /Unknown policy 'opencod-1\.2\.16'\. Nearest: opencode-1\.2\.16/,
    ],
    [
      'an empty policy',
      ['--policy', 'none,'],
      /to be names of presets separated by commas, got 'none,'/,
    ],
    [
      'an unknown model',
      ['--model', 'claude-sonnet-4-5'],
      /Unknown model.*nearest: anthropic\/claude-sonnet-4-5/,
    ],
    [
      'an unknown summarizer',
      ['--summarizer', 'extractiv'],
      /Unknown summarizer 'extractiv'\. Nearest: extractive/,
    ],
    ['an unknown setting', ['--set', 'protct=1'], /Unknown setting 'protct'\. Nearest: protect/],
    [
      'a setting out of range',
      ['--set', 'protect=-1'],
      /'protect' to be a non-negative integer, such as 16000, 16k or 1M, got '-1'/,
    ],
    [
      'an unknown format',
      ['--format', 'xml'],
      /Unknown format 'xml'\..*table, json, csv, markdown/,
    ],
    [
      'a seed that is none',
      ['--seed', '1.5'],
      /'--seed' to be a whole number from 0 .*, got '1\.5'/,
    ],
    ['a seed out of range', ['--seed', '4294967296'], /'--seed' to be a whole number/],
    ['a folder to write to', ['--out', folder], /'--out' to be a writable file/],
    [
      'a file for a folder',
      ['--out', join(chat, 'report.md')],
      /'--out' to be a writable file.*inside a file/,
    ],
    [
      'its own input to write to',
      ['--out', chat],
      /'--out' to be a writable file.*which is an input/,
    ],
    [
      'one file for two things',
      ['--events', join(folder, 'both.json'), '--out', `${folder}/./both.json`],
      /'--events' and '--out' to be two files/,
    ],
    ['an empty path', ['--out', ''], /'--out' to be a writable file, got nothing/],
    [
      'a configuration that is not there',
      ['--config', 'absent.json'],
      /'absent\.json'.*: nothing at that path\.\n$/,
    ],
    ['a catalog that is none', ['--catalog', noSession], /to be a catalog/],
    ['an option without its value', ['--seed'], /'--seed <number>' argument missing/],
  ])('refuses %s', async (_, argv, message) => {
    const { code, stdout, stderr } = await run([chat, ...argv]);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('refuses to replace what is neither file nor folder', async () => {
    const socket = join(folder, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    const { code, stderr } = await run([chat, '--out', socket]);
    const isSocket = statSync(socket).isSocket();
    server.close();
    expect({ code, isSocket }).toEqual({ code: EXIT.wrongUse, isSocket: true });
    expect(stderr).toMatch(/'--out' to be a writable file/);
  });

  it('looks at its options before it looks at sessions', async () => {
    const { stderr } = await run(['absent.json', '--policy', 'nothing']);
    expect(stderr).toMatch(/^Unknown policy/);
  });

  it.each([
    ['is not there', join(folder, 'absent.json'), /absent\.json/],
    ['holds no session', noSession, /none\.json.*recorded session/],
    ['matches nothing', join(folder, '*.jsonl'), /\*\.jsonl/],
  ])('refuses an input that %s', async (_, input, message) => {
    const out = join(folder, 'never.md');
    const { code, stdout, stderr } = await run([input, '--out', out]);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(message)]);
    expect(existsSync(out)).toBe(false);
  });

  it('refuses several inputs of which none can be read', async () => {
    const { code, stdout, stderr } = await run([noSession, join(folder, 'absent.json')]);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(/absent\.json/);
  });

  it('runs what it can read, and lists what it cannot', async () => {
    const absent = join(folder, 'absent.json');
    const { code, report } = await runJson([noSession, chat, absent, '--policy', 'none']);
    expect(code).toBe(EXIT.failed);
    expect(report.runs).toHaveLength(1);
    expect(report.unread).toEqual([
      { file: absent, reason: expect.stringContaining('absent.json') },
      { file: noSession, reason: expect.stringContaining('recorded session') },
    ]);
  });
});
