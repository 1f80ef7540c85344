import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import {
  anthropicOverflow,
  type Deed,
  inTurn,
  openAiOverflow,
  rateLimited,
  says,
  type Script,
  serverError,
} from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';
import {
  against,
  armOf,
  BASE,
  busyEveryOther,
  byPart,
  COST_USD,
  HOME,
  isQuestion,
  KEY,
  MODEL,
  muteReader,
  smallWindow,
  summarizers,
  WAIT,
  writeSessions,
} from '../model-bench.ts';

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

function filesOf(path: string): readonly string[] {
  return readdirSync(path).map((file) => readFileSync(join(path, file), 'utf8'));
}

describe('a comparison with a real model', () => {
  const cassette = join(folder, 'tape');
  const probing = ['--probes', '--reader', MODEL, '--judge', `${MODEL},ai:anthropic/judge`];
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
  let recorded: Awaited<ReturnType<typeof summarizers>>;
  beforeAll(async () => {
    server.play(byPart);
    recorded = await summarizers([...argv, '--base-url', server.url]);
  });

  it('knows price, latency and model of what answered, and keeps them apart from scores', () => {
    expect(recorded.code).toBe(EXIT.done);
    const { metrics, model, failures } = armOf(recorded.stdout);
    expect(model).toBe('gpt-5-mini-2026-01-01');
    expect(metrics.costUsd.mean).toBeCloseTo(COST_USD, 9);
    expect(metrics.latencyMs.mean).toBeGreaterThan(0);
    expect(metrics.retention.mean).toBeGreaterThan(0);
    expect(failures).toMatchObject({ trials: 4, failed: 0 });
    expect(armOf(recorded.stdout, BASE).metrics.costUsd.mean).toBeNull();
    expect(recorded.stderr).toMatch(/Spent on summaries, answers and verdicts: \$\d/);
  });

  it('has one fixed reader and two judges, each with its agreement', () => {
    const { probes } = JSON.parse(recorded.stdout);
    expect(probes.reader).toBe(`${MODEL}, judged by ${MODEL} and ai:anthropic/judge`);
    expect(probes.models).toEqual({
      [MODEL]: 'gpt-5-mini-2026-01-01',
      'ai:anthropic/judge': 'judge-20260101',
    });
    expect(probes.ownFamily).toEqual([MODEL]);
    expect(probes.judges).toMatchObject([{ ownFamily: [MODEL] }, { ownFamily: [] }]);
    expect(probes.agreement).toMatchObject({ families: 2, onSample: { mean: null } });
    expect(probes.agreement.sampled).toBeGreaterThan(0);
    for (const { accuracy } of probes.arms)
      expect(accuracy.oracle.mean).toBeGreaterThan(accuracy.none.mean);
  });

  it('comes out of the cassette to the same bytes, with the server gone and CI set', async () => {
    await server.close();
    const replayed = await summarizers(argv, { env: { CI: 'true' } });
    server = await startModelServer(byPart);
    expect(replayed.code).toBe(recorded.code);
    expect(replayed.stdout).toBe(recorded.stdout);
  });

  it('leaves no key, header or place of this machine in the recordings', () => {
    const stored = filesOf(cassette);
    expect(stored.length).toBeGreaterThan(10);
    for (const text of stored) {
      for (const secret of [KEY, HOME, folder, homedir(), process.cwd(), '127.0.0.1']) {
        expect(text).not.toContain(secret);
      }
      expect(text).not.toMatch(/authorization|bearer|x-api-key/i);
    }
    expect(stored.join('')).toContain('Key [removed], file ~/notes.md');
  });

  it('names the nearest recording and the difference where CI finds none', async () => {
    const prompt = writeFile(folder, 'other.md', '## Only\n\nSay what matters.');
    const changed = [...argv.slice(0, 2), '--summarizers', MODEL, '--prompts', prompt];
    const tape = ['--cassette', cassette, '--format', 'json'];
    const { code, stdout } = await summarizers([...changed, ...tape], { env: { CI: '1' } });
    expect(code).toBe(EXIT.inconclusive);
    const [{ reason, state }] = armOf(stdout).failures.reasons;
    expect(state).toBe('broken');
    expect(reason).toMatch(/Nearest is [0-9a-f]{16}-1\.json: it has /);
    expect(reason).toContain("'prompt: Say what matters.'");
  });
});

describe('a model that lets one down', () => {
  it('is asked again after 429, when it says', async () => {
    const { code, stdout, requests } = await onOne(busyEveryOther, []);
    expect(code).toBe(EXIT.done);
    expect(requests).toBe(4);
    expect(armOf(stdout).failures).toMatchObject({ pivots: 2, failed: 0 });
  });

  it.each<[string, Deed, readonly string[], RegExp]>([
    ['429 without end', rateLimited(WAIT), ['--retries', '1'], /Rate limit reached/],
    ['500', serverError, ['--retries', '0'], /The server had an error/],
    ['a hang', { type: 'hang' }, ['--timeout', '0.3'], /no answer within 300 ms/],
    ['a reset', { type: 'reset' }, ['--retries', '0'], /ECONNRESET/],
    ['an early end', { type: 'early-end', text: 'w '.repeat(99) }, ['--retries', '0'], /Failed/],
    ['half an answer', { type: 'half', text: 'w '.repeat(99) }, ['--retries', '0'], /Invalid JSON/],
    ['bad JSON', { type: 'bad-json' }, ['--retries', '0'], /Invalid JSON/],
    ['a request that is too large', openAiOverflow, [], /maximum context length/],
  ])('has failed and has no score after %s', async (_, deed, argv, reason) => {
    const { code, stdout, requests } = await onOne(inTurn(deed), argv);
    expect(code).toBe(EXIT.inconclusive);
    expect(requests).toBe(argv.includes('1') ? 2 : 1);
    const { failures, metrics } = armOf(stdout);
    expect(failures).toMatchObject({ trials: 1, pivots: 0, failed: 1 });
    expect(failures.reasons).toMatchObject([
      { state: 'failed', times: 1, reason: expect.stringMatching(reason) },
    ]);
    expect(metrics.retention).toMatchObject({ mean: null, sessions: 0 });
    expect(armOf(stdout, BASE).metrics.retention.mean).toBeGreaterThan(0);
  });

  it('is asked for less where the policy has a ladder, and the refusal costs nothing', async () => {
    const { stdout, requests } = await onOne(smallWindow, ['--set', 'shrinkSummaryRequest=true']);
    const { failures, metrics } = armOf(stdout);
    expect(failures).toMatchObject({ pivots: 2, failed: 0 });
    expect(requests).toBeGreaterThan(2);
    expect(metrics.costUsd.mean).toBeCloseTo(COST_USD, 9);
  });

  it.each([
    ['responses', '/v1/responses', []],
    ['responses, streamed', '/v1/responses', ['--stream']],
    ['chat, streamed', '/v1/chat/completions', ['--stream']],
  ] as const)('is asked through %s', async (name, path, argv) => {
    const api = ['--api', name.split(',')[0]!];
    const { code, stdout } = await onOne(byPart, [...api, ...argv]);
    expect(code).toBe(EXIT.done);
    expect(server.received.at(-1)?.path).toBe(path);
    expect(armOf(stdout)).toMatchObject({
      settings: { api: api[1] },
      failures: { pivots: 2, failed: 0 },
    });
    expect(armOf(stdout).metrics.costUsd.mean).toBeCloseTo(COST_USD, 9);
  });

  it('is cut at its length and scored all the same', async () => {
    const { stdout } = await onOne(inTurn(says('## Goal\nAll', { finish: 'length' })), []);
    expect(armOf(stdout).failures).toMatchObject({ pivots: 2, cut: 2 });
  });

  it('of another provider is known by its own words', async () => {
    server.play(inTurn(anthropicOverflow));
    const way = ['--summarizers', 'ai:anthropic/claude-haiku-4-5', '--base-url', server.url];
    const { stdout } = await summarizers([session, ...way, '--format', 'json']);
    expect(server.received.at(-1)?.path).toBe('/v1/messages');
    expect(JSON.parse(stdout).arms[0].failures.reasons[0].reason).toContain('prompt is too long');
  });

  it('as a reader leaves questions unanswered, which are in no score', async () => {
    let asked = 0;
    const script: Script = (received) => {
      if (!isQuestion(received)) return byPart(received);
      asked += 1;
      return asked === 1 ? serverError : says('UNKNOWN');
    };
    const argv = ['--probes', '--reader', 'ai:local/reader', '--retries', '0'];
    const { code, stdout } = await onOne(script, argv);
    expect(code).toBe(EXIT.done);
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
    const argv = ['--probes', '--reader', 'ai:local/reader', '--retries', '0', '--rows', rows];
    const { code } = await onOne(muteReader, argv);
    expect(code).toBe(EXIT.inconclusive);
    expect(existsSync(rows)).toBe(false);
  });
});
