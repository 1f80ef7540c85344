import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../support/session-files.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const RECORD = 'oracle/records/pi/9.9.9/one-prompt.json';
const SECRET = 'of the person who runs this';
const hasNetworks = spawnSync('unshare', ['-rnp', '--fork', '--mount-proc', 'true']).status === 0;

/** Asks once, and tells of itself what real agents tell. */
const AGENT = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('node:fs');
writeFileSync(process.argv[1] + '.env', JSON.stringify(process.env));
const file = process.env.HOME + '/.pi/agent/models.json';
const { baseUrl } = JSON.parse(readFileSync(file, 'utf8')).providers.mock;
const content = [process.argv[1], process.cwd(), new Date().toLocaleDateString('en', { dateStyle: 'full' }), process.pid].join(' ');
const body = JSON.stringify({ model: 'm', messages: [{ role: 'system', content }, { role: 'user', content: 'Go.' }], tools: [{ type: 'function', function: { name: 'bash', parameters: {} } }] });
fetch(baseUrl + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then((answer) => answer.text());
`;
const sleeping = (mark: string) => `#!/bin/sh\nsetsid sleep ${mark} &\nsleep ${mark}\n`;

/** A copy of the program without records, beside an npm that installs an agent of the test. */
function createPlace(agent: string) {
  const folder = createFolder();
  const isProgram = (path: string) => !path.startsWith(join(ROOT, 'oracle/records'));
  cpSync(join(ROOT, 'oracle'), join(folder, 'oracle'), { recursive: true, filter: isProgram });
  for (const name of ['src', 'catalog', 'node_modules', 'package.json', 'tsconfig.json']) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  const programs = join(folder, 'programs');
  const add = (name: string, script: string) =>
    writeFileSync(join(programs, name), script, { mode: 0o755 });
  mkdirSync(programs);
  add('agent', agent);
  add(
    'npm',
    `#!/bin/sh\nenv > '${folder}/npm.env'\nmkdir -p "$3/node_modules/.bin"\ncp '${programs}/agent' "$3/node_modules/.bin/pi"\n`,
  );
  const start = (home: string, ...given: readonly string[]) => {
    mkdirSync(join(folder, home), { recursive: true });
    const argv = ['--import', 'tsx', 'oracle/index.ts', 'pi@9.9.9', '--scripts', 'one-prompt'];
    return spawn(process.execPath, [...argv, ...given], {
      cwd: folder,
      env: { PATH: `${programs}:${process.env['PATH']}`, HOME: join(folder, home), SECRET },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };
  const run = async (home: string, ...given: readonly string[]) => {
    const child = start(home, ...given);
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    return { code, said };
  };
  return { folder, add, start, run };
}

/** Processes with a word in their command line. */
function countOf(mark: string): number {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const lines = ids.map((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  });
  return lines.filter((line) => line.split('\0').includes(mark)).length;
}

async function until(test: () => boolean): Promise<void> {
  while (!test()) await sleep(50);
}

describe.skipIf(!hasNetworks)('npm run oracle (skipped without network namespaces)', () => {
  it('gives npm and agents nothing of the person, and records the same under a longer home', async () => {
    const { folder, run } = createPlace(AGENT);
    expect(await run('home')).toMatchObject({ code: 0 });
    const env = readFileSync(join(folder, 'npm.env'), 'utf8');
    const agentEnv = readFileSync(
      join(folder, 'home/.cache/compaction-bench-oracle/pi@9.9.9/node_modules/.bin/pi.env'),
      'utf8',
    );
    for (const told of [env, agentEnv]) {
      expect(told).toContain('HOME');
      expect(told).not.toContain(SECRET);
      expect(told).not.toContain(join(folder, 'home"'));
    }
    expect(env).not.toContain(`HOME=${folder}`);
    const record = readFileSync(join(folder, RECORD), 'utf8');
    expect(await run('a-home/of-a-longer-name')).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, RECORD), 'utf8')).toBe(record);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends all that an agent started at %s',
    async (signal) => {
      const mark = `600.${process.pid}${signal.charCodeAt(3)}`;
      const { start } = createPlace(sleeping(mark));
      const child = start('home');
      await until(() => countOf(mark) === 2);
      child.kill(signal);
      await once(child, 'exit');
      await until(() => countOf(mark) === 0);
      expect(child.exitCode).toBeGreaterThan(128);
    },
  );

  it('ends npm, too', async () => {
    const mark = `600.${process.pid}1`;
    const { start, add } = createPlace(AGENT);
    add('npm', `#!/bin/sh\nsleep ${mark} &\nsleep ${mark}\n`);
    const child = start('home');
    await until(() => countOf(mark) === 2);
    child.kill('SIGTERM');
    await until(() => countOf(mark) === 0);
    expect(child.killed).toBe(true);
  });
});

it('refuses where there is no network of its own, unless it is told to go on', async () => {
  const { folder, add, run } = createPlace(AGENT);
  add('unshare', '#!/bin/sh\nexit 1\n');
  const refused = await run('home');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.said).toContain('--open-network');
  expect(existsSync(join(folder, 'npm.env'))).toBe(false);
  expect(await run('home', '--open-network')).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, RECORD))).toBe(true);
});
