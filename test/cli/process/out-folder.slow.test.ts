import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TIMEOUT_MS = 30_000;

it.each(['SIGTERM', 'SIGHUP'] as const)(
  'a sweep without a folder leaves nothing behind at a %s, and ends by it',
  async (signal) => {
    const [sessions, passing] = [createFolder(), createFolder()];
    writeFile(sessions, 'chat.json', chatOf(20, 300));
    const argv = ['sweep', sessions, '--trials', '1000', '--jobs', '1', '--no-cache'];
    const child = spawn('node', ['--import', 'tsx', 'src/cli/main.ts', ...argv], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: passing },
      stdio: 'ignore',
    });
    const own = () => readdirSync(passing).filter((name) => name.startsWith('compaction-bench-'));
    await vi.waitFor(() => expect(own()).toHaveLength(1), { timeout: TIMEOUT_MS, interval: 20 });
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
    expect(own()).toEqual([]);
  },
  TIMEOUT_MS,
);
