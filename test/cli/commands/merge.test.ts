import { cpSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { call, createChatSweeps, sweep } from '../../support/chat-sweeps.ts';
import { createCommand, words } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

describe('merge checks', () => {
  const check = createCommand('check');
  const merge = createCommand('check merge');
  const folder = createFolder();
  const scenarios = join(folder, 'scenarios');
  const baseline = join(folder, 'baseline');
  const config = writeFile(
    folder,
    'bench.json',
    JSON.stringify({
      // Two scenarios have 3 steps where the baseline has 2, which is too much of all and little of a part.
      gates: [{ type: 'ratio', metric: 'steps', limit: 1.1 }],
      cases: { 'scenario-2': [{ type: 'exact', metric: 'steps' }] },
    }),
  );
  const MORE = { session: '{ script: [user: 10, step: 20, step: 30, step: 30] }' };
  const argv = [scenarios, join(folder, 'absent'), '--baseline', baseline, '--config', config];

  function write(name: string, keys: Readonly<Record<string, string>> = {}): void {
    writeFile(scenarios, `${name}.yaml`, sampleText(keys));
  }

  /** Writes what one shard comes to, and gives its path. */
  async function shard(index: number, count: number, ...more: readonly string[]): Promise<string> {
    const out = join(folder, `${index}-of-${count}${more.join('')}.json`);
    await check([...argv, ...more, '--shard', `${index}/${count}`, '--out', out]);
    return out;
  }

  /** The same shard as another release would have written it. */
  function ofRelease(path: string, version: string): string {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    const text = JSON.stringify({ ...report, shard: { ...report.shard, version } });
    return writeFile(folder, `shard-of-${version}.json`, text);
  }

  const made: { whole?: string; parts?: readonly string[]; code?: number } = {};
  beforeAll(async () => {
    for (const index of [1, 2, 3, 4, 5, 6, 7]) write(`scenario-${index}`);
    await check([scenarios, '--baseline', baseline, '--bless', '--reason', 'first']);
    write('scenario-3', { expect: '{ metrics: { steps: 99 } }' });
    write('scenario-5', { policy: 'opencode' });
    // A model that no other part meets.
    write('scenario-8', { ...MORE, model: 'anthropic/claude-sonnet-4-5' });
    const whole = join(folder, 'whole.json');
    const { code } = await check([...argv, '--out', whole]);
    made.whole = readFileSync(whole, 'utf8');
    made.code = code;
    made.parts = [await shard(1, 3), await shard(2, 3), await shard(3, 3)];
  });

  describe('merge of the shards of a check', () => {
    it('gives the bytes and the exit code of a check in one go, in whatever order', async () => {
      const [first = '', second = '', third = ''] = made.parts!;
      const { code, stdout } = await merge([third, first, second, '--format', 'json']);
      expect(stdout).toBe(made.whole);
      expect(code).toBe(made.code);
    });

    it('puts together scenarios, what was not read, and what the baseline lacks', () => {
      const report = JSON.parse(made.whole!);
      expect(report).toMatchObject({ passed: 6, failed: 1 });
      expect(report.unread).toHaveLength(2);
      expect(report.gate.inconclusive.map((one: { reason: string }) => one.reason).join()).toMatch(
        /'scenario-3' has changed.*'scenario-8' is not in.*'scenario-5' of the baseline was not/,
      );
    });

    it('writes every format into a file of its name', async () => {
      const out = join(folder, 'merged.xml');
      const { stdout } = await merge([...made.parts!, '--out', out]);
      expect(stdout).toBe('');
      expect(readFileSync(out, 'utf8')).toContain('<testsuite name="scenario-3"');
    });

    it.each<[string, (parts: readonly string[]) => Promise<readonly string[]>, RegExp]>([
      ['one that is missing', async ([a = '', b = '']) => [a, b], /shard 3 of 3 is missing\.$/m],
      ['none at all but one', async ([a = '']) => [a], /shards 2 and 3 of 3 are missing/],
      ['one that is there twice', async ([a = '', b = '']) => [a, b, a], /are both shard 1\/3/],
      [
        'another number',
        async ([a = '']) => [a, await shard(2, 2)],
        /is one of 2 shards, .*of 3\.$/m,
      ],
      [
        'other options',
        async ([a = '']) => [a, await shard(2, 3, '--repeat', '2')],
        /is of other scenarios or options than/,
      ],
      [
        'one of another release',
        async ([a = '', b = '', c = '']) => [a, b, ofRelease(c, '0.0.1')],
        /shard-of-0\.0\.1\.json' is of release 0\.0\.1, '.*' of release \d+\.\d+\.\d+\S*\.$/m,
      ],
      [
        'a whole check',
        async ([a = '']) => [a, join(folder, 'whole.json')],
        /is none; 'check --shard/,
      ],
    ])('refuses %s', async (_, choose, message) => {
      const { code, stdout, stderr } = await merge(await choose(made.parts!));
      expect({ code, stdout }).toEqual({ code: EXIT.inconclusive, stdout: '' });
      expect(stderr).toMatch(message);
    });

    it('leaves an input as it is', async () => {
      const [first = ''] = made.parts!;
      const { code, stderr } = await merge([...made.parts!, '--out', first]);
      expect(code).toBe(EXIT.wrongUse);
      expect(stderr).toContain('which is an input');
    });
  });

  describe('gates over all runs', () => {
    it('are asked of the whole alone', async () => {
      for (const index of [3, 5]) write(`scenario-${index}`);
      const limit = { gates: [{ type: 'max', metric: 'steps', limit: 1 }] };
      const file = writeFile(folder, 'limit.json', JSON.stringify(limit));
      const seven = [1, 2, 3, 4, 5, 6, 7].map((index) => join(scenarios, `scenario-${index}.yaml`));
      const options = [...seven, '--baseline', baseline, '--config', file];
      const outs = [1, 2].map((index) => join(folder, `limit-${index}.json`));
      for (const [at, out] of outs.entries()) {
        const { code } = await check([...options, '--shard', `${at + 1}/2`, '--out', out]);
        expect(code).toBe(EXIT.done);
      }
      const { code, stdout } = await merge(outs);
      expect(code).toBe(EXIT.failed);
      expect(stdout).toContain('gate max on steps: expected at most 1, got 14');
    });
  });
});

const { sessions, dead: DEAD, live: LIVE, newFolder } = createChatSweeps();
const rowsIn = (path: string) => readFileSync(join(path, 'results.jsonl'), 'utf8');

function copyOf(folder: string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

async function refused(...folders: readonly string[]): Promise<string> {
  const { code, stderr, stdout } = await call(['sweep', 'merge', ...folders]);
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
      const merged = await call(['sweep', 'merge', ...order, '--out', out]);
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
    expect(await call(['sweep', 'merge', ...shards])).toEqual(expected);
  });

  it('does not merge what was said by other axes, for reports show them', async () => {
    const [first, second] = [newFolder(), newFolder()];
    await sweep(['--policy', 'document-001', '--shard', '1/2', '--out', first]);
    await sweep(['--vary', 'policy=document-001', '--shard', '2/2', '--out', second]);
    expect(await refused(first, second)).toContain('has other axes than');
    expect(await refused(second, first)).toContain('has other axes than');
  });

  it('writes over no other sweep', async () => {
    const whole = newFolder();
    await sweep([...DEAD, '--out', whole]);
    const before = rowsIn(whole);
    const { code, stdout, stderr } = await call(['sweep', 'merge', a, b, c, '--out', whole]);
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
    const { code, stdout, stderr } = await call(
      words(`sweep merge ${copy} ${b} ${c} --out ${copy}/.`),
    );
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
    const { code, stderr } = await call(['sweep', 'merge', sessions]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain("to be a folder that 'sweep --out' wrote");
    const file = await call(['sweep', 'merge', join(a, 'sweep.json')]);
    expect(file.code).toBe(EXIT.wrongUse);
    expect(file.stderr).toContain(
      "to be a shard of a sweep, got a file ('check merge' takes files)",
    );
  });
});
