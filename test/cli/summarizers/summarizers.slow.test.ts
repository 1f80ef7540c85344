import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { SummarizersReport } from '../../../src/simulator/report/summarizers/summarizers-report.ts';
import { writeSession } from '../../../src/simulator/session/canonical/write.ts';
import { shippedScenarios } from '../../../src/simulator/sweep/summarizers/shipped.ts';
import { callMain } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const recorded = join(import.meta.dirname, '../../../scenarios/recorded/csv-format.json');
const sessions = [...shippedScenarios()]
  .slice(0, 4)
  .map((session, index) =>
    writeFile(folder, `planted-${index}.jsonl`, [...writeSession(session)].join('')),
  );
const planted = sessions[0]!;

const ALONE = ['--summarizers', 'extractive'];

const summarizers = (...argv: readonly string[]) => callMain(['summarizers', ...argv]);

function armOf(json: string, name: string) {
  const { arms } = JSON.parse(json);
  return arms.find(({ summarizer }: { summarizer: string }) => summarizer === name);
}

async function repeated(times: string) {
  const { stdout } = await summarizers(planted, ...ALONE, '--repeat', times, '--format', 'json');
  return JSON.parse(stdout);
}

describe('summarizers', () => {
  describe('on the sessions that are shipped', () => {
    let json: string;
    beforeAll(async () => {
      const names = 'extractive,scripted:empty';
      ({ stdout: json } = await summarizers('--summarizers', names, '--format', 'json'));
    });

    it('gives every metric of every arm with its interval', () => {
      const { retention, mustRetention, staleRate, hallucinationRate, compression } = armOf(
        json,
        'extractive',
      ).metrics;
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

    it('names scenarios, scorer and prompt by hash', () => {
      const { provenance } = JSON.parse(json);
      expect(provenance.scenarios).toHaveLength(12);
      expect(provenance.scorerVersion).toBeGreaterThan(0);
      expect(armOf(json, 'extractive').promptHash).toMatch(/^[0-9a-f]{12}$/);
    });
  });

  describe('with summarizers that misbehave', () => {
    let json: string;
    beforeAll(async () => {
      const names = 'scripted:fail,scripted:empty,scripted:echo';
      ({ stdout: json } = await summarizers(planted, '--summarizers', names, '--format', 'json'));
    });

    it('keeps failures apart from scores, and unknown apart from zero', () => {
      const { metrics, failures } = armOf(json, 'scripted:fail');
      expect(failures).toMatchObject({ trials: 1, pivots: 0, failed: 1 });
      expect(metrics.retention).toEqual({ mean: null, low: null, high: null, sessions: 0 });
      expect(armOf(json, 'scripted:empty').metrics.retention.mean).toBe(0);
      expect(armOf(json, 'scripted:empty').metrics.costUsd.mean).toBeNull();
    });

    it('says which summaries are no shorter than what they stand for', () => {
      expect(armOf(json, 'scripted:empty').failures).toMatchObject({ nonCompressing: 0, empty: 2 });
      expect(armOf(json, 'scripted:echo').failures.nonCompressing).toBeGreaterThan(0);
    });
  });

  it.each(['table', 'markdown', 'csv'])('writes %s', async (format) => {
    const { code, stdout } = await summarizers(planted, ...ALONE, '--probes', '--format', format);
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('extractive');
  });

  it('takes facts of a recorded session from its texts, and compares prompts', async () => {
    const prompt = writeFile(folder, 'short.md', '## Only\n\nSay what matters.');
    const named = ['--summarizers', 'extractive', '--prompts', `policy,${prompt}`];
    const { stdout } = await summarizers(recorded, ...named, '--format', 'json');
    const { arms, provenance } = JSON.parse(stdout);
    expect(provenance.scenarios[0].facts).toBe('extracted');
    expect(arms.map(({ name }: { name: string }) => name)).toEqual([
      'extractive with policy',
      'extractive with short',
    ]);
    expect(arms[0].promptHash).not.toBe(arms[1].promptHash);
  });

  it('says that the result is the same however often a repetition cannot differ', async () => {
    const [once, thrice] = [await repeated('1'), await repeated('3')];
    expect(thrice.arms[0].metrics).toEqual(once.arms[0].metrics);
    expect(thrice.arms[0].mustFacts).toEqual(once.arms[0].mustFacts);
  });

  describe('over repeated pivots', () => {
    const KEPT = 0.8;
    const lossy = ['--summarizers', `scripted:lossy=${KEPT}`, '--repeat', '2', '--format', 'json'];
    let report: SummarizersReport;
    beforeAll(async () => {
      const { stdout } = await summarizers(...sessions, ...lossy, '--pivots', '3');
      report = JSON.parse(stdout);
    });

    it('compacts as often as wanted, evenly over the steps', () => {
      expect(report.provenance).toMatchObject({ pivots: 3, compactAt: [1 / 3, 2 / 3, 1] });
      expect(report.arms[0]!.failures).toMatchObject({ trials: 8, pivots: 24 });
      expect(report.arms[0]!.decay.summary.retention).toHaveLength(3);
    });

    it('has a rate a little above what each line is kept by, for some facts stand in two', () => {
      const { rho, halfLife } = report.arms[0]!.decay.summary;
      expect(rho.mean).toBeGreaterThan(KEPT - 0.02);
      expect(rho.mean).toBeLessThan(KEPT + 0.1);
      expect(halfLife.mean).toBeLessThan(7);
    });

    // Some facts stand in two lines, of which one may be kept.
    it('finds of a known loss what is left of it after each pivot, within twelve points', () => {
      const { survival } = report.arms[0]!.decay;
      expect(survival.map(({ pivots }) => pivots)).toEqual([1, 2, 3]);
      for (const { pivots, survival: own } of survival) {
        expect(Math.abs(own.mean! - KEPT ** pivots)).toBeLessThan(0.12);
        expect(own.low).toBeLessThan(own.mean!);
        expect(own.high).toBeGreaterThan(own.mean!);
      }
    });

    it('has neither rate nor half-life after one', async () => {
      const { stdout } = await summarizers(planted, ...ALONE, '--pivots', '1', '--format', 'json');
      const { decay, metrics } = armOf(stdout, 'extractive');
      expect(decay.summary.rho.mean).toBeNull();
      expect(decay.summary.retention).toHaveLength(1);
      expect(metrics.retentionSecond.mean).toBeNull();
    });

    it('says how often a session that is too short could be compacted', async () => {
      const { stdout } = await summarizers(planted, ...ALONE, '--pivots', '50', '--format', 'json');
      const { failures } = armOf(stdout, 'extractive');
      expect(failures).toMatchObject({ failed: 0, unreached: 1 });
      expect(failures.reasons[0].reason).toMatch(/^compacted \d+ times before the session ended$/);
    });
  });

  describe('with rows that are kept', () => {
    const rows = join(folder, 'rows.jsonl');
    const keep = (...argv: readonly string[]) => summarizers(planted, '--rows', rows, ...argv);
    const linesOf = () => readFileSync(rows, 'utf8').trim().split('\n');

    it('goes on where it was, and compares with what was there', async () => {
      await keep('--summarizers', 'extractive');
      const { stdout } = await keep('--summarizers', 'scripted:ratio', '--format', 'json');
      expect(linesOf()).toHaveLength(2);
      expect(JSON.parse(stdout).arms).toHaveLength(2);
      await keep('--summarizers', 'scripted:ratio');
      expect(linesOf()).toHaveLength(2);
      const more = await keep('--summarizers', 'scripted:ratio', '--repeat', '3');
      expect(more.stdout).toContain('each run 1 to 3 times.');
      const again = await keep('--summarizers', 'scripted:ratio');
      expect(again.stdout).toContain('each run 1 to 3 times.');
    });

    it.each([
      ['another policy', ['--policy', 'document-002'], (line: string) => line],
      [
        'another scorer',
        [],
        (line: string) => line.replace(/"scorerVersion":\d+/, '"scorerVersion":999'),
      ],
      [
        'two models that answered under one name',
        [],
        (line: string) => line.replace(/"summarizer":"[^"]+/, '"summarizer":"ai:lab/m'),
      ],
      [
        'another session of that name',
        [],
        (line: string) => line.replace(/"scenarioHash":"[^"]+/, '"scenarioHash":"x'),
      ],
    ] as const)('refuses rows of %s, and leaves them as they are', async (_, argv, change) => {
      const before = linesOf();
      writeFileSync(rows, `${before.map(change).join('\n')}\n`);
      const { code, stderr } = await keep('--summarizers', 'scripted:empty', ...argv);
      const after = linesOf();
      writeFileSync(rows, `${before.join('\n')}\n`);
      expect(after).toEqual(before.map(change));
      expect(code).toBe(EXIT.inconclusive);
      expect(stderr).toContain('Not comparable');
    });
  });

  it.each([
    [['--compact-at', '1,0.5'], "'--compact-at'"],
    [['--pivots', '0'], "'--pivots'"],
    [['--pivots', '3', '--compact-at', '0.5,1'], 'as many as'],
    [['--repeat', '0'], "'--repeat'"],
    [['--policy', 'none'], 'none'],
    [['--summarizers', 'nobody'], 'nobody'],
    [['--prompts', 'no-such-file.md'], 'no-such-file.md'],
    [['--base', 'nobody'], 'nobody'],
    [['--reader', 'scripted:empty'], "'--probes'"],
  ])('refuses %j', async (argv, told) => {
    const { code, stderr } = await summarizers(planted, ...argv);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain(told);
  });

  it('replays from a cassette what was recorded into it', async () => {
    const cassette = `cassette:${join(folder, 'tape')}=extractive`;
    const run = async (mode: string) => {
      const argv = ['--summarizers', cassette, '--cassette-mode', mode, '--format', 'json'];
      return summarizers(planted, ...argv);
    };
    const [made, played] = [await run('record'), await run('strict')];
    expect(made.code).toBe(EXIT.done);
    expect(played.stdout).toBe(made.stdout);
  });

  it('does not keep what could not be asked', async () => {
    const rows = join(folder, 'missed.jsonl');
    const argv = ['--summarizers', `extractive,cassette:${folder}=scripted:ratio`, '--rows', rows];
    const { code, stdout } = await summarizers(planted, ...argv, '--cassette-mode', 'strict');
    expect(code).toBe(EXIT.inconclusive);
    expect(stdout).toContain('broken, 1 time');
    expect(readFileSync(rows, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('is inconclusive where an arm has no score at all', async () => {
    const { code } = await summarizers(planted, '--summarizers', 'extractive,scripted:fail');
    expect(code).toBe(EXIT.inconclusive);
  });

  it('asks about what is left, and judges the judge', async () => {
    const argv = [...ALONE, '--probes', '--judge', 'scripted:refuse', '--format', 'json'];
    const { stdout } = await summarizers(planted, ...argv);
    const { reader, judges, arms } = JSON.parse(stdout).probes;
    expect(reader).toBe('grep, judged by scripted:refuse');
    expect(judges).toMatchObject([
      { labels: 50, kappa: { mean: 0 }, selfAgreement: { mean: 1 }, unreadable: 50 },
    ]);
    const { none, oracle, full, tail } = arms[0].accuracy;
    expect([none, oracle, full, tail].map(({ mean }) => mean)).toEqual([0, 1, 1, 0]);
  });

  it('ends where the user wants to stop', async () => {
    const argv = ['summarizers', '--summarizers', 'extractive'];
    const { code } = await callMain(argv, { signal: AbortSignal.abort() });
    expect(code).toBe(EXIT.interrupted);
  });
});
