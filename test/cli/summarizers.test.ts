import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';
import { captureIo } from '../support/captured-io.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const folder = createFolder();
const recorded = join(import.meta.dirname, '../../scenarios/recorded/csv-format.json');

async function summarizers(...argv: readonly string[]) {
  const io = captureIo();
  const code = await main(['summarizers', ...argv], io);
  return { code, ...io.written };
}

describe('summarizers', () => {
  describe('on the sessions that are shipped', () => {
    let json: string;
    beforeAll(async () => {
      const names = 'extractive,scripted:empty,scripted:echo,scripted:fail';
      const { stdout } = await summarizers('--summarizers', names, '--format', 'json');
      json = stdout;
    });
    const armOf = (name: string) =>
      JSON.parse(json).arms.find(({ summarizer }: { summarizer: string }) => summarizer === name);

    it('gives every metric of every arm with its interval', () => {
      const { retention, mustRetention, staleRate, hallucinationRate, compression } =
        armOf('extractive').metrics;
      for (const { mean, low, high } of [retention, mustRetention, compression]) {
        expect(low).toBeLessThan(mean);
        expect(mean).toBeLessThan(high);
      }
      expect(staleRate.mean).toBeLessThan(0.5);
      expect(hallucinationRate.mean).toBeLessThan(0.05);
    });

    it('tells the better summarizer from one that says nothing', () => {
      const { differences } = JSON.parse(json);
      const found = differences.find(
        ({ arm, metric }: { arm: string; metric: string }) =>
          arm === 'scripted:empty' && metric === 'retention',
      );
      expect(found).toMatchObject({ base: 'extractive', sessions: 12, verdict: 'lower' });
    });

    it('keeps failures apart from scores, and unknown apart from zero', () => {
      const { metrics, failures } = armOf('scripted:fail');
      expect(failures).toMatchObject({ trials: 12, pivots: 0, failed: 12 });
      expect(metrics.retention).toEqual({ mean: null, low: null, high: null, sessions: 0 });
      expect(armOf('scripted:empty').metrics.retention.mean).toBe(0);
      expect(armOf('scripted:empty').metrics.costUsd.mean).toBeNull();
    });

    it('says which summaries are no shorter than what they stand for', () => {
      expect(armOf('scripted:empty').failures).toMatchObject({ nonCompressing: 0, empty: 24 });
      expect(armOf('scripted:echo').failures.nonCompressing).toBeGreaterThan(0);
    });

    it('names scenarios, scorer and prompt by hash', () => {
      const { provenance } = JSON.parse(json);
      expect(provenance.scenarios).toHaveLength(12);
      expect(provenance.scorerVersion).toBeGreaterThan(0);
      expect(armOf('extractive').promptHash).toMatch(/^[0-9a-f]{12}$/);
    });
  });

  it.each(['table', 'markdown', 'csv'])('writes %s', async (format) => {
    const { code, stdout } = await summarizers(recorded, '--format', format);
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('extractive');
  });

  it('takes facts of a recorded session from its texts, and compares prompts', async () => {
    const prompt = writeFile(folder, 'short.md', '## Only\n\nSay what matters.');
    const { stdout } = await summarizers(
      recorded,
      ...['--summarizers', 'extractive', '--prompts', `policy,${prompt}`, '--format', 'json'],
    );
    const { arms, provenance } = JSON.parse(stdout);
    expect(provenance.scenarios[0].facts).toBe('extracted');
    expect(arms.map(({ name }: { name: string }) => name)).toEqual([
      'extractive with policy',
      'extractive with short',
    ]);
    expect(arms[0].promptHash).not.toBe(arms[1].promptHash);
  });

  it('says that the result is the same however often a repetition cannot differ', async () => {
    const run = async (repeat: string) =>
      JSON.parse((await summarizers(recorded, '--repeat', repeat, '--format', 'json')).stdout);
    const [once, thrice] = [await run('1'), await run('3')];
    expect(thrice.arms[0].metrics).toEqual(once.arms[0].metrics);
    expect(thrice.arms[0].mustFacts).toEqual(once.arms[0].mustFacts);
  });

  describe('with rows that are kept', () => {
    const rows = join(folder, 'rows.jsonl');
    const keep = (...argv: readonly string[]) => summarizers(recorded, '--rows', rows, ...argv);
    const linesOf = () => readFileSync(rows, 'utf8').trim().split('\n');

    it('goes on where it was, and compares with what was there', async () => {
      await keep('--summarizers', 'extractive');
      const { stdout } = await keep('--summarizers', 'scripted:ratio', '--format', 'json');
      expect(linesOf()).toHaveLength(2);
      expect(JSON.parse(stdout).arms).toHaveLength(2);
      await keep('--summarizers', 'scripted:ratio');
      expect(linesOf()).toHaveLength(2);
    });

    it.each([
      ['another policy', ['--policy', 'document-002'], (line: string) => line],
      [
        'another scorer',
        [],
        (line: string) => line.replace(/"scorerVersion":\d+/, '"scorerVersion":999'),
      ],
      [
        'another session of that name',
        [],
        (line: string) => line.replace(/"scenarioHash":"[^"]+/, '"scenarioHash":"x'),
      ],
    ] as const)('refuses rows of %s', async (_, argv, change) => {
      const before = linesOf();
      writeFileSync(rows, `${before.map(change).join('\n')}\n`);
      const { code, stderr } = await keep('--summarizers', 'scripted:empty', ...argv);
      writeFileSync(rows, `${before.join('\n')}\n`);
      expect(code).toBe(EXIT.inconclusive);
      expect(stderr).toContain('Not comparable');
    });
  });

  it.each([
    [['--compact-at', '1,0.5'], "'--compact-at'"],
    [['--repeat', '0'], "'--repeat'"],
    [['--policy', 'none'], 'none'],
    [['--summarizers', 'nobody'], 'nobody'],
    [['--prompts', 'no-such-file.md'], 'no-such-file.md'],
    [['--base', 'nobody'], 'nobody'],
  ])('refuses %j', async (argv, told) => {
    const { code, stderr } = await summarizers(recorded, ...argv);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain(told);
  });

  it('ends where the user wants to stop', async () => {
    const io = captureIo({ signal: AbortSignal.abort() });
    expect(await main(['summarizers', '--summarizers', 'extractive'], io)).toBe(EXIT.interrupted);
  });
});
