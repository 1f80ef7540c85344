import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { buildPackage } from '../../support/built-package.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

describe('no folder', () => {
  const bench = buildPackage();
  afterAll(() => bench.remove());

  const TIMEOUT_MS = 1_800_000;
  /** Where the system finds nothing when a folder is to be made, though the one above is there. */
  const PLACE = '/proc/compaction-bench';

  const TOLD = `Expected '${PLACE}' to be a folder that can be created, got a place that cannot hold one.\n`;

  const chat = writeFile(createFolder(), 'chat.json', chatOf(20, 300));

  /** What a command line ends with; it would not hear a signal that can be heard. */
  function callApart(argv: readonly string[]) {
    const { status, stderr } = spawnSync(process.execPath, [bench.program, '--no-cache', ...argv], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    return { status, stderr };
  }

  describe.skipIf(!existsSync('/proc/self'))('a place that takes no folder', () => {
    it.each([
      ['a sweep', ['sweep', chat, '--jobs', '1', '--out', PLACE]],
      ['the events of a run', ['run', chat, '-q', '--events', join(PLACE, 'run.jsonl')]],
    ])('is told of in a sentence for %s', (_, argv) => {
      expect(callApart(argv)).toEqual({ status: EXIT.wrongUse, stderr: TOLD });
    });

    it('fails a report that is written there in the end', () => {
      const { status, stderr } = callApart(['run', chat, '-q', '--out', join(PLACE, 'report.md')]);
      expect(status).toBe(EXIT.failed);
      expect(stderr).toBe(TOLD);
    });

    it.each(['--out', '--events'])('is told of in a sentence for a file of %s in it', (option) => {
      const stderr = "Expected to write '/proc/report.md', got a place that cannot hold one.\n";
      const argv = ['run', chat, '-q', option, '/proc/report.md'];
      expect(callApart(argv)).toEqual({ status: EXIT.failed, stderr });
    });
  });
});

describe('temporary', () => {
  const bench = buildPackage();
  afterAll(() => bench.remove());

  const TIMEOUT_MS = 1_800_000;

  const sessions = createFolder();
  for (let index = 0; index < 40; index++)
    writeFile(sessions, `chat-${index}.json`, chatOf(20, 300 + index));

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

    it('leaves no adapter behind', async () => {
      const passing = createFolder();
      const pidFile = join(passing, 'pid');
      const adapter = writeFile(
        passing,
        'slow.cjs',
        `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`,
      );
      const argv = ['check', '--adapter', `'${process.execPath}' '${adapter}'`];
      const child = spawn(process.execPath, [bench.program, ...argv], { stdio: 'ignore' });
      await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), { timeout: TIMEOUT_MS });
      const pid = Number(readFileSync(pidFile, 'utf8'));
      expect(() => process.kill(pid, 0)).not.toThrow();
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([null, signal]);
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), {
        timeout: TIMEOUT_MS,
      });
    });
  });
});
