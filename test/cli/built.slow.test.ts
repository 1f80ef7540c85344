import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { buildPackage } from '../support/built-package.ts';
import { growingRows, writeOpencodeDatabase } from '../support/opencode-database.ts';
import { chatOf, createFolder, fixture, recording, writeFile } from '../support/session-files.ts';
import { words } from '../support/command.ts';

const bench = buildPackage();
afterAll(() => bench.remove());

const RECORDED = ['claude-code.jsonl', 'opencode-export.json', 'pi.jsonl', 'canonical.jsonl'];
const OTHERS = [
  'codex-exec.jsonl',
  'gemini-stream.jsonl',
  'cline-native.json',
  'copilot-cli.jsonl',
];
const texts = [
  ...RECORDED.map((name) => [name, fixture(name)] as const),
  ...OTHERS.map((name) => [name, recording(name)] as const),
];

/** A folder of a session of each agent. */
function folderOf(change: (text: string) => string): string {
  const made = createFolder();
  for (const [name, text] of texts) writeFile(made, name, change(text));
  return made;
}

const folder = folderOf((text) => text);
const inputs = {
  'with recorded usage': folder,
  'without usage': folderOf((text) => text.replaceAll(/"(usage|tokens|stats)":/g, '"_$1":')),
  'that are shipped': join(import.meta.dirname, '../../scenarios/recorded'),
};

/** Loaded into each thread: throws at a message that says `BREAKS_AT`. */
const BREAKER = writeFile(
  createFolder(),
  'breaker.cjs',
  `const { isMainThread, parentPort } = require('node:worker_threads');
  if (!isMainThread && parentPort) {
    if (process.env.STARTS) require('node:fs').appendFileSync(process.env.STARTS, '.');
    const on = parentPort.on.bind(parentPort);
    parentPort.on = (name, listener) => on(name, (message) => {
      if (JSON.stringify(message ?? '').includes(process.env.BREAKS_AT)) throw new Error('broken here');
      return listener(message);
    });
  }`,
);

const MOST_BYTES = 2 ** 26;
/** A line of a stack trace. */
const STACK = /^ +at /m;

/** How the built program ends. */
function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: bench.folder, env: { ...process.env, ...env }, maxBuffer: MOST_BYTES };
    execFile(
      process.execPath,
      [bench.program, '--no-cache', ...argv],
      options,
      (error, stdout, stderr) =>
        resolve({ code: error === null ? EXIT.done : error.code, stdout, stderr }),
    );
  });
}

const breaking = (BREAKS_AT: string) => ({ NODE_OPTIONS: `--require ${BREAKER}`, BREAKS_AT });
const POLICIES = ['--policy', 'none,opencode-1.2.16'];

describe.each(Object.entries(inputs))('sessions %s', (_, path) => {
  it.each<readonly string[]>([
    ['answer', path],
    ['sweep', path, ...POLICIES],
    ['sweep', path, '--vary', 'reserved=10000,20000'],
    words(
      `tune ${path} --policy opencode-1.2.16 --vary protect=1k,2k --hold-out 0 --model anthropic/claude-sonnet-4-5`,
    ),
  ])('give the same bytes with any number of workers: %s', async (...argv) => {
    const [one, ...more] = await Promise.all(
      ['1', '2', '4'].map((jobs) => run(['--quiet', ...argv, '--jobs', jobs, '--format', 'json'])),
    );
    expect(one).toMatchObject({ code: EXIT.done, stderr: expect.not.stringMatching(STACK) });
    for (const other of more) expect(other).toEqual(one);
  });

  it.each<readonly string[]>([
    ['run', path],
    ['compare', 'none', 'opencode-1.2.16', path],
    ['sessions', 'stats', path],
    ['sessions', 'validate', path],
    ['sessions', 'import', path, '--out', join(createFolder(), 'out')],
    ['summarizers', path, '--summarizers', 'lead', '--repeat', '1'],
  ])('end without a stack trace: %s', async (...argv) => {
    const isUnmeasured = argv.includes('validate') && path === inputs['without usage'];
    expect(await run(argv)).toMatchObject({
      code: isUnmeasured ? EXIT.inconclusive : EXIT.done,
      stderr: expect.not.stringMatching(STACK),
    });
  });
});

describe('a worker that breaks', () => {
  const broken = createFolder();
  for (const name of ['claude-code.jsonl', 'pi.jsonl']) writeFile(broken, name, fixture(name));
  const sweep = ['sweep', broken, '--policy', 'none,opencode-1.2.16', '--format', 'csv'];
  const failedRows = (text: string) =>
    text.split('\n').filter((line) => line.includes('failed,the worker broke: broken here'));

  it.each<[string, string, number]>([
    ['at a task costs the rows of the task', 'pi.jsonl', 3],
    ['at every task costs all rows', '"type":"task"', 6],
    ['before its first task costs all rows where all do', '"type":"cells"', 6],
  ])('%s', async (_, place, rows) => {
    const ended = await run([...sweep, '--jobs', '2'], breaking(place));
    expect(failedRows(ended.stdout)).toHaveLength(rows);
    expect(ended).toMatchObject({ code: EXIT.failed, stderr: expect.not.stringMatching(STACK) });
  });

  it.each([
    ['task', '"type":"task"'],
    ['file', '.json'],
  ])('at every %s has no more than twenty successors', async (_, place) => {
    const chats = createFolder();
    for (let index = 0; index < 60; index++) writeFile(chats, `${index}.json`, chatOf(2, index));
    const STARTS = join(createFolder(), 'starts');
    const argv = ['sweep', chats, '--policy', 'none', '--jobs', '2'];
    const { code } = await run(argv, { ...breaking(place), STARTS });
    expect([EXIT.failed, EXIT.wrongUse]).toContain(code);
    expect(readFileSync(STARTS).length).toBeLessThan(30);
  });

  it('at a file leaves out the file', async () => {
    const argv = [broken, '--jobs', '2', '--format', 'json'];
    const { stdout, stderr } = await run(argv, breaking('pi.jsonl'));
    const file = join(broken, 'pi.jsonl');
    expect(JSON.parse(stdout).leftOut.unread).toEqual([
      { file, reason: `Expected to read '${file}', but the worker broke: broken here` },
    ]);
    expect(stderr).not.toMatch(STACK);
  });
});

/** The program while it runs, with a temporary folder of its own. */
function start(argv: readonly string[], TMPDIR: string) {
  const options = { cwd: bench.folder, env: { ...process.env, TMPDIR } };
  const child = spawn(process.execPath, [bench.program, '--no-cache', ...argv], options);
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return { child, ended };
}

/** Waits for what happens in another process. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(10);
}

describe("a database's copy", () => {
  const ids = Array.from({ length: 400 }, (_, index) => `s${index}`);
  const rows = ids.flatMap((id, index) => growingRows({ id, startMs: index }));
  const database = writeOpencodeDatabase(join(createFolder(), 'opencode.db'), rows);
  const another = `${database}.2.db`;
  cpSync(database, another);
  const copies = (place: string) =>
    readdirSync(place).filter((name) => name.startsWith('compaction-bench-db-'));

  it.each<[NodeJS.Signals, { code: number | null; signal: NodeJS.Signals | null }]>([
    ['SIGINT', { code: EXIT.interrupted, signal: null }],
    ['SIGTERM', { code: null, signal: 'SIGTERM' }],
    ['SIGHUP', { code: null, signal: 'SIGHUP' }],
  ])('goes with %s', async (signal, expected) => {
    for (const argv of [
      ['run', database],
      [database, another, '--jobs', '2'],
    ]) {
      const place = createFolder();
      const { child, ended } = start(argv, place);
      await until(() => copies(place).length > 0);
      child.kill(signal);
      expect(await ended).toEqual(expected);
      expect(copies(place)).toEqual([]);
    }
  });

  it('that a killed run left goes with the next start, and that of a running one stays', async () => {
    const place = createFolder();
    const { child, ended } = start(['run', database], place);
    await until(() => copies(place).length > 0);
    child.kill('SIGKILL');
    await ended;
    expect(copies(place)).toHaveLength(1);
    mkdirSync(join(place, `compaction-bench-db-${process.pid}-x`));
    await start(['--version'], place).ended;
    expect(copies(place)).toEqual([`compaction-bench-db-${process.pid}-x`]);
  });
});

describe('provider', () => {
  it('ends beside a client that has not sent all', async () => {
    const script = writeFile(
      createFolder(),
      'script.json',
      JSON.stringify({
        shows: 'x',
        contextTokens: 9_000,
        outputTokens: 100,
        turns: [{ prompt: 'x', answers: [{}] }],
      }),
    );
    const { child, ended } = start(['provider', '--script', script, '--port', '0'], createFolder());
    const [told] = await once(child.stderr, 'data');
    const client = connect(Number(/:(\d+)\//.exec(String(told))?.[1]), '127.0.0.1');
    client.on('error', () => undefined);
    await once(client, 'connect');
    await new Promise((resolve) =>
      client.write(
        'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{',
        resolve,
      ),
    );
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: EXIT.interrupted, signal: null });
  });
});
