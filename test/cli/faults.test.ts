import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { counted, inject } from '../../scripts/faults/inject.js';
import { callMain, words } from '../support/command.ts';
import { growingRows, writeOpencodeDatabase } from '../support/opencode-database.ts';
import { createFolder, fixture, writeFile } from '../support/session-files.ts';

type Fault = Parameters<typeof inject>[0];

const folder = createFolder();
const env = { OPENAI_API_KEY: 'none' };
const places: Readonly<Record<string, string>> = {
  SESSION: writeFile(folder, 'pi.jsonl', fixture('pi.jsonl')),
  CONFIG: writeFile(folder, 'opencode.json', '{"compaction":{"reserved":9000}}'),
  DATABASE: writeOpencodeDatabase(
    join(folder, 'opencode.db'),
    growingRows({ id: 'a', startMs: 1 }),
  ),
  OUT: join(folder, 'out'),
};
const within = [folder];
const outside = [join(folder, 'out')];
const STATS = 'sessions stats SESSION';
const RUN = 'run SESSION --format json --out OUT/run.json --events OUT/run.jsonl';

describe('a fault is one sentence, and leaves no half of a file', () => {
  it.each<[string, Fault, number, string]>([
    [
      STATS,
      { port: 'files', name: 'openSync', how: 'EMFILE', nth: 1, within },
      2,
      'too many open files',
    ],
    [
      STATS,
      { port: 'files', name: 'readSync', how: 'EIO', nth: 1, within },
      2,
      'a device that fails',
    ],
    [
      STATS,
      { port: 'files', name: 'statSync', how: 'ENOMEM', nth: 1, within },
      2,
      'no memory left',
    ],
    [RUN, { port: 'files', name: 'writeSync', how: 'part', nth: 2, within }, 1, 'a full disk'],
    [RUN, { port: 'files', name: 'writeFileSync', how: 'part', nth: 1, within }, 1, 'a full disk'],
    [RUN, { port: 'files', name: 'openSync', how: 'EROFS', nth: 1, within: outside }, 1, 'disk'],
    [
      RUN,
      { port: 'files', name: 'renameSync', how: 'EROFS', nth: 1, within },
      1,
      'a read-only disk',
    ],
    [
      `${STATS} --format json --out OUT/stats.json`,
      { port: 'files', name: 'mkdtempSync', how: 'EACCES', nth: 1, within },
      1,
      'no permission',
    ],
    [
      'run SESSION --config CONFIG',
      { port: 'files', name: 'readFileSync', how: 'EIO', nth: 1, within },
      2,
      'a device that fails',
    ],
    [
      'sessions stats DATABASE',
      { port: 'database', name: 'all', how: 'nothing', nth: 1 },
      2,
      'null',
    ],
    [
      'sessions stats DATABASE',
      { port: 'database', name: 'exec', how: 'error', nth: 1 },
      2,
      'injected',
    ],
    [
      'run SESSION --policy opencode-1.2.16 --summarizer ai:openai/gpt-5-mini --set contextTokens=12000 --retries 0',
      { port: 'fetch', how: 'refuses', nth: 1 },
      2,
      'ai:openai/gpt-5-mini',
    ],
  ])('%s with %o', async (line, fault, code, told) => {
    const argv = words(line).map((word) =>
      word.replace(/^[A-Z]+(?=\/|$)/, (name) => places[name] ?? name),
    );
    const { failures } = counted;
    const undo = inject(fault);
    const ended = await callMain(argv, { env }).finally(undo);
    expect({ ...ended, stdout: '' }).toEqual({
      code,
      stdout: '',
      stderr: expect.stringContaining(told),
    });
    expect(counted.failures).toBeGreaterThan(failures);
    expect(ended.stderr).not.toMatch(/\n {4}at |fault of this program/);
    const left = existsSync(places['OUT']!) ? readdirSync(places['OUT']!) : [];
    for (const name of left.filter((one) => !one.endsWith('.jsonl')))
      expect(() => JSON.parse(readFileSync(join(places['OUT']!, name), 'utf8'))).not.toThrow();
    expect(left.filter((one) => one.startsWith('.'))).toEqual([]);
  });
});
