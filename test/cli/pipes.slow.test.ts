import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { buildPackage } from '../support/built-package.ts';
import { words } from '../support/command.ts';
import { createFolder, fixture, writeFile } from '../support/session-files.ts';

const bench = buildPackage();
afterAll(() => bench.remove());

const folder = createFolder();
const session = writeFile(folder, 'pi.jsonl', fixture('pi.jsonl'));

function start(line: string) {
  const pipe = join(createFolder(), 'pipe.jsonl');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const argv = words(line).map((word) => word.replace('PIPE', pipe).replace('SESSION', session));
  const child = spawn(process.execPath, [bench.program, '--no-cache', ...argv], {
    cwd: bench.folder,
  });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += String(chunk);
  });
  const closed = once(child, 'close').then(([code, signal]) => ({ code, signal, told }));
  return { child, closed, pipe };
}

/** Opens the pipe to write as soon as somebody reads it; nothing where nobody will. */
async function openWriter({ child, pipe }: Pick<ReturnType<typeof start>, 'child' | 'pipe'>) {
  while (child.exitCode === null) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (!String(error).includes('ENXIO')) throw error;
      await setTimeout(20);
    }
  }
  return undefined;
}

describe('a pipe that gives nothing', () => {
  it.each([
    'run PIPE',
    'explain PIPE',
    'whatif PIPE',
    'compare none opencode-1.18 PIPE',
    'compare PIPE PIPE',
    'summarizers PIPE',
    'check merge PIPE PIPE',
    'check minimize PIPE --policy opencode-1.18 --violates usable-above-floor',
    'sessions import PIPE --out out',
    'sessions stats PIPE',
    'sessions generate --fit PIPE --sessions 1',
    'sessions validate PIPE',
    'sessions recap PIPE',
    'report PIPE',
    'report serve PIPE',
    'provider --script PIPE',
    'doctor --policy opencode-1.18 --config PIPE',
    'run SESSION --catalog PIPE',
  ])('is left at an interruption: %s', async (line) => {
    const { closed, ...started } = start(line);
    const writer = await openWriter(started);
    // One that comes while listeners change hands ends the process as the system does, or is heard later.
    const pressing = setInterval(() => started.child.kill('SIGINT'), 200);
    const { code, signal } = await closed;
    clearInterval(pressing);
    if (writer !== undefined) closeSync(writer);
    expect([EXIT.interrupted, 'SIGINT']).toContain(code ?? signal);
  });

  it.each([
    ['answer PIPE', 'a pipe or a device; save what it gives in a file.'],
    ['tune PIPE', 'a pipe or a device; save what it gives in a file.'],
    ['run PIPE', 'a pipe to which nobody writes.'],
    ['report PIPE', 'a pipe to which nobody writes.'],
  ])('and has no writer is refused: %s', async (line, reason) => {
    expect(await start(line).closed).toEqual({
      code: EXIT.wrongUse,
      signal: null,
      told: expect.stringMatching(new RegExp(`^(?:Note: .*\n)*Expected .*, got ${reason}\n$`)),
    });
  });
});
