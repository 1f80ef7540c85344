import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(24, 400));
const other = writeFile(folder, 'other.json', chatOf(4));
const scenario = join(import.meta.dirname, '../../../scenarios/empty-summary.yaml');

const call = (...argv: readonly string[]) => callMain(argv);

describe('report --timeline', () => {
  const out = join(folder, 'sweep-timeline');
  const swept = call(
    'sweep',
    chat,
    '--vary',
    'contextTokens=20000,30000',
    '--jobs',
    '1',
    '--out',
    out,
  );

  it('runs a session of a sweep again for its pictures', async () => {
    expect(await swept).toMatchObject({ code: EXIT.done });
    const { code, stdout, stderr } = await call(
      'report',
      out,
      '--timeline',
      chat,
      '--format',
      'html',
    );
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(stdout.match(/"moments":\[\[/g)).toHaveLength(2);
    expect((await call('report', out, '--format', 'html')).stdout).not.toContain('"moments":[[');
  });

  it('draws nothing where the same does not happen any more', async () => {
    await swept;
    const rows = readFileSync(join(out, 'results.jsonl'), 'utf8');
    writeFileSync(join(out, 'results.jsonl'), rows.replace(/("eventDigest":")./g, '$1x'));
    const { stdout, stderr } = await call('report', out, '--timeline', chat, '--format', 'html');
    writeFileSync(join(out, 'results.jsonl'), rows);
    expect(stderr).toBe(
      `Some runs of '${chat}' have no timeline: this release does not do the same.\n`,
    );
    expect(stdout).not.toContain('"moments":[[');
  });

  it('finds a session of the package from wherever it is called', async () => {
    const shipped = join(folder, 'sweep-shipped');
    await call('sweep', '--vary', 'reserved=10000', '--jobs', '1', '--out', shipped);
    const here = process.cwd();
    process.chdir(folder);
    const session = 'scenarios/recorded/csv-format.json';
    const { code, stderr, stdout } = await call(
      'report',
      shipped,
      '--timeline',
      session,
      '--format',
      'html',
    ).finally(() => process.chdir(here));
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(stdout.match(/"moments":\[\[/g)).toHaveLength(1);
  });

  it.each<[string, () => readonly string[], RegExp]>([
    ['a session that the sweep does not have', () => [out, '--timeline', other], /nearest: /],
    ['what is no sweep', () => [scenario, '--timeline', chat], /but it is text that is not JSON/],
  ])('refuses %s', async (...[, argv, message]) => {
    await swept;
    const { code, stderr } = await call('report', ...argv());
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(message);
  });
});
