import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/io.ts';
import { main } from '../../src/cli/main.ts';
import { writeSession } from '../../src/simulator/session/canonical/write.ts';
import { askedHeadings } from '../../src/simulator/summarizer/asked-headings.ts';
import { shippedScenarios } from '../../src/simulator/sweep/summarizers/shipped.ts';
import { captureIo, type CapturedIoOptions } from '../support/captured-io.ts';
import {
  anthropicOverflow,
  type Deed,
  inTurn,
  openAiOverflow,
  rateLimited,
  type Received,
  says,
  type Script,
  serverError,
} from '../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../support/model-server/server.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const KEY = 'sk-canary-0123456789abcdef';
const HOME = '/home/canary-of-nobody';
const MODEL = 'ai:openai/gpt-5-mini';
/** What needs no model, and little time. */
const BASE = 'lead';
const USAGE = { inputTokens: 4_000, outputTokens: 500 };
/** What a summary of this model costs by the shipped catalog, from its usage. */
const COST_USD = (USAGE.inputTokens * 0.25 + USAGE.outputTokens * 2) / 1_000_000;

const folder = createFolder();
const [first, second] = [...shippedScenarios()].slice(0, 2);
const session = writeFile(folder, 'planted.jsonl', [...writeSession(first!)].join(''));
const another = writeFile(folder, 'another.jsonl', [...writeSession(second!)].join(''));

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(byPart);
});
afterAll(async () => {
  await server.close();
});

/** Answers as a summarizer, as a reader and as a judge, by what it is asked. */
function byPart({ body }: Received): Deed {
  const text = textOf(body);
  if (text.includes('strict examiner')) return says('{"recalled": true, "accurate": false}');
  if (isQuestion({ body })) return says(answerTo(text));
  return summary(text);
}

function textOf(body: Received['body']): string {
  return JSON.stringify(body['messages'] ?? body['input']);
}

/** A value of the conversation where one is named in it, and otherwise something that a judge has to look at. */
function answerTo(text: string): string {
  return /cfg-\w+/.exec(text)?.[0] ?? 'something about a ticket';
}

/** Sentences with ids, under the headings, with what nobody should ever find in a recording. */
function summary(asked: string): Deed {
  const text = asked.replaceAll('\\n', '\n');
  const sentences = [...new Set(text.match(/[^.\n]*\b[a-z]{2,4}-[0-9a-z]{6,}\b[^.\n]*/g) ?? [])];
  const lines = [...sentences.slice(0, 20), `Key ${KEY}, file ${HOME}/notes.md`];
  const [heading = '## Goal'] = askedHeadings(text);
  return says([heading, ...lines.map((line) => `- ${line}`)].join('\n'), { usage: USAGE });
}

const WAIT = { 'retry-after-ms': '1' };
/** Characters above which the server has no room. */
const WINDOW = 60_000;

function isQuestion({ body }: Pick<Received, 'body'>): boolean {
  return textOf(body).includes('Answer the question from the conversation');
}

/** Refuses every other request, and says when to come back. */
function busyEveryOther(received: Received, nth: number): Deed {
  return nth % 2 === 1 ? rateLimited(WAIT) : byPart(received);
}

function smallWindow(received: Received): Deed {
  return textOf(received.body).length > WINDOW ? openAiOverflow : byPart(received);
}

function muteReader(received: Received): Deed {
  return isQuestion(received) ? serverError : byPart(received);
}

/** Answers for five cents each. */
function fiveCents(received: Received): Deed {
  return { ...byPart(received), usage: { inputTokens: 200_000, outputTokens: 0 } } as Deed;
}

/** Answers in the name of another model. */
function asModel(model: string): Script {
  return (received) => ({ ...byPart(received), model }) as Deed;
}

async function summarizers(argv: readonly string[], options: CapturedIoOptions = {}) {
  const io = captureIo({ env: { OPENAI_API_KEY: KEY, HOME }, ...options });
  const code = await main(['summarizers', ...argv], io);
  return { code, ...io.written };
}

/** The command on one session with a model behind the server, which acts by a script. */
async function against(script: Script, argv: readonly string[], options?: CapturedIoOptions) {
  server.play(script);
  const before = server.received.length;
  const way = ['--summarizers', `${BASE},${MODEL}`, '--base-url', server.url];
  const found = await summarizers([session, ...way, '--format', 'json', ...argv], options);
  return { ...found, requests: server.received.length - before };
}

function armOf(json: string, name = MODEL) {
  const { arms } = JSON.parse(json);
  return arms.find(({ summarizer }: { summarizer: string }) => summarizer === name);
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
    expect(probes.judges).toHaveLength(2);
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
    expect(reason).toMatch(/Nearest is [0-9a-f]{16}-1\.json, which differs in/);
    expect(reason).toContain('+ prompt: Say what matters.');
  });
});

describe('a model that lets one down', () => {
  it('is asked again after 429, when it says', async () => {
    const { code, stdout, requests } = await against(busyEveryOther, []);
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
    const { code, stdout, requests } = await against(inTurn(deed), argv);
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
    const { stdout, requests } = await against(smallWindow, ['--set', 'shrinkSummaryRequest=true']);
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
    const { code, stdout } = await against(byPart, [...api, ...argv]);
    expect(code).toBe(EXIT.done);
    expect(server.received.at(-1)?.path).toBe(path);
    expect(armOf(stdout)).toMatchObject({
      settings: { api: api[1] },
      failures: { pivots: 2, failed: 0 },
    });
    expect(armOf(stdout).metrics.costUsd.mean).toBeCloseTo(COST_USD, 9);
  });

  it('is cut at its length and scored all the same', async () => {
    const { stdout } = await against(inTurn(says('## Goal\nAll', { finish: 'length' })), []);
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
    const { code, stdout } = await against(script, argv);
    expect(code).toBe(EXIT.done);
    const { arms } = JSON.parse(stdout).probes;
    expect(arms[0].unanswered).toMatchObject([{ times: 1, reason: 'The server had an error.' }]);
    expect(arms[1].unanswered).toEqual([]);
    expect(arms[0].questions).toBeGreaterThan(0);
  });

  it('as a reader that never answers makes no row', async () => {
    const rows = join(folder, 'mute.jsonl');
    const argv = ['--probes', '--reader', 'ai:local/reader', '--retries', '0', '--rows', rows];
    const { code } = await against(muteReader, argv);
    expect(code).toBe(EXIT.inconclusive);
    expect(existsSync(rows)).toBe(false);
  });
});

describe('money', () => {
  it('is not spent by a dry run, which says what it would come to', async () => {
    const argv = ['--dry-run', '--probes', '--reader', MODEL, '--judge', 'ai:openai/gpt-5-nano'];
    const { code, stdout, requests } = await against(byPart, argv);
    expect({ code, requests }).toEqual({ code: EXIT.done, requests: 0 });
    expect(stdout).toMatch(
      /^Dry run: no model was asked\.\nai:openai\/gpt-5-mini: \d+ requests, .+: about \$[\d.]+, at most \$[\d.]+\.\nai:openai\/gpt-5-nano: \d+ requests/,
    );
  });

  it('stops before the request that would pass the budget, and goes on with a larger one', async () => {
    const rows = join(folder, 'budget.jsonl');
    // The first answer takes most of it; the most that the second could cost is more than what is left.
    const poor = await against(fiveCents, ['--budget-usd', '0.1', '--rows', rows]);
    expect(poor.requests).toBe(1);
    expect(poor.code).toBe(EXIT.inconclusive);
    const [{ reason, state }] = armOf(poor.stdout).failures.reasons;
    expect(state).toBe('broken');
    expect(reason).toMatch(/would pass the budget of \$0\.1000: \$0\.0500 is spent.*not sent/);
    expect(rowsOf(rows)).toEqual([BASE]);
    const rich = await against(fiveCents, ['--budget-usd', '5', '--rows', rows]);
    expect(rich).toMatchObject({ code: EXIT.done, requests: 2 });
    expect(rowsOf(rows)).toEqual([BASE, MODEL]);
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
    const whole = await against(byPart, [...argv, join(folder, 'whole.jsonl')]);
    const stop = new AbortController();
    const untilStopped: Script = (received, nth) => {
      if (nth < 4) return byPart(received);
      stop.abort();
      return { type: 'hang' };
    };
    const stopped = await against(untilStopped, [...argv, rows], { signal: stop.signal });
    expect(stopped).toMatchObject({ code: EXIT.interrupted, stdout: '' });
    const kept = rowsOf(rows);
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.length).toBeLessThan(rowsOf(join(folder, 'whole.jsonl')).length);

    const resumed = await against(byPart, [...argv, rows]);
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
    against(script, ['--rows', rows, ...argv]);
  beforeAll(async () => {
    await keep(byPart);
  });

  it('carry model, prompt, session and scorer, and no text', () => {
    const row = JSON.parse(readFileSync(rows, 'utf8').trim().split('\n').at(-1)!);
    expect(row).toMatchObject({
      rowVersion: 2,
      scorerVersion: expect.any(Number),
      summarizer: MODEL,
      model: 'gpt-5-mini-2026-01-01',
      promptHash: expect.stringMatching(/^[0-9a-f]{12}$/),
      scenarioHash: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(JSON.stringify(row)).not.toContain('notes.md');
  });

  it.each<[string, readonly string[], RegExp]>([
    ['another setting of the model', ['--output-cap', '500'], /more than one setting/],
    ['questions', ['--probes'], /reader or judge/],
    ['another number of pivots', ['--pivots', '3'], /number or places of compactions/],
    ['another seed', ['--seed', '2'], /seed/],
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

  it('are not mixed with those of another model of the same name', async () => {
    const before = readFileSync(rows, 'utf8');
    const { code, stderr } = await keep(asModel('gpt-5-mini-2027'), ['--repeat', '2']);
    expect(code).toBe(EXIT.inconclusive);
    expect(stderr).toContain(`more than one model answered as '${MODEL}'`);
    expect(rowsOf(rows).filter((name) => name === MODEL)).toHaveLength(1);
    expect(readFileSync(rows, 'utf8').startsWith(before)).toBe(true);
  });
});

describe('what cannot be asked at all', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['a model without its key', ['--summarizers', MODEL], /'OPENAI_API_KEY', which is not set/],
    [
      'another provider without its key',
      ['--summarizers', 'ai:anthropic/claude-haiku-4-5'],
      /Expected 'anthropic\/claude-haiku-4-5' to be set up, got .*ANTHROPIC_API_KEY/,
    ],
    [
      'a provider without its package',
      ['--summarizers', 'ai:nobody-has-this/m'],
      /needs the package '@ai-sdk\/nobody-has-this'/,
    ],
    ['a model without a name', ['--summarizers', 'ai:openai'], /'ai:PROVIDER\/MODEL'/],
    [
      'a budget for what has no price',
      ['--summarizers', 'ai:lab/m', '--base-url', 'http://127.0.0.1:1/v1', '--budget-usd', '1'],
      /Expected a price of 'ai:lab\/m'/,
    ],
    ['a dry run of no model', ['--summarizers', 'extractive', '--dry-run'], /'--dry-run' beside/],
    ['no mode of a cassette', ['--cassette-mode', 'sometimes'], /auto, record, strict, off/],
    ['a reader that nobody knows', ['--probes', '--reader', 'nobody'], /Unknown summarizer/],
    ['a judge without questions', ['--judge', MODEL], /'--probes' beside/],
  ])('is told in a sentence: %s', async (_, argv, told) => {
    const { code, stderr, stdout } = await summarizers([session, ...argv], { env: {} });
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(told);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
