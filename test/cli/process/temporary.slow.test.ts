import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { buildPackage } from '../../support/built-package.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const bench = buildPackage();
afterAll(() => bench.remove());

const TIMEOUT_MS = 120_000;

const sessions = createFolder();
for (let index = 0; index < 40; index++) {
  writeFile(sessions, `chat-${index}.json`, chatOf(20, 300 + index));
}

describe.each(['SIGTERM', 'SIGHUP'] as const)('a command that is ended by a %s', (signal) => {
  it.each<[string, (passing: string) => readonly string[], string]>([
    [
      'the folder of a sweep that has none',
      () => ['sweep', sessions, '--trials', '1000'],
      'compaction-bench-',
    ],
    [
      'events that are not whole',
      (passing) => ['run', sessions, '--events', join(passing, 'run.jsonl')],
      '.writing-',
    ],
  ])('leaves nothing behind of %s', async (_, argvIn, prefix) => {
    const passing = createFolder();
    const child = spawn(process.execPath, [bench.program, ...argvIn(passing)], {
      env: { ...process.env, TMPDIR: passing, COMPACTION_BENCH_CACHE: createFolder() },
      stdio: 'ignore',
    });
    const own = () => readdirSync(passing).filter((name) => name.startsWith(prefix));
    await vi.waitFor(() => expect(own()).toHaveLength(1), { timeout: TIMEOUT_MS, interval: 5 });
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
    expect(readdirSync(passing)).toEqual([]);
  });
});
