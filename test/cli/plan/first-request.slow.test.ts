import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { type Deed, says } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const MODEL = 'ai:local/m';
const folder = createFolder();
const session = writeFile(folder, 'long.json', chatOf(40, 400));
const facts = writeFile(
  folder,
  'facts.json',
  '[{"kind":"path","subject":"a","value":"b","polarity":"do"}]',
);
const scenario = writeFile(
  folder,
  'live.yaml',
  `why: A model is asked.
session: { script: [{ user: 50 }, { step: 60 }] }
model: { id: local/small, contextTokens: 16k, outputTokens: 1k }
policy: opencode-1.2.16
summarizer: '${MODEL}'
expect: { state: completed }
`,
);

const SMALL = ['--policy', 'opencode-1.2.16', '--set', 'contextTokens=4000'];
const ASKED = ['--summarizer', MODEL];

/** Every command that asks a model. */
const COMMANDS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['run', [session, ...SMALL, ...ASKED]],
  ['compare', ['none', 'opencode-1.2.16', session, ...SMALL.slice(2), ...ASKED]],
  ['sweep', [session, ...SMALL, ...ASKED, '--jobs', '1']],
  ['tune', [session, ...SMALL, ...ASKED, '--vary', 'protect=1k,2k', '--jobs', '1']],
  ['whatif', [session, ...SMALL, ...ASKED]],
  ['summarizers', [session, '--summarizers', MODEL]],
  ['summarizers score', [facts, '--facts', facts, '--reader', MODEL]],
  ['check', [scenario, '--tier', 'live']],
];

let server: ModelServer;
let silent: Server;
let taken = '';

beforeAll(async () => {
  server = await startModelServer(() => says('## Goal\nAll of it.'));
  silent = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        taken += data.toString();
      });
  });
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
  // Loads what every command needs, so that what follows is waiting.
  await callMain(['run', session, ...SMALL, ...ASKED, '--base-url', server.url]);
});

afterAll(async () => {
  await server.close();
  silent.close();
});

function ask(name: string, argv: readonly string[], baseUrl: string) {
  return callMain([...name.split(' '), ...argv, '--base-url', baseUrl]);
}

describe('the first request', () => {
  it.each(COMMANDS)('ends %s at once where nobody is there', async (name, argv) => {
    const gone = await startModelServer(() => says(''));
    await gone.close();
    const { code, stdout, stderr } = await ask(name, argv, gone.url);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(/^Expected 'ai:local\/m' to answer, got '.*ECONNREFUSED.*'\.$/m);
  });

  it.each(COMMANDS)(
    'ends %s where the model is unknown, and is the only one',
    async (name, argv) => {
      const greeted = server.greeted;
      const { length } = server.received;
      const unknown: Deed = {
        type: 'refuse',
        status: 404,
        body: { error: { message: 'No such.' } },
      };
      server.greet(unknown);
      const { code, stdout, stderr } = await ask(name, argv, server.url);
      server.greet(says('Yes'));
      expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
      expect(stderr).toContain("Expected 'ai:local/m' to answer, got 'No such.'.\n");
      expect([server.greeted - greeted, server.received.length]).toEqual([1, length]);
    },
  );

  it('ends a command at a port that takes requests and stays silent', async () => {
    const { port } = silent.address() as AddressInfo;
    const [name, argv] = COMMANDS[0]!;
    const { code, stderr } = await ask(name, argv, `http://127.0.0.1:${port}/v1`);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain('a server that takes requests and says nothing');
    expect(taken.match(/^POST /gm)).toHaveLength(1);
  });

  it('waits for a model that is only slow', async () => {
    server.greet({ type: 'hang' });
    const [name, argv] = COMMANDS[0]!;
    const { code } = await ask(name, argv, server.url);
    server.greet(says('Yes'));
    expect(code).toBe(EXIT.done);
  });
});
