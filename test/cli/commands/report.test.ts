import { appendFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { type CapturedIo, captureIo } from '../../support/captured-io.ts';
import { callMain, words } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(24, 400));
const call = (...argv: readonly string[]) => callMain(argv);

describe('report --timeline', () => {
  it('finds a session of the package from wherever it is called', async () => {
    const shipped = join(folder, 'sweep-shipped');
    await call('sweep', '--vary', 'reserved=10000', '--jobs', '1', '--out', shipped);
    const here = process.cwd();
    process.chdir(folder);
    const session = 'scenarios/recorded/csv-format.json';
    const { code, stderr, stdout } = await call(
      ...words(`report ${shipped} --timeline ${session} --format html`),
    ).finally(() => process.chdir(here));
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    // Of the varied cell, and of today's.
    expect(stdout.match(/"moments":\[\[/g)).toHaveLength(2);
  });
});

const other = writeFile(folder, 'other.json', chatOf(4));
const SETTINGS = ['--set', 'contextTokens=20000', '--policy', 'none,opencode-1.2.16'];

/** What `run` gives of a session: its events and its report in JSON. */
async function save(session: string, name: string) {
  const [events, json] = [join(folder, `${name}.jsonl`), join(folder, `${name}.json`)];
  const { code } = await call('run', session, ...SETTINGS, '--events', events, '--out', json);
  expect(code).toBe(EXIT.done);
  return { events, json };
}

const saved = save(chat, 'saved');
const savedOther = save(other, 'other-saved');

describe('--with-text', () => {
  const events = join(folder, 'with-text.jsonl');
  const kept = call(
    ...words(`run ${chat}`),
    ...SETTINGS,
    ...words(`--events ${events} --with-text ${chat}`),
  );

  it('serves them, too', async () => {
    await kept;
    await serve([events, '--with-text', chat], async (address) => {
      expect((await ask(address, '/')).text).toContain('Question 3');
    });
    await serve([events], async (address) => {
      expect((await ask(address, '/')).text).not.toContain('Question 3');
    });
  });
});

/** Serves files until the test is done with it. */
async function serve(files: readonly string[], use: (address: URL) => Promise<void>) {
  const controller = new AbortController();
  const io: CapturedIo = captureIo({ signal: controller.signal });
  const ended = main(['report', 'serve', ...files, '--port', '0'], io);
  while (!io.written.stderr.includes('Report:')) await new Promise(setImmediate);
  const [address = ''] = /http:\/\/[^ ]+/.exec(io.written.stderr) ?? [];
  try {
    await use(new URL(address));
  } finally {
    controller.abort();
  }
  return { code: await ended, stderr: io.written.stderr };
}

/** An answer of the server, under a name of the asker's choice. */
async function ask(address: URL, path: string, options: { host?: string; method?: string } = {}) {
  const { host = address.host, method = 'GET' } = options;
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(new URL(path, address), { method, headers: { host } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('serve', () => {
  it('shows the page to this machine only, and ends cleanly', async () => {
    const { events } = await saved;
    const { code, stderr } = await serve([events], async (address) => {
      expect(address.hostname).toBe('127.0.0.1');
      expect((await ask(address, '/')).text).toMatch(/^<!doctype html>/);
      const { port } = address;
      expect((await ask(address, '/', { host: `localhost:${port}` })).status).toBe(200);
      for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1'])
        expect((await ask(address, '/', { host })).status).toBe(403);
      expect((await ask(address, '/../package.json')).status).toBe(404);
      expect((await ask(address, '/', { method: 'POST' })).status).toBe(405);
    });
    expect(code).toBe(EXIT.interrupted);
    expect(stderr).toMatch(/Interrupted\.\n$/);
  });

  it('has another version when a file changes, and keeps the last page while one is broken', async () => {
    const { events } = await savedOther;
    await serve([events], async (address) => {
      const { text: before } = await ask(address, '/version');
      expect(before).toMatch(/^[0-9a-f]{16}$/);
      expect((await ask(address, '/')).text).toContain(`data-tag="${before}"`);
      appendFileSync(events, '{"unread":{"file":"late.json","reason":"came late"}}\n');
      const { text: after } = await ask(address, '/version');
      expect(after).not.toBe(before);
      expect((await ask(address, '/')).text).toContain('came late');
      writeFileSync(events, 'broken');
      expect((await ask(address, '/')).text).toContain('came late');
    });
  });
});
