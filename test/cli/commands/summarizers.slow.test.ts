import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { SummarizersReport } from '../../../src/simulator/report/summarizers-report.ts';
import { writeSession } from '../../../src/simulator/session/formats/canonical-lines.ts';
import { shippedScenarios } from '../../../src/simulator/sweep/summarizers/inputs.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain } from '../../support/command.ts';
import {
  type Deed,
  inTurn,
  openAiOverflow,
  rateLimited,
  says,
  type Script,
  serverError,
} from '../../support/model-server/script.ts';
import { isQuestion } from '../../support/loopback-reader.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';
import {
  against,
  armOf as armOfModelBench,
  BASE,
  byPart,
  COST_USD,
  fiveCents,
  MODEL,
  muteReader,
  summarizers as summarizersOfModelBench,
  WAIT,
  writeSessions,
} from '../model-bench.ts';

describe('summarizers models', () => {
  const folder = createFolder();
  const [session, another] = writeSessions(folder);

  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(byPart);
  });
  afterAll(async () => {
    await server.close();
  });

  /** The command on one session. */
  async function onOne(script: Script, argv: readonly string[], options?: CapturedIoOptions) {
    return against(server, script, { argv: [session, ...argv], ...(options && { options }) });
  }

  describe('a comparison with a real model', () => {
    const cassette = join(folder, 'tape');
    const probing = ['--reader', MODEL];
    const argv = [
      session,
      another,
      '--summarizers',
      `${BASE},${MODEL}`,
      '--repeat',
      '2',
      ...probing,
      '--cassette',
      cassette,
      '--format',
      'json',
    ];
    let recorded: Awaited<ReturnType<typeof summarizersOfModelBench>>;
    beforeAll(async () => {
      server.play(byPart);
      recorded = await summarizersOfModelBench([...argv, '--base-url', server.url]);
    });

    it('knows price, latency and model of what answered, and keeps them apart from scores', () => {
      expect(recorded.code).toBe(EXIT.done);
      const { metrics, model, failures } = armOfModelBench(recorded.stdout);
      expect(model).toBe('gpt-5-mini-2026-01-01');
      expect(metrics.costUsd.mean).toBeCloseTo(COST_USD, 9);
      expect(metrics.latencyMs.mean).toBeGreaterThan(0);
      expect(metrics.factsKept.mean).toBeGreaterThan(0);
      expect(failures).toMatchObject({ trials: 4, failed: 0 });
      expect(armOfModelBench(recorded.stdout, BASE).metrics.costUsd.mean).toBeNull();
      expect(recorded.stderr).toMatch(/Spent on summaries and answers: \$\d/);
    });

    it('comes out of the cassette to the same bytes, with the server gone and CI set', async () => {
      await server.close();
      const replayed = await summarizersOfModelBench(argv, { env: { CI: 'true' } });
      server = await startModelServer(byPart);
      expect(replayed.code).toBe(recorded.code);
      expect(replayed.stdout).toBe(recorded.stdout);
    });
  });

  describe('a model that lets one down', () => {
    it.each<[string, Deed, readonly string[], RegExp]>([
      ['429 without end', rateLimited(WAIT), ['--retries', '1'], /Rate limit reached/],
      ['a request that is too large', openAiOverflow, [], /maximum context length/],
    ])('has failed and has no score after %s', async (_, deed, argv, reason) => {
      const { code, stdout, requests } = await onOne(inTurn(deed), argv);
      expect(code).toBe(EXIT.inconclusive);
      expect(requests).toBe(argv.includes('1') ? 2 : 1);
      const { failures, metrics } = armOfModelBench(stdout);
      expect(failures).toMatchObject({ trials: 1, pivots: 0, failed: 1 });
      expect(failures.reasons).toMatchObject([
        { state: 'failed', times: 1, reason: expect.stringMatching(reason) },
      ]);
      expect(metrics.factsKept).toMatchObject({ mean: null, sessions: 0 });
      expect(armOfModelBench(stdout, BASE).metrics.summaryTokens.mean).toBeGreaterThan(0);
    });

    it('as a reader leaves questions unanswered, which are in no score', async () => {
      let asked = 0;
      const script: Script = (received) => {
        if (!isQuestion(received)) return byPart(received);
        asked += 1;
        return asked === 1 ? serverError : says('UNKNOWN');
      };
      const argv = ['--reader', 'ai:local/reader', '--retries', '0'];
      const { code, stdout } = await onOne(script, argv);
      // It knows nothing else either.
      expect(code).toBe(EXIT.inconclusive);
      const { arms } = JSON.parse(stdout).probes;
      expect(arms[0].unanswered).toMatchObject([{ times: 1, reason: 'The server had an error.' }]);
      expect(arms[1].unanswered).toEqual([]);
      expect(arms[0].questions).toBeGreaterThan(0);
    });

    it('has its price told where nobody can keep the row that it paid for', async () => {
      const rows = join(folder, 'in-the-way.jsonl');
      const script: Script = (received) => {
        rmSync(rows, { recursive: true, force: true });
        mkdirSync(rows);
        return byPart(received);
      };
      const { code, stderr } = await onOne(script, ['--rows', rows]);
      expect(code).toBe(EXIT.failed);
      expect(stderr).toMatch(/Spent on summaries: \$\d/);
      expect(stderr).toContain('in-the-way.jsonl');
    });

    it('as a reader that never answers makes no row', async () => {
      const rows = join(folder, 'mute.jsonl');
      const argv = ['--reader', 'ai:local/reader', '--retries', '0', '--rows', rows];
      const { code } = await onOne(muteReader, argv);
      expect(code).toBe(EXIT.inconclusive);
      expect(existsSync(rows)).toBe(false);
    });
  });
});

describe('summarizers rows', () => {
  const folder = createFolder();
  const [session, another] = writeSessions(folder);

  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(byPart);
  });
  afterAll(async () => {
    await server.close();
  });

  /** The command on one session. */
  async function onOne(script: Script, argv: readonly string[], options?: CapturedIoOptions) {
    return against(server, script, { argv: [session, ...argv], ...(options && { options }) });
  }

  describe('money', () => {
    it('is told by a dry run for every request that the run makes', async () => {
      const dryRun = async (argv: readonly string[]) => {
        const { code, stdout } = await onOne(byPart, ['--dry-run', ...argv]);
        return { code, requests: Number(/(\d+) requests/.exec(stdout)?.[1]) };
      };
      const cassette = ['--cassette', join(folder, 'cassette')];
      const rows = ['--rows', join(folder, 'dry.jsonl')];
      const told = await dryRun(['--repeat', '2']);
      expect(await onOne(byPart, [...rows])).toMatchObject({ code: EXIT.done, requests: 2 });
      expect(await dryRun(['--repeat', '2', ...rows])).toEqual({ code: EXIT.done, requests: 2 });
      expect(await onOne(byPart, ['--repeat', '2', ...cassette])).toMatchObject(told);
      expect(told).toEqual({ code: EXIT.done, requests: 4 });
      expect(await dryRun(['--repeat', '3', ...cassette])).toEqual({
        code: EXIT.done,
        requests: 2,
      });
    });

    it('stops before the request that would pass the budget, and goes on with a larger one', async () => {
      const rows = join(folder, 'budget.jsonl');
      // The first answer takes most of it; the most that the second could cost is more than what is left.
      const poor = await onOne(fiveCents, ['--budget-usd', '0.1', '--rows', rows]);
      expect(poor.requests).toBe(1);
      expect(poor.code).toBe(EXIT.inconclusive);
      const [{ reason, state }] = armOfModelBench(poor.stdout).failures.reasons;
      expect(state).toBe('broken');
      expect(reason).toMatch(/would pass the budget of \$0\.1000: \$0\.0500 is spent.*not sent/);
      expect(rowsOf(rows)).toEqual([BASE]);
      const rich = await onOne(fiveCents, ['--budget-usd', '5', '--rows', rows]);
      expect(rich).toMatchObject({ code: EXIT.done, requests: 2 });
      expect(rowsOf(rows)).toEqual([BASE, MODEL]);
    });

    it.each<[string, Deed, readonly string[]]>([
      ['asks again what nobody answered', serverError, [BASE]],
      ['keeps that a request is too large', openAiOverflow, [BASE, MODEL]],
    ])('%s', async (name, deed, kept) => {
      const rows = join(folder, `${name}.jsonl`);
      const argv = ['--retries', '0', '--rows', rows];
      const failed = await onOne(inTurn(deed), argv);
      expect(armOfModelBench(failed.stdout).failures).toMatchObject({ failed: 1 });
      expect(rowsOf(rows)).toEqual(kept);
      const again = await onOne(byPart, argv);
      expect(again.requests).toBe(kept.includes(MODEL) ? 0 : 2);
    });
  });

  function rowsOf(file: string): readonly string[] {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line).summarizer);
  }

  describe('a comparison that is stopped', () => {
    it('ends with 130, keeps what is done, and goes on from there to the same bytes', async () => {
      const rows = join(folder, 'stopped.jsonl');
      const argv = [another, '--repeat', '2', '--concurrency', '1', '--rows'];
      const whole = await onOne(byPart, [...argv, join(folder, 'whole.jsonl')]);
      const stop = new AbortController();
      const untilStopped: Script = (received, nth) => {
        if (nth < 4) return byPart(received);
        stop.abort();
        return { type: 'hang' };
      };
      const stopped = await onOne(untilStopped, [...argv, rows], { signal: stop.signal });
      expect(stopped).toMatchObject({ code: EXIT.interrupted, stdout: '' });
      const kept = rowsOf(rows);
      expect(kept.length).toBeGreaterThan(2);
      expect(kept.length).toBeLessThan(rowsOf(join(folder, 'whole.jsonl')).length);

      const resumed = await onOne(byPart, [...argv, rows]);
      expect(resumed.code).toBe(EXIT.done);
      expect(withoutLatency(resumed.stdout)).toEqual(withoutLatency(whole.stdout));
    });
  });

  /** How long a server on this machine takes is never the same. */
  function withoutLatency(json: string): unknown {
    return JSON.parse(json, (key, value: unknown) => (key === 'latencyMs' ? undefined : value));
  }

  describe('rows of a real model', () => {
    const rows = join(folder, 'rows.jsonl');
    const keep = (script: Script, argv: readonly string[] = []) =>
      onOne(script, ['--rows', rows, ...argv]);
    beforeAll(async () => {
      await keep(byPart);
    });

    it.each<[string, readonly string[], RegExp]>([
      ['another setting of the model', ['--output-cap', '500'], /more than one setting/],
      ['questions', ['--reader', 'scripted:empty'], /reader of questions/],
      [
        'another number of pivots',
        ['--pivots', '3'],
        /their number of compactions and places of compactions/,
      ],
      ['another seed', ['--seed', '2'], /differ in their seed\W/],
    ])('are not gone on with under %s, before anything is asked', async (_, argv, told) => {
      const before = readFileSync(rows, 'utf8');
      const { code, stderr, stdout, requests } = await keep(byPart, argv);
      expect({ code, stdout, requests }).toEqual({
        code: EXIT.inconclusive,
        stdout: '',
        requests: 0,
      });
      expect(stderr).toMatch(told);
      expect(stderr).toContain("'--rows'");
      expect(readFileSync(rows, 'utf8')).toBe(before);
    });
  });
});

const folder = createFolder();
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

describe('summarizers', () => {
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
    });

    // Some facts stand in two lines, of which one may be kept.
    it('finds of a known loss what is left of it after each pivot, within fifteen points', () => {
      const { keptAfter, metrics } = report.arms[0]!;
      expect(keptAfter.map(({ mean }) => mean).slice(0, 2)).toEqual([
        expect.closeTo(metrics.factsKept.mean!, 10),
        expect.closeTo(metrics.factsKeptSecond.mean!, 10),
      ]);
      expect(keptAfter).toHaveLength(3);
      for (const [index, own] of keptAfter.entries()) {
        expect(Math.abs(own.mean! - KEPT ** (index + 1))).toBeLessThan(0.15);
        expect(own.low).toBeLessThan(own.mean!);
        expect(own.high).toBeGreaterThan(own.mean!);
      }
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
      const more = await keep('--summarizers', 'scripted:ratio', '--repeat', '3', '--details');
      expect(more.stdout).toContain('each run 1 to 3 times.');
      const again = await keep('--summarizers', 'scripted:ratio', '--details');
      expect(again.stdout).toContain('each run 1 to 3 times.');
    });

    it.each([
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

  it('does not keep what could not be asked', async () => {
    const rows = join(folder, 'missed.jsonl');
    const argv = ['--summarizers', `extractive,cassette:${folder}=scripted:ratio`, '--rows', rows];
    const { code, stdout } = await summarizers(planted, ...argv, '--cassette-mode', 'strict');
    expect(code).toBe(EXIT.inconclusive);
    expect(stdout).toContain('broken, 1 time');
    expect(readFileSync(rows, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});
