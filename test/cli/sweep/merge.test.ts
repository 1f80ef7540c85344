import { cpSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { call, createChatSweeps, sweep } from '../../support/chat-sweeps.ts';

const { sessions, dead: DEAD, live: LIVE, newFolder } = createChatSweeps();
const rowsIn = (path: string) => readFileSync(join(path, 'results.jsonl'), 'utf8');

function copyOf(folder: string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

async function refused(...folders: readonly string[]): Promise<string> {
  const { code, stderr, stdout } = await call(['merge', ...folders]);
  expect({ code, stdout }).toEqual({ code: EXIT.inconclusive, stdout: '' });
  return stderr;
}

describe('merge', () => {
  const [a, b, c] = [newFolder(), newFolder(), newFolder()];
  const other = newFolder();
  beforeAll(async () => {
    for (const [index, out] of [a, b, c].entries()) {
      await sweep([...LIVE, '--shard', `${index + 1}/3`, '--out', out]);
    }
    await sweep([...LIVE, '--trials', '2', '--shard', '1/3', '--out', other]);
  });

  it('gives the bytes of the single run, whatever the order', async () => {
    const whole = newFolder();
    const expected = await sweep([...LIVE, '--out', whole]);
    expect(
      [a, b, c].map((out) => rowsIn(out).length).filter((length) => length > 0).length,
    ).toBeGreaterThan(1);
    for (const order of [
      [a, b, c],
      [c, a, b],
    ]) {
      const out = newFolder();
      const merged = await call(['merge', ...order, '--out', out]);
      expect(merged).toEqual(expected);
      for (const file of ['sweep.json', 'results.jsonl']) {
        expect(readFileSync(join(out, file), 'utf8')).toBe(readFileSync(join(whole, file), 'utf8'));
      }
    }
  });

  it('needs no file of a shard that got no session', async () => {
    const whole = newFolder();
    const expected = await sweep([...LIVE, '--out', whole]);
    const shards = Array.from({ length: 12 }, newFolder);
    for (const [index, out] of shards.entries()) {
      await sweep([...LIVE, '--shard', `${index + 1}/${shards.length}`, '--out', out]);
    }
    const empty = shards.filter((out) => rowsIn(out) === '');
    for (const out of empty) rmSync(join(out, 'results.jsonl'));
    expect(empty.length).toBeGreaterThan(0);
    expect(await call(['merge', ...shards])).toEqual(expected);
  });

  it('does not merge what was said by other axes, for reports show them', async () => {
    const [first, second] = [newFolder(), newFolder()];
    const policy = ['--policy', 'document-001'];
    await sweep(['--set', 'protect=20k', ...policy, '--shard', '1/2', '--out', first]);
    await sweep(['--vary', 'protect=20k', ...policy, '--shard', '2/2', '--out', second]);
    expect(await refused(first, second)).toContain('has other axes than');
    expect(await refused(second, first)).toContain('has other axes than');
  });

  it('writes over no other sweep', async () => {
    const whole = newFolder();
    await sweep([...DEAD, '--out', whole]);
    const before = rowsIn(whole);
    const { code, stdout, stderr } = await call(['merge', a, b, c, '--out', whole]);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toContain(
      "Expected '--out' to be a new folder or that of the same sweep, got '",
    );
    expect(stderr).toContain('which has other cells.');
    expect(rowsIn(whole)).toBe(before);
  });

  it('writes over none of its shards', async () => {
    const copy = copyOf(a);
    const before = rowsIn(copy);
    const { code, stdout, stderr } = await call(['merge', copy, b, c, '--out', `${copy}/.`]);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toBe(
      `Expected '--out' to be a writable folder, got '${copy}/.', which is an input.\n`,
    );
    expect(rowsIn(copy)).toBe(before);
  });

  it('finds what is missing, double, unfinished or of another sweep', async () => {
    expect(await refused(a, c)).toContain('shard 2 of 3 is missing');
    expect(await refused(a, b, c, a)).toContain('are both shard 1/3');
    expect(await refused(other, b, c)).toContain('has other seeds than');
    const shards = [a, b, c].map(copyOf);
    const unfinished = shards.find((out) => rowsIn(out).length > 0)!;
    truncateSync(join(unfinished, 'results.jsonl'), 0);
    expect(await refused(...shards)).toMatch(/lacks \d+ rows; run its shard again/);
  });

  it('refuses what is no sweep', async () => {
    const { code, stderr } = await call(['merge', sessions]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain("to be a folder that 'sweep --out' wrote");
  });
});
