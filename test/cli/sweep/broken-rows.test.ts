import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { call, createChatSweeps, sweep } from '../../support/chat-sweeps.ts';

const { live: LIVE, newFolder } = createChatSweeps();
const whole = newFolder();

/** A copy of the sweep whose second row has these metrics beside its own. */
function withMetrics(change: (metrics: object) => unknown): string {
  const folder = newFolder();
  cpSync(whole, folder, { recursive: true });
  const file = join(folder, 'results.jsonl');
  const [first = '', second = '', ...others] = readFileSync(file, 'utf8').split('\n');
  const { metrics, ...row } = JSON.parse(second);
  const broken = JSON.stringify({ ...row, metrics: change(metrics) });
  writeFileSync(file, [first, broken.replace('"INFINITE"', '1e999'), ...others].join('\n'));
  return folder;
}

/** What every reader of rows is called with. */
const READERS: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  report: (folder) => ['report', folder],
  'report of CSV': (folder) => ['report', folder, '--format', 'csv'],
  merge: (folder) => ['merge', folder],
  'export of CSV': (folder) => ['export', folder, '--out', join(newFolder(), 'out.csv')],
  'export of Parquet': (folder) => ['export', folder, '--out', join(newFolder(), 'out.parquet')],
  'export of a file': (folder) => [
    'export',
    join(folder, 'results.jsonl'),
    '--out',
    join(newFolder(), 'out.csv'),
  ],
  compare: (folder) => ['compare', whole, folder],
  'sweep that goes on': (folder) => ['sweep', ...LIVE, '--out', folder],
};

describe('a row whose numbers are none', () => {
  beforeAll(async () => {
    await sweep([...LIVE, '--out', whole]);
  });

  it.each(Object.keys(READERS))('is refused by %s', async (name) => {
    const folder = withMetrics((metrics) => ({ ...metrics, costUsd: 'x' }));
    const { code, stdout, stderr } = await call(READERS[name]!(folder));
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toContain(
      "line 2 is not a result, at 'metrics.costUsd': expected number, received string",
    );
  });

  it.each<[expected: string, change: (metrics: object) => unknown]>([
    ["'metrics.steps': expected number, received boolean", (own) => ({ ...own, steps: true })],
    ["'metrics.steps': expected number, received array", (own) => ({ ...own, steps: [1] })],
    ["'metrics.steps': expected number, received object", (own) => ({ ...own, steps: {} })],
    [
      "'metrics.steps': expected number, received Infinity",
      (own) => ({ ...own, steps: 'INFINITE' }),
    ],
    ["'metrics': expected object, received null", () => null],
    ["'metrics': expected object, received array", () => []],
  ])('is told alike by report and compare: %s', async (expected, change) => {
    const folder = withMetrics(change);
    for (const argv of [READERS['report']!(folder), READERS['compare']!(folder)]) {
      const { code, stderr } = await call(argv);
      expect(code).toBe(EXIT.wrongUse);
      expect(stderr).toContain(`line 2 is not a result, at ${expected}.`);
    }
  });

  it('is made again without its line', async () => {
    const folder = withMetrics((metrics) => ({ ...metrics, costUsd: 'x' }));
    const file = join(folder, 'results.jsonl');
    const [first, , ...others] = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [first, ...others].join('\n'));
    expect((await sweep([...LIVE, '--out', folder])).code).toBe(EXIT.done);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(whole, 'results.jsonl'), 'utf8'));
  });
});
